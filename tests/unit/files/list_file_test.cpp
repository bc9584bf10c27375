#include "files/list_file.hpp"

#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

PackOptions listed_options(const TempFolder& folder, std::string_view list) {
  folder.write("list.txt", list);
  PackOptions options = folder_options(folder);
  options.input.list = folder / "list.txt";
  return options;
}

Names listed(const TempFolder& folder, std::string_view list) {
  return discovered_clean(listed_options(folder, list)).keys();
}

}  // namespace

TEST_CASE("a list of stems selects samples, and unlisted photos are not orphans") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "images/2.jpg", "images/3.jpg", "images/sub/4.jpg", "labels/1.png",
                 "labels/3.png", "labels/sub/4.png", "labels/9.png"});
  const DiscoveredInput input =
      discovered_clean(listed_options(folder,
                                      "\xEF\xBB\xBF"
                                      "1\r\n\r\n  3  \n# no\nsub/4\n3\n"));
  CHECK(input.keys() == Names{"1", "3", "sub/4"});
  CHECK_THAT(input.discovery.layout, ContainsSubstring("list.txt: names 3 of 4 images"));
}

TEST_CASE("entries may be keys, paths below a folder or the last parts of keys") {
  const TempFolder folder;
  touch(folder, {"images/a.b.jpg", "images/city/x_1.jpg", "images/with space.jpg", "images/2.jpg",
                 "images/3.jpg", "labels/a.b.png", "labels/city/x_1.png", "labels/with space.png",
                 "labels/2.png", "labels/3.png"});
  CHECK(listed(folder, "a.b\n") == Names{"a.b"});
  CHECK(listed(folder, "a.b.jpg\n") == Names{"a.b"});
  CHECK(listed(folder, "x_1\nwith space.jpg\n") == Names{"city/x_1", "with space"});
  CHECK(listed(folder, "images/2.jpg\n./images/city/x_1.jpg\n") == Names{"2", "city/x_1"});
  CHECK(listed(folder, folder / "images/3.jpg" + "\n") == Names{"3"});
  PackOptions options = listed_options(folder, "/SegNet/images/2.jpg /SegNet/labels/2.png\n");
  options.input.strip_prefix = "/SegNet/";
  CHECK(discovered_clean(options).keys() == Names{"2"});
}

TEST_CASE("a line that names a folder of keys lists all images below it") {
  const TempFolder folder;
  touch(folder, {"images/bear/0.jpg", "images/bear/1.jpg", "images/bears/0.jpg", "images/dog.jpg",
                 "images/dog/0.jpg", "labels/bear/0.png", "labels/bear/1.png", "labels/bears/0.png",
                 "labels/dog.png", "labels/dog/0.png"});
  CHECK(listed(folder, "bear\n") == Names{"bear/0", "bear/1"});
  CHECK(listed(folder, "bears/\ndog.jpg\n") == Names{"bears/0", "dog"});
  CHECK(listed(folder, "dog/\n") == Names{"dog/0"});
  CHECK_THAT(discovered_clean(listed_options(folder, "bear\nbears\n")).discovery.layout,
             ContainsSubstring("names 3 of 5 images, by 2 folders\n"));
  const DiscoveredInput input = discovered(listed_options(folder, "bear\nbea\n"));
  CHECK_THAT(input.problems.text(), ContainsSubstring("line 2: no image is named 'bea'"));
  CHECK(refused(listed_options(folder, "dog\n")).message ==
        "none of its 1 lines selects an image: line 1: 'dog' may be the image 'dog' or the folder "
        "'dog/'; write the extension of the image, or '/' behind the folder");
}

