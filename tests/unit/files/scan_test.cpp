#include "files/scan.hpp"

#include <algorithm>

#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

Names keys_of(const FileList& list) {
  Names keys;
  for (const FoundFile& file : list.files) keys.emplace_back(list.key(file));
  std::sort(keys.begin(), keys.end());
  return keys;
}

FileList scanned(const std::vector<Root>& roots, std::string_view suffix = "") {
  ProblemLog problems;
  FileList list = scan_images(roots, problems).value();
  strip_suffix(list, suffix);
  CHECK(problems.text() == "");
  return list;
}

FileList scanned(const TempFolder& folder, std::string_view suffix = "") {
  return scanned({{folder.path(), ""}}, suffix);
}

}  // namespace

TEST_CASE("images are found in all folders by extension in any case") {
  const TempFolder folder;
  touch(folder, {"a.png", "b.PNG", "c.jpg", "d.JPeG", "deep/er/e.jpeg", "deep/f.Jpg"});
  CHECK(keys_of(scanned(folder)) == Names{"a", "b", "c", "d", "deep/er/e", "deep/f"});
}

TEST_CASE("a file knows its path and size") {
  const TempFolder folder;
  folder.write("deep/e.jpeg", "twelve bytes");
  const FileList list = scanned({{folder.path(), "some/prefix/"}});
  REQUIRE(list.files.size() == 1);
  CHECK(list.path(list.files[0]) == folder / "deep/e.jpeg");
  CHECK(list.files[0].bytes == 12);
}

TEST_CASE("the key is the path without its last extension") {
  const TempFolder folder;
  const std::string long_name(240, 'n');
  touch(folder,
        {"a.b.c.png", "-dash.png", "with space.png", "quo'te\".png", "ünï/çödé.jpg", "x.png.jpg",
         "$(echo).png", long_name + ".png", "tab\tand\nline.png", "city.v1/0001.png"});
  Names expected{"a.b.c", "-dash",   "with space", "quo'te\"",       "ünï/çödé",
                 "x.png", "$(echo)", long_name,    "tab\tand\nline", "city.v1/0001"};
  std::sort(expected.begin(), expected.end());
  CHECK(keys_of(scanned(folder)) == expected);
}

TEST_CASE("a suffix is stripped only at the end of the stem") {
  const TempFolder folder;
  touch(folder, {"a_L.png", "b_L_L.png", "c_L_x.png", "d_L/e_L.png", "f.png", "_L.png", "g_l.png",
                 "h_L.JPG"});
  const FileList list = scanned(folder, "_L");
  CHECK(keys_of(list) == Names{"a", "b_L", "d_L/e", "h"});
  CHECK(list.other_files == 4);  // c_L_x, f, g_l, and one that would have no name left
}

TEST_CASE("a suffix may hold dots") {
  const TempFolder folder;
  touch(folder, {"im0001.ah.png", "im0001.vk.png"});
  CHECK(keys_of(scanned(folder, ".ah")) == Names{"im0001"});
}

TEST_CASE("files that tools leave behind are ignored") {
  const TempFolder folder;
  touch(folder, {"a.png", ".a.png", "._a.png", ".DS_Store", "Thumbs.db", "desktop.ini",
                 "__MACOSX/a.png", ".git/b.png", ".ipynb_checkpoints/c.png", "deep/__MACOSX/d.png",
                 "@eaDir/e.png", "ehthumbs.db"});
  const FileList list = scanned(folder);
  CHECK(keys_of(list) == Names{"a"});
  CHECK(list.other_files == 0);
}

TEST_CASE("files of other kinds are counted") {
  const TempFolder folder;
  touch(folder, {"a.png", "README.md", "list.txt", "png", "no_extension", "a.png.part"});
  const FileList list = scanned(folder);
  CHECK(keys_of(list) == Names{"a"});
  CHECK(list.other_files == 5);
}

TEST_CASE("unsupported image and data formats are named") {
  const TempFolder folder;
  touch(folder, {"a.png", "b.BMP", "c/d.tif", "e.webp", "f.mat", "g.nii.gz"});
  ProblemLog problems;
  const FileList list = scan_images({{folder.path(), ""}}, problems).value();
  CHECK(keys_of(list) == Names{"a"});
  CHECK(problems.group(ProblemKind::unsupported_file).count == 5);
  const std::string text = problems.text();
  CHECK_THAT(text, ContainsSubstring(folder / "b.BMP: BMP is not supported; convert it to PNG"));
  CHECK_THAT(text, ContainsSubstring(folder / "c/d.tif: TIFF is not supported; convert it to PNG"));
  CHECK_THAT(text, ContainsSubstring(folder / "e.webp: WebP is not supported; convert it to PNG"));
  CHECK_THAT(text,
             ContainsSubstring(folder / "f.mat: MATLAB is not supported; save its arrays as PNG"));
  CHECK_THAT(text, ContainsSubstring(
                       folder / "g.nii.gz: NIfTI is not supported; convert its slices to PNG"));
}

TEST_CASE("possible polygon files are counted, the first with its name") {
  const TempFolder folder;
  touch(folder, {"a.png", "z.json", "instances.json", "boxes.xml"});
  const FileList list = scanned(folder);
  CHECK(list.other_files == 3);
  CHECK(list.annotation == folder / "boxes.xml");
}

