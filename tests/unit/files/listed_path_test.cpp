#include "files/listed_path.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

TEST_CASE("relative paths start at --root or the list, absolute ones at /") {
  ListedPaths paths("lists/train.txt", "", "");
  CHECK(paths.roots()[0].folder == "lists");
  CHECK(paths.place("a/b.png").root == 0);
  CHECK(paths.place("/a/b.png").root == 1);
  CHECK(paths.place("/a/b.png").below == "a/b.png");
  CHECK(path_below(paths.roots()[1].folder, "a/b.png") == "/a/b.png");
  CHECK(ListedPaths("train.txt", "", "").roots()[0].folder == ".");
  CHECK(ListedPaths("/train.txt", "", "").roots()[0].folder == "/");
  CHECK(ListedPaths("lists/train.txt", "data//", "").roots()[0].folder == "data");
}

TEST_CASE("paths of files below the base folder become relative to it") {
  ListedPaths paths("/lists/a/train.txt", "", "/lists/a/b");
  CHECK(paths.relative("/lists/a/x/1.png") == "x/1.png");
  CHECK(paths.relative("../a/1.png") == "1.png");
  CHECK(paths.relative("/lists/a/../a/x/1.png") == "x/1.png");
  for (const std::string other :
       {"1.png", "/lists/ab/1.png", "/lists/a/b/1.png", "../b/1.png", "../../../../lists/1.png"}) {
    CAPTURE(other);
    CHECK(paths.relative(other) == other);
  }
}

TEST_CASE("the prefix is stripped from paths that have it, and must occur") {
  ListedPaths paths("train.txt", "data", "/SegNet/CamVid");
  CHECK(paths.check_prefix().ok());  // no path yet
  CHECK(paths.place("other/x.png").below == "other/x.png");
  CHECK_FALSE(paths.check_prefix().ok());
  CHECK_THAT(paths.check_prefix().error().message,
             ContainsSubstring("the first path is 'other/x.png'"));
  CHECK(paths.place("/SegNet/CamVid/train/x.png").below == "train/x.png");
  CHECK(paths.place("/SegNet/CamVid/train/x.png").root == 0);
  CHECK(paths.check_prefix().ok());
}

TEST_CASE("a path that names no file may have another form") {
  using Forms = std::vector<std::string>;
  CHECK(ListedPaths::other_forms("a/b.png").empty());
  CHECK(ListedPaths::other_forms("a\\b.png") == Forms{"a/b.png"});
  CHECK(ListedPaths::other_forms("/a b.png") == Forms{"a b.png"});
  CHECK(ListedPaths::other_forms("a%20b%e9%zz%2").front() == "a b\xE9%zz%2");
  CHECK(ListedPaths::other_forms("\\a%20b") == Forms{"/a%20b", "\\a b", "/a b", "a%20b", "a b"});
}