TEST_CASE("a folder of keys goes before an image in it with the same name") {
  const TempFolder folder;
  for (const std::string key : {"0/0", "0/1", "1/0", "3/2", "3/3"})
    touch(folder, {"images/" + key + ".jpg", "labels/" + key + ".png"});
  CHECK(listed(folder, "3\n") == Names{"3/2", "3/3"});
  CHECK(listed(folder, "0\n") == Names{"0/0", "0/1"});
  CHECK(listed(folder, "3.jpg\n") == Names{"3/3"});
  CHECK_THAT(refused(listed_options(folder, "3 1\n")).message,
             ContainsSubstring("'3 1' may be the image '3/3' or the folder '3/'"));
}

TEST_CASE("a path may begin above the input folder, with or without a slash") {
  const TempFolder folder;
  touch(folder, {"set/JPEG/480p/a/0.jpg", "set/JPEG/480p/b/0.jpg", "set/Ann/480p/a/0.png",
                 "set/Ann/480p/b/0.png"});
  folder.write("list.txt", "/JPEG/480p/a/0.jpg /Ann/480p/a/0.png \r\n");
  PackOptions options;
  options.input.images = {folder / "set/JPEG/480p"};
  options.input.labels = {folder / "set/Ann/480p"};
  options.input.list = folder / "list.txt";
  CHECK(discovered_clean(options).keys() == Names{"a/0"});
  for (const std::string line : {"480p/b/0.jpg", "JPEG\\480p\\b\\0.jpg", "b\\0", "/b/0.jpg"}) {
    CAPTURE(line);
    folder.write("list.txt", line + "\n");
    CHECK(discovered_clean(options).keys() == Names{"b/0"});
  }
  folder.write("list.txt", "/JPEG/480p/a/0.jpg /Ann/480p/b/0.png\n/JPEG/480p/b/0.jpg\n");
  CHECK_THAT(discovered(options).problems.text(), ContainsSubstring("stands next to the label"));
  folder.write("list.txt", "G/480p/b/0.jpg\n");  // no whole part of the path
  CHECK_THAT(refused(options).message, ContainsSubstring("none of its 1 lines names an image"));
}

TEST_CASE("text after the name on a line is ignored") {
  const TempFolder folder;
  touch(folder, {"images/Abyssinian_1.jpg", "images/beagle_2.jpg", "images/1.jpg",
                 "labels/Abyssinian_1.png", "labels/beagle_2.png", "labels/1.png"});
  CHECK(listed(folder, "#Image CLASS-ID SPECIES BREED ID\nAbyssinian_1 1 1 1\n") ==
        Names{"Abyssinian_1"});
  CHECK(listed(folder, "beagle_2\tx\n1,y\n") == Names{"1", "beagle_2"});
  const DiscoveredInput voc =
      discovered_clean(listed_options(folder, "Abyssinian_1  1\nbeagle_2 -1\n1  0\n"));
  CHECK(voc.keys() == Names{"1", "Abyssinian_1"});
  CHECK_THAT(voc.discovery.layout, ContainsSubstring("1 lines marked -1 that are left out"));
}

TEST_CASE("an entry without an image is a problem with its line") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "images/a/2.jpg", "images/b/2.jpg", "labels/1.png",
                 "labels/a/2.png", "labels/b/2.png"});
  PackOptions options = listed_options(folder, "1\n\nnot there\n2\n");
  const DiscoveredInput input = discovered(options);
  CHECK(input.problems.group(ProblemKind::missing_file).count == 2);
  CHECK_THAT(input.problems.text(),
             ContainsSubstring("list.txt: line 3: no image is named 'not there'"));
  CHECK_THAT(input.problems.text(),
             ContainsSubstring("line 4: '2' may be 'a/2' or 'b/2'; write the whole key"));
  options.input.skip_orphans = true;
  const DiscoveredInput skipped = discovered_clean(options);
  CHECK(skipped.keys() == Names{"1"});
  CHECK(skipped.discovery.orphans_left_out == 2);
}

TEST_CASE("a listed image without a label is an orphan") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "images/2.jpg", "labels/1.png"});
  CHECK(discovered(listed_options(folder, "1\n2\n"))
            .problems.group(ProblemKind::orphan_image)
            .count == 1);
}

