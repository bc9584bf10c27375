#include "cli/output_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using cli::OutputTree;

namespace fs = std::filesystem;

namespace {

std::string text_of(const std::string& path) { return read_text_file(path).value(); }

// Every entry below a folder, sorted.
std::vector<std::string> entries_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.push_back(fs::relative(entry.path(), folder).string());
  std::sort(names.begin(), names.end());
  return names;
}

void check_refused(const Status& status, ErrorCode code, const std::string& text) {
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == code);
  CHECK_THAT(status.error().describe(), ContainsSubstring(text));
}

}  // namespace

TEST_CASE("files are written below the folder, with only the folders they need") {
  const TempFolder folder;
  const auto tree = OutputTree::open(folder / "new/out").value();
  REQUIRE(tree->write("a/b/c.txt", "one", false).ok());
  REQUIRE(tree->write("a/d.txt", "two", false).ok());
  CHECK(text_of(folder / "new/out/a/b/c.txt") == "one");
  CHECK(entries_in(folder / "new/out") ==
        std::vector<std::string>{"a", "a/b", "a/b/c.txt", "a/d.txt"});
}

TEST_CASE("a link among the folders is not entered, wherever it stands") {
  const TempFolder folder;
  folder.write("elsewhere/precious.txt", "precious");
  for (const char* planted : {"out/images", "out/images/town"}) {
    fs::remove_all(folder / "out");
    fs::create_directories((fs::path(folder / planted)).parent_path());
    fs::create_directory_symlink(folder / "elsewhere", folder / planted);
    const auto tree = OutputTree::open(folder / "out").value();
    for (const bool replace : {false, true}) {
      check_refused(tree->write("images/town/precious.txt", "changed", replace), ErrorCode::usage,
                    std::string(planted) + ": is a link");
    }
    CHECK(entries_in(folder / "elsewhere") == std::vector<std::string>{"precious.txt"});
    CHECK(text_of(folder / "elsewhere/precious.txt") == "precious");
  }
}

TEST_CASE("a link in the place of a file is kept, or replaced itself") {
  const TempFolder folder;
  folder.write("precious.txt", "precious");
  const auto tree = OutputTree::open(folder / "out").value();
  for (const std::string& target : {folder / "precious.txt", folder / "dangling"}) {
    fs::create_symlink(target, folder / "out/a.txt");
    check_refused(tree->write("a.txt", "new", false), ErrorCode::usage, "exists already");
    CHECK(fs::is_symlink(folder / "out/a.txt"));
    REQUIRE(tree->write("a.txt", "new", true).ok());
    CHECK_FALSE(fs::is_symlink(folder / "out/a.txt"));
    CHECK(text_of(folder / "precious.txt") == "precious");
    CHECK_FALSE(fs::exists(folder / "dangling"));
    fs::remove(folder / "out/a.txt");
  }
}

TEST_CASE("a link that got the inode of a removed file is a link like others") {
  const TempFolder folder;
  const auto tree = OutputTree::open(folder / "out").value();
  REQUIRE(tree->write("a.txt", "old", false).ok());
  fs::remove(folder / "out/a.txt");
  fs::create_symlink("elsewhere", folder / "out/a.txt");  // ext4 gives it the inode that is free
  check_refused(tree->write("a.txt", "new", false), ErrorCode::usage, "exists already");
  REQUIRE(tree->write("a.txt", "new", true).ok());
  CHECK(text_of(folder / "out/a.txt") == "new");
}

TEST_CASE("a file of another program that got the inode of a removed file is kept") {
  const TempFolder folder;
  const auto tree = OutputTree::open(folder / "out").value();
  REQUIRE(tree->write("a.txt", "old", false).ok());
  folder.write_anew("out/a.txt", "of another program");
  if (identity_of(folder / "out/a.txt").value().born_ns == 0) return;  // the system does not say
  check_refused(tree->write("a.txt", "new", false), ErrorCode::usage, "exists already");
  tree->remove("a.txt");
  CHECK(text_of(folder / "out/a.txt") == "of another program");
}

TEST_CASE("only files of this run are removed") {
  const TempFolder folder;
  folder.write("out/a/old", "old");
  const auto tree = OutputTree::open(folder / "out").value();
  REQUIRE(tree->write("a/new", "new", false).ok());
  REQUIRE(tree->write("top", "new", false).ok());
  for (const std::string name : {"a/new", "top", "a/old", "a/missing", "../out/a/old"})
    tree->remove(name);
  CHECK_FALSE(std::filesystem::exists(folder / "out/a/new"));
  CHECK_FALSE(std::filesystem::exists(folder / "out/top"));
  CHECK(std::filesystem::exists(folder / "out/a/old"));
  CHECK(tree->write("a/new", "again", false).ok());
  REQUIRE(tree->write("a/old", "newer", true).ok());
  tree->remove("a/old");  // it replaced a file
  CHECK(std::filesystem::exists(folder / "out/a/old"));
}

TEST_CASE("the folder that the user names may be a link") {
  const TempFolder folder;
  fs::create_directory(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "out");
  REQUIRE(OutputTree::open(folder / "out").value()->write("a.txt", "new", false).ok());
  CHECK(text_of(folder / "real/a.txt") == "new");
}

TEST_CASE("names that lead out are refused") {
  const TempFolder folder;
  const auto tree = OutputTree::open(folder / "out").value();
  for (const char* name : {"../a.txt", "b/../../a.txt", "/a.txt", "b//a.txt", "./a.txt"})
    check_refused(tree->write(name, "new", true), ErrorCode::internal, "leads out");
  CHECK_FALSE(fs::exists(folder / "a.txt"));
}

TEST_CASE("two names that the file system treats as one are an error") {
  for (const bool replace : {false, true}) {
    const TempFolder folder;
    const auto tree = OutputTree::open(folder / "out").value();
    REQUIRE(tree->write("a.txt", "first", replace).ok());
    fs::create_hard_link(folder / "out/a.txt",
                         folder / "out/A.txt");  // as a file system without cases would show it
    check_refused(tree->write("A.txt", "second", replace), ErrorCode::data,
                  "A.txt: the file of another sample has this name already");
    CHECK(text_of(folder / "out/a.txt") == "first");
  }
}

TEST_CASE("what is in the way is named, and no temporary file stays") {
  const TempFolder folder;
  folder.write("out/a", "a file");
  fs::create_directories(folder / "out/b.txt");
  const auto tree = OutputTree::open(folder / "out").value();
  check_refused(tree->write("a/c.txt", "new", true), ErrorCode::usage,
                "out/a: is a file where a folder is needed");
  check_refused(tree->write("b.txt", "new", true), ErrorCode::usage, "out/b.txt: is a folder");
  check_refused(tree->write(std::string(300, 'x') + ".txt", "new", true), ErrorCode::io,
                "File name too long");
  CHECK(entries_in(folder / "out") == std::vector<std::string>{"a", "b.txt"});
  CHECK(OutputTree::open(folder / "out/a").error().code == ErrorCode::io);
}

TEST_CASE("names with control characters and in any script are accepted") {
  const TempFolder folder;
  const auto tree = OutputTree::open(folder / "out").value();
  for (const char* name :
       {"a\nb.txt", "\x1b[31mred.txt", "straße.txt", "街.txt", "back\\slash.txt", "trailing. "}) {
    REQUIRE(tree->write(name, name, false).ok());
    CHECK(text_of(folder / (std::string("out/") + name)) == name);
  }
}
