#include "files/tree_walk.hpp"

#include <sys/stat.h>

#include "files/scan_scope.hpp"
#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

struct FirstFile : TreeVisitor {
  bool file(const std::string&, std::uint64_t) override { return ++files < 1; }
  int files = 0;
};

}  // namespace

TEST_CASE("a walk ends where the visitor says") {
  const TempFolder folder;
  touch(folder, {"a/1.png", "b/2.png", "c/deep/3.png"});
  FirstFile visitor;
  REQUIRE(walk_tree(folder.path(), visitor).ok());
  CHECK(visitor.files == 1);
}

TEST_CASE("a walk goes by names, not by the order of the file system") {
  struct Names : TreeVisitor {
    bool file(const std::string& below, std::uint64_t) override {
      all.push_back(below);
      return true;
    }
    std::vector<std::string> all;
  } visitor;
  const TempFolder folder;
  for (const int i : {7, 3, 9, 0, 5, 1, 8, 2, 6, 4})
    touch(folder, {"f" + std::to_string(i % 3) + "/" + std::to_string(i)});
  REQUIRE(walk_tree(folder.path(), visitor).ok());
  CHECK(visitor.all.size() == 10);
  CHECK(std::is_sorted(visitor.all.begin(), visitor.all.end()));
}

TEST_CASE("the content of a folder is sorted, links count as their targets") {
  const TempFolder folder;
  touch(folder, {"b.txt", "a.txt", "sub/x", ".hidden/y", "Thumbs.db"});
  std::filesystem::create_directory_symlink(folder / "sub", folder / "link");
  const FolderContent content = read_folder(folder.path()).value();
  CHECK(content.folders == Names{"link", "sub"});
  CHECK(content.files == Names{"a.txt", "b.txt"});
  CHECK(read_folder(folder / "missing").error().code == ErrorCode::io);
}

namespace {

struct AllEntries : TreeVisitor {
  bool file(const std::string& below, std::uint64_t) override {
    return seen.push_back(below), true;
  }
  bool unusable(const Unusable& entry) override {
    return seen.push_back(entry.below + " " + entry.why), true;
  }
  Names seen;
};

}  // namespace

TEST_CASE("a walk is sorted by name and reports entries that are no files") {
  const TempFolder folder;
  touch(folder, {"c.png", "a.png", "b/z.png", "b/y.png"});
  std::filesystem::create_symlink("nowhere", folder / "d.png");
  REQUIRE(::mkfifo((folder / "e.png").c_str(), 0600) == 0);
  AllEntries visitor;
  REQUIRE(walk_tree(folder.path(), visitor).ok());
  CHECK(visitor.seen == Names{"a.png", "b/y.png", "b/z.png", "c.png",
                              "d.png is a link to nowhere, which does not exist",
                              "e.png is a FIFO, not a file"});
}

TEST_CASE("a walk sees the same with any number of threads") {
  const TempFolder folder;
  for (int i = 0; i < 400; ++i)
    touch(folder, {"a" + std::to_string(i % 7) + "/b-" + std::to_string(i % 5) + "/" +
                   std::to_string(i) + ".png"});
  for (int i = 0; i < 100; ++i) touch(folder, {"a1/" + std::to_string(i) + ".png"});
  touch(folder, {"a1-x/1.png", "a1.png"});
  std::filesystem::create_symlink("nowhere", folder / "a3/b-2/dead.png");
  std::filesystem::create_directory_symlink("..", folder / "a2/up");
  AllEntries alone;
  REQUIRE(walk_tree(folder.path(), alone).ok());
  CHECK(alone.seen.size() == 503);
  for (const int threads : {1, 2, 64}) {
    ScanScope scope(threads, nullptr);
    scope.set_useful_threads(static_cast<std::size_t>(threads));
    AllEntries together;
    REQUIRE(walk_tree(folder.path(), together).ok());
    CHECK(together.seen == alone.seen);
    FirstFile first;
    REQUIRE(walk_tree(folder.path(), first).ok());
    CHECK(first.files == 1);
  }
}

TEST_CASE("a visitor that needs no sizes sees the same names") {
  struct Names : AllEntries {
    bool needs_sizes() const override { return false; }
  } names;
  const TempFolder folder;
  touch(folder, {"c.png", "b/z.png"});
  std::filesystem::create_symlink("c.png", folder / "link.png");
  std::filesystem::create_symlink("nowhere", folder / "dead.png");
  REQUIRE(walk_tree(folder.path(), names).ok());
  CHECK(names.seen ==
        std::vector<std::string>{
            "b/z.png", "c.png", "dead.png is a link to nowhere, which does not exist", "link.png"});
}

TEST_CASE("sizes are those of regular files, with any number of threads") {
  const TempFolder folder;
  std::vector<std::string> paths{"", folder.path(), folder / "missing"};
  for (std::size_t i = 0; i < 200; ++i) {
    folder.write(std::to_string(i), std::string(i, 'x'));
    paths.push_back(folder / std::to_string(i));
  }
  for (const int threads : {1, 16}) {
    ScanScope scope(threads, nullptr);
    scope.set_useful_threads(static_cast<std::size_t>(threads));
    const auto sizes = sizes_of(paths);
    REQUIRE(sizes.size() == paths.size());
    for (std::size_t i = 0; i < 3; ++i) CHECK_FALSE(sizes[i]);
    for (std::size_t i = 3; i < paths.size(); ++i) CHECK(sizes[i] == i - 3);
  }
}