TEST_CASE("a name that is not UTF-8 cannot be a key") {
  const TempFolder folder;
  touch(folder, {"a.png", "b\xFF.png", "bad\xC3/c.png", "over\xC0\xAFlong.png"});
  ProblemLog problems;
  const FileList list = scan_images({{folder.path(), ""}}, problems).value();
  CHECK(keys_of(list) == Names{"a"});
  CHECK(problems.group(ProblemKind::unusable_name).count == 3);
}

TEST_CASE("several roots are read, each with its prefix") {
  const TempFolder folder;
  touch(folder, {"one/a.png", "two/a.png", "two/b.png"});
  const FileList list = scanned({{folder / "one", "east/"}, {folder / "two", "west/"}});
  CHECK(keys_of(list) == Names{"east/a", "west/a", "west/b"});
  for (const FoundFile& file : list.files) CHECK(std::filesystem::exists(list.path(file)));
}

TEST_CASE("symbolic links are followed, and loops end") {
  const TempFolder folder;
  touch(folder, {"real/a.png", "tree/b.png", "tree/deep/c.png"});
  std::filesystem::create_directory_symlink(folder / "real", folder / "tree/linked");
  std::filesystem::create_symlink(folder / "real/a.png", folder / "tree/d.png");
  std::filesystem::create_directory_symlink("..", folder / "tree/deep/up");
  std::filesystem::create_directory_symlink(folder / "tree", folder / "tree/deep/top");
  std::filesystem::create_directory_symlink(".", folder / "tree/self");
  std::filesystem::create_directory_symlink(folder / "tree", folder / "root");
  const Names expected{"b", "d", "deep/c", "linked/a"};
  CHECK(keys_of(scanned({{folder / "tree", ""}})) == expected);
  CHECK(keys_of(scanned({{folder / "root", ""}})) == expected);
}

TEST_CASE("a folder that two links lead to is read by both names") {
  const TempFolder folder;
  touch(folder, {"real/a.png"});
  std::filesystem::create_directories(folder / "tree");
  std::filesystem::create_directory_symlink(folder / "real", folder / "tree/x");
  std::filesystem::create_directory_symlink(folder / "real", folder / "tree/y");
  CHECK(keys_of(scanned({{folder / "tree", ""}})) == Names{"x/a", "y/a"});
}

TEST_CASE("an unreadable folder is an I/O error with its path") {
  const TempFolder folder;
  folder.write("file", "x");
  std::filesystem::create_directories(folder / "tree");
  std::filesystem::create_symlink(folder / "gone.png", folder / "tree/dangling.png");
  ProblemLog problems;
  for (const std::string name : {"missing", "file"}) {
    const auto list = scan_images({{folder / name, ""}}, problems);
    REQUIRE_FALSE(list.ok());
    CHECK(list.error().code == ErrorCode::io);
    CHECK_THAT(list.error().path, ContainsSubstring(name));
  }
  CHECK(problems.count() == 0);
  REQUIRE(scan_images({{folder / "tree", ""}}, problems).ok());
  const ProblemLog::Group& group = problems.group(ProblemKind::unopenable_file);
  REQUIRE(group.count == 1);
  CHECK(group.examples[0].path == folder / "tree/dangling.png");
  CHECK_THAT(group.examples[0].detail, ContainsSubstring("which does not exist"));
}

TEST_CASE("class folders are named in byte order, empty ones too") {
  const TempFolder folder;
  touch(folder,
        {"b/1.png", "10/1.png", "2/1.png", "B/deep/1.png", ".hidden/1.png", "__MACOSX/1.png"});
  std::filesystem::create_directory(folder / "empty");
  ProblemLog problems;
  const FileList list = scan_class_folders({{folder.path(), ""}}, problems).value();
  CHECK(problems.text() == "");
  CHECK(list.class_folders == Names{"10", "2", "B", "b", "empty"});
  CHECK(keys_of(list) == Names{"10/1", "2/1", "B/deep/1", "b/1"});
}

TEST_CASE("class folders of several roots are one list") {
  const TempFolder folder;
  touch(folder, {"one/cat/1.png", "two/cat/1.png", "two/ant/1.png"});
  ProblemLog problems;
  const FileList list =
      scan_class_folders({{folder / "one", "one/"}, {folder / "two", "two/"}}, problems).value();
  CHECK(list.class_folders == Names{"ant", "cat"});
  CHECK(keys_of(list) == Names{"one/cat/1", "two/ant/1", "two/cat/1"});
}

TEST_CASE("an image next to the class folders has no class") {
  const TempFolder folder;
  touch(folder, {"cat/1.png", "stray.png", "README.md"});
  ProblemLog problems;
  const FileList list = scan_class_folders({{folder.path(), ""}}, problems).value();
  CHECK(keys_of(list) == Names{"cat/1"});
  CHECK(problems.group(ProblemKind::no_class_folder).count == 1);
  CHECK(problems.count() == 1);
  CHECK_THAT(problems.text(), ContainsSubstring("stray.png: the file is in no class folder"));
}
