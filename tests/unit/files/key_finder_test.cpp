#include "files/key_finder.hpp"

#include "files/scan.hpp"
#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

FileList sorted_list(const TempFolder& folder) {
  ProblemLog problems;
  FileList list = scan_images({{folder / "a", "one/"}, {folder / "b", ""}}, problems).value();
  strip_suffix(list, "_img");
  sort_by_key(list);
  return list;
}

Names keys_of(const FileList& list, const std::vector<std::uint32_t>& found) {
  Names keys;
  for (const std::uint32_t file : found) keys.emplace_back(list.key(list.files[file]));
  return keys;
}

}  // namespace

TEST_CASE("a word is a key before it is a path, and a path before it is a name") {
  const TempFolder folder;
  touch(folder, {"a/x/1_img.png", "a/2_img.png", "b/x/1_img.png", "b/3.v2_img.jpg"});
  const FileList list = sorted_list(folder);
  KeyFinder finder(list);
  CHECK(keys_of(list, finder.find("one/x/1")) == Names{"one/x/1"});
  CHECK(keys_of(list, finder.find("x/1")) == Names{"x/1"});
  CHECK(keys_of(list, finder.find("x/1_img.png")).size() == 2);  // the path below both folders
  CHECK(keys_of(list, finder.find("1")).size() == 2);            // the last part of both keys
  CHECK(keys_of(list, finder.find("2")) == Names{"one/2"});
  CHECK(keys_of(list, finder.find("3.v2")) == Names{"3.v2"});
  CHECK(finder.find("x/9").empty());
  CHECK(finder.find("").empty());
}

TEST_CASE("a path of the file system finds the file of the folder that it is in") {
  const TempFolder folder;
  touch(folder, {"a/x/1_img.png", "b/x/1_img.png"});
  const FileList list = sorted_list(folder);
  KeyFinder finder(list);
  CHECK(keys_of(list, finder.find("?", folder / "a/../b/x/1_img.png")) == Names{"x/1"});
  CHECK(keys_of(list, finder.find("?", folder / "a/x/1_img")) == Names{"one/x/1"});
  CHECK(finder.find("?", folder / "c/x/1_img.png").empty());
}