TEST_CASE("a list that matches nothing is an error with an entry and a key") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "labels/1.png"});
  const Error error = refused(listed_options(folder, "/SegNet/x.png\n/SegNet/y.png\n"));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.describe(),
             ContainsSubstring("list.txt: none of its 2 lines names an image: "
                               "the first line is '/SegNet/x.png', and a key is '1'"));
  CHECK_THAT(refused(listed_options(folder, "# nothing\n")).message, ContainsSubstring("is empty"));
  CHECK_THAT(refused(listed_options(folder, "1 -1\n")).message, ContainsSubstring("marked -1"));
}

TEST_CASE("unlisted files of other formats do not matter") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "images/x.mat", "labels/1.png"});
  CHECK(listed(folder, "1\n") == Names{"1"});
}

TEST_CASE("a list also selects from unlabeled images and class folders") {
  const TempFolder folder;
  touch(folder, {"images/cat/1.jpg", "images/cat/2.jpg", "images/dog/3.jpg"});
  folder.write("list.txt", "cat/1\ndog/3\n");
  PackOptions options;
  options.input.images = {folder / "images"};
  options.input.list = folder / "list.txt";
  CHECK(discovered_clean(options).keys() == Names{"cat/1", "dog/3"});
  options.input.image_folders = std::exchange(options.input.images, {});
  CHECK(discovered_clean(options).classes() == Names{"cat/1: cat", "dog/3: dog"});
}

TEST_CASE("a missing name with a blank does not match a shorter name") {
  const TempFolder folder;
  for (const std::string name :
       {"image", "image (1)", "image (2)", "frame", "frame 1", "a", "a -1"})
    touch(folder, {"images/" + name + ".png", "labels/" + name + ".png"});
  const DiscoveredInput input =
      discovered(listed_options(folder, "image\nimage (1)\nimage (3)\nframe 2\n"));
  CHECK(input.keys() == Names{"image", "image (1)"});
  CHECK(input.problems.group(ProblemKind::missing_file).count == 2);
  CHECK_THAT(input.problems.text(), ContainsSubstring("line 3: no image is named 'image (3)'"));
  CHECK(listed(folder, "a -1\n") == Names{"a -1"});
}

TEST_CASE("a key may begin with '#', and other such lines are comments") {
  const TempFolder folder;
  touch(folder, {"images/#1.png", "labels/#1.png", "images/2.png", "labels/2.png"});
  CHECK(listed(folder, "# a comment\n#\n#1\n2\n") == Names{"#1", "2"});
  CHECK(discovered(listed_options(folder, "#3\n2\n"))
            .problems.group(ProblemKind::missing_file)
            .count == 1);
}

TEST_CASE("a list that pairs differently from the keys is a problem") {
  const TempFolder folder;
  touch(folder, {"images/0.png", "images/2.png", "labels/0.png", "labels/2.png"});
  const DiscoveredInput input =
      discovered(listed_options(folder, "images/0.png labels/2.png\nimages/2.png labels/2.png\n"));
  CHECK(input.keys() == Names{"2"});
  CHECK_THAT(
      input.problems.text(),
      ContainsSubstring(
          "line 1: the image '0' stands next to the label 'labels/2.png', whose key is '2'"));
  CHECK_THAT(input.problems.text(),
             ContainsSubstring("give it with --pairs instead of --images and --labels"));
  for (const std::string row : {"0.png,labels/2.png,3", "0,labels/2", "0\t7\tlabels/2.png 1"}) {
    CAPTURE(row);
    CHECK_THAT(refused(listed_options(folder, row + "\n")).message,
               ContainsSubstring("none of its 1 lines selects an image: line 1: the image '0' "
                                 "stands next to the label 'labels/2"));
  }
  CHECK(listed(folder, "0.png,labels/0.png,3\n2.png,x/9.png,labels/2.png\n") == Names{"0", "2"});
}
