#include "files/file_list.hpp"

#include <algorithm>

#include "files/scan.hpp"
#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

FileList scanned(const TempFolder& folder, const std::string& prefix = "") {
  ProblemLog problems;
  return scan_images({{folder.path(), prefix}}, problems).value();
}

Names keys_of(const FileList& list) {
  Names keys;
  for (const FoundFile& file : list.files) keys.emplace_back(list.key(file));
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

TEST_CASE("a regular expression captures the key from the path with extension") {
  const TempFolder folder;
  touch(folder, {"a/frame_001_rgb.png", "b/frame_002_rgb.png", "frame_003_depth.png"});
  FileList list = scanned(folder, "set/");
  ProblemLog problems;
  const PathPattern pattern =
      PathPattern::compile("frame_([0-9]+)_rgb\\.png$", "--pair-regex").value();
  REQUIRE(capture_keys(list, pattern, problems).ok());
  CHECK(keys_of(list) == Names{"", "set/001", "set/002"});
  drop_keyless(list);
  CHECK(keys_of(list) == Names{"set/001", "set/002"});
  CHECK(list.other_files == 0);
  for (const FoundFile& file : list.files) CHECK(std::filesystem::exists(list.path(file)));
}

TEST_CASE("a captured text must be a valid key") {
  const TempFolder folder;
  touch(folder, {"x/a.png", "b.png"});
  FileList list = scanned(folder);
  ProblemLog problems;
  const PathPattern pattern = PathPattern::compile("(/?[ab]?)\\.png", "--pair-regex").value();
  REQUIRE(capture_keys(list, pattern, problems).ok());
  CHECK(keys_of(list) == Names{"b"});
  CHECK(problems.group(ProblemKind::unusable_name).count == 1);
  CHECK_THAT(problems.text(),
             ContainsSubstring("the pattern captures '/a', which cannot be a key"));
}

TEST_CASE("a divided list of files keeps keys that are no beginning of the path") {
  const TempFolder folder;
  touch(folder, {"a/1_x.png", "b/2_x.png", "b/3_x.png"});
  FileList list = scanned(folder);
  ProblemLog problems;
  REQUIRE(capture_keys(list, PathPattern::compile("([0-9]+)_x", "--pair-regex").value(), problems)
              .ok());
  sort_by_key(list);
  const std::vector<FileList> parts = divide_files(list, {1, 0, kNoPart}, 2);
  CHECK(keys_of(parts[0]) == Names{"2"});
  CHECK(parts[0].path(parts[0].files[0]) == folder / "b/2_x.png");
  CHECK(keys_of(parts[1]) == Names{"1"});
}

TEST_CASE("JPEG files of one folder are separated from others") {
  const TempFolder folder;
  touch(folder, {"a.jpg", "a.png", "b.JPEG", "b.png"});
  FileList images = scanned(folder);
  FileList labels = images;
  keep_format(images, true);
  keep_format(labels, false);
  CHECK(keys_of(images) == Names{"a", "b"});
  CHECK(keys_of(labels) == Names{"a", "b"});
  CHECK(images.path(images.files[0]).ends_with("g"));
}
