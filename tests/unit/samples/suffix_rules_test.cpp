#include "samples/suffix_rules.hpp"

#include "files/scan.hpp"
#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

// `count` images and labels with these names around a number.
void touch_pairs(const TempFolder& folder, int count, const std::string& image_end,
                 const Names& label_ends, int labels = -1) {
  for (int i = 0; i < count; ++i) {
    folder.write("images/" + std::to_string(i) + image_end, "x");
    if (labels >= 0 && i >= labels) continue;
    for (const std::string& end : label_ends)
      folder.write("labels/" + std::to_string(i) + end, "x");
  }
}

// A line to paste.
std::string command(const TempFolder& folder, const std::string& options) {
  return "hotpack pack --images " + folder / "images" + " --labels " + folder / "labels" +
         (options.empty() ? "" : " ") + options + " -o OUT";
}

}  // namespace

TEST_CASE("known suffixes are found on both sides and reported") {
  struct Case {
    std::string image, label, told;
  };
  for (const Case& names :
       {Case{"_leftImg8bit.png", "_gtFine_labelIds.png",
             "images end with '_leftImg8bit', labels with '_gtFine_labelIds'"},
        Case{".png", "_L.png", "labels end with '_L'"},
        Case{".jpg", "_mask.png", "labels end with '_mask'"},
        Case{"_img.jpg", "_gt.png", "images end with '_img', labels with '_gt'"},
        Case{"_sat.jpg", "_mask.png", "images end with '_sat', labels with '_mask'"},
        Case{".ppm.png", ".ppm.ah.png", "labels end with '.ah'"},
        Case{".jpg", "_1stHO.png", "labels end with '_1stHO'"},
        Case{"_training.png", "_manual1.png",
             "images end with '_training', labels with '_manual1'"},
        Case{".png", "_instance_color_RGB.png", "labels end with '_instance_color_RGB'"},
        Case{"_rgb_anon.png", "_gt_labelTrainIds.png",
             "images end with '_rgb_anon', labels with '_gt_labelTrainIds'"},
        Case{".jpg", "_labelTrainIds.png", "labels end with '_labelTrainIds'"},
        Case{".jpg", "_segmentation.png", "labels end with '_segmentation'"}}) {
    const TempFolder folder;
    touch_pairs(folder, 3, names.image, {names.label});
    const DiscoveredInput input = discovered_clean(folder_options(folder));
    CHECK(input.list().samples.size() == 3);
    CHECK(input.discovery.layout == names.told + ": 3 of 3 images have a label\n");
  }
}

TEST_CASE("names that --fold makes equal are counted as pairs") {
  const TempFolder folder;
  touch(folder, {"images/frame_00.jpg", "images/frame_01.jpg", "images/frame_02.jpg",
                 "labels/Frame_0.png", "labels/Frame_1.png", "labels/Frame_2.png"});
  PackOptions options;
  options.input.root = folder.path();
  CHECK_THAT(refused(options).message,
             ContainsSubstring("differs in case and leading zeros only: add --fold case,numbers"));
  options.input.fold = {true, false, true};
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.keys() == Names{"frame_00", "frame_01", "frame_02"});
  CHECK_THAT(input.discovery.layout, ContainsSubstring("3 of 3 images have a label"));
}

TEST_CASE("equal names come first and are not reported") {
  const TempFolder folder;
  touch_pairs(folder, 20, "_mask.jpg", {"_mask.png"});
  folder.write("labels/0_mask_mask.png", "x");
  const DiscoveredInput input = discovered(folder_options(folder));
  CHECK(input.keys().front() == "0_mask");
  CHECK(input.list().samples.size() == 20);
  CHECK(input.discovery.layout.empty());
}

TEST_CASE("a rule for 95 % of the images applies, a rarer one is suggested") {
  const TempFolder enough;
  touch_pairs(enough, 20, ".jpg", {"_L.png"}, 19);
  const DiscoveredInput input = discovered(folder_options(enough));
  CHECK(input.list().samples.size() == 19);
  CHECK(input.problems.group(ProblemKind::orphan_image).count == 1);

  const TempFolder too_few;
  touch_pairs(too_few, 20, ".jpg", {"_L.png"}, 9);
  const Error error = refused(folder_options(too_few));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.message, ContainsSubstring("no image and label share a key, the path without "
                                              "extension and suffix (20 images, such as '" +
                                              too_few / "images/0.jpg'"));
  CHECK_THAT(
      error.message,
      ContainsSubstring("labels end with '_L': 9 of 20 images have a label (--label-suffix _L)"));
}

TEST_CASE("an unknown ending that all labels add to names is found") {
  const TempFolder folder;
  touch_pairs(folder, 20, ".JPG", {"_strange.png"});
  CHECK(discovered_clean(folder_options(folder)).discovery.layout ==
        "labels end with '_strange': 20 of 20 images have a label\n");
  touch(folder, {"labels/3_wheel.png"});
  const DiscoveredInput input = discovered(folder_options(folder));
  CHECK(input.list().samples.size() == 20);
  CHECK_THAT(
      input.problems.text(),
      ContainsSubstring("3_wheel.png: its name lacks the suffix '_strange' that the others have"));
}

TEST_CASE("a suffix for fewer than 95 % of the images is a question") {
  for (const std::string end : {"_annot", "_strange"}) {
    const TempFolder folder;
    touch_pairs(folder, 14, ".JPG", {end + ".png"}, 12);
    touch(folder, {"labels/13b.png"});
    PackOptions options = folder_options(folder);
    const std::string suggested =
        "labels end with '" + end + "': 12 of 14 images have a label (--label-suffix " + end + ")";
    CHECK_THAT(refused(options).message,
               ContainsSubstring(suggested) && !ContainsSubstring("--orphans skip"));
    CHECK_THAT(refused(root_options(folder.path())).message, ContainsSubstring(suggested));

    // And these options pair them.
    options.input.label_suffix = end;
    options.input.skip_orphans = true;
    CHECK(discovered_clean(options).list().samples.size() == 12);
  }
}

TEST_CASE("a few equal names do not outweigh a suffix of many labels") {
  const TempFolder folder;
  touch_pairs(folder, 20, ".jpg", {"_mask.png"}, 15);
  touch(folder, {"labels/18.png", "labels/19.png"});
  PackOptions options = folder_options(folder);
  for (const bool skip : {false, true}) {
    options.input.skip_orphans = skip;
    const Error error = refused(options);
    CHECK_THAT(
        error.message,
        ContainsSubstring("labels have the names of their images: 2 of 20 images have a label"));
    CHECK_THAT(error.message, ContainsSubstring("(--label-suffix _mask)"));
  }
  options.input.image_regex = options.input.label_regex = "^(.+)\\.[^.]+$";
  CHECK(discovered_clean(options).keys() == Names{"18", "19"});
}

TEST_CASE("two suffixes for half of the images each remain a question") {
  for (const Names& ends : {Names{"_mask.png", "_seg.png"}, Names{"_door.png", "_wheel.png"},
                            Names{"_mask.png", "_door.png"}}) {
    const TempFolder folder;
    touch_pairs(folder, 14, ".jpg", ends, 12);
    const std::string message = refused(folder_options(folder)).message;
    for (const std::string& end : ends)
      CHECK_THAT(message, ContainsSubstring("--label-suffix " + end.substr(0, end.find('.'))));
  }
  const TempFolder rarer;
  touch_pairs(rarer, 14, ".jpg", {"_door.png"});
  touch(rarer, {"labels/3_wheel.png"});
  CHECK_THAT(refused(folder_options(rarer)).message,
             ContainsSubstring(command(rarer, "--label-suffix _door")));
}

TEST_CASE("a suffix that looks like an option is written with an equals sign") {
  const TempFolder folder;
  touch_pairs(folder, 10, ".jpg", {"-mask.png"}, 5);
  CHECK_THAT(refused(folder_options(folder)).message, ContainsSubstring("(--label-suffix=-mask)"));
}

TEST_CASE("numbers with a common start are not suffixes") {
  const TempFolder folder;
  for (int i = 1; i < 9; ++i)
    touch(folder,
          {"images/" + std::to_string(i) + ".jpg", "labels/" + std::to_string(i) + "1.png"});
  CHECK_THAT(refused(folder_options(folder)).message,
             ContainsSubstring("no image and label share a key"));
}

TEST_CASE("a suffix that no name has is refused with one that fits") {
  const TempFolder folder;
  touch_pairs(folder, 14, ".jpg", {"_annot.png"}, 12);
  PackOptions options = folder_options(folder);
  const std::string fitting =
      "labels end with '_annot': 12 of 14 images have a label (--label-suffix "
      "_annot)";
  options.input.label_suffix = "_mask";
  CHECK_THAT(refused(options).message,
             ContainsSubstring("no image and label share a key") && ContainsSubstring(fitting));
  options.input.image_suffix = "_img";
  CHECK_THAT(refused(options).message, ContainsSubstring(fitting));
  const TempFolder equal;
  touch_pairs(equal, 4, ".jpg", {".png"});
  options = folder_options(equal);
  options.input.label_suffix = "_mask";
  CHECK_THAT(
      refused(options).message,
      ContainsSubstring("labels have the names of their images: 4 of 4 images have a label:\n  " +
                        command(equal, "")));
  const TempFolder strange;
  touch(strange, {"images/a.jpg", "labels/b.png"});
  options = folder_options(strange);
  options.input.label_suffix = "_mask";
  CHECK_THAT(
      refused(options).message,
      ContainsSubstring("below '" +
                        strange / "labels' whose name has the given suffix (1 image lacks it)"));
}

TEST_CASE("several masks per image are not mistaken for a suffix") {
  const TempFolder folder;
  touch_pairs(folder, 2, ".jpg", {"_door.png", "_wheel.png"});
  const std::string message = refused(folder_options(folder)).message;
  CHECK_THAT(message, ContainsSubstring("--label-suffix _door -o OUT") &&
                          ContainsSubstring("--label-suffix _wheel -o OUT"));
  CHECK_THAT(message, ContainsSubstring("each image has one mask per class:\n  " +
                                        command(folder, "--mask-per-class '{key}_{class}'")));
}

TEST_CASE("numbered masks are not proposed as classes") {
  const TempFolder folder;
  touch_pairs(folder, 2, ".jpg", {"_tumor_1.png", "_tumor_2.png"});
  const std::string message = refused(folder_options(folder)).message;
  CHECK_THAT(message, ContainsSubstring("--label-suffix _tumor_1 -o OUT") &&
                          !ContainsSubstring("--mask-per-class"));
}

TEST_CASE("the end of a label's name is a word and perhaps a number") {
  CHECK(label_ending("a/1_mask") == "_mask");
  CHECK(label_ending("a/1 GT") == " GT");
  CHECK(label_ending("a/1_mask_2") == "_mask_2");
  CHECK(label_ending("a/1_2") == "");
  CHECK(label_ending("mask") == "");
  CHECK(label_ending("a/1_photo") == "");
}

TEST_CASE("an image whose name is the given suffix has no key") {
  const TempFolder folder;
  touch(folder, {"images/p1/T2.png", "images/p2/T2.png"});
  PackOptions options;
  options.input.images = {folder / "images"};
  options.input.image_suffix = "T2";
  CHECK_THAT(refused(options).message,
             ContainsSubstring("the name of '" + folder / "images/p1/T2.png' is the suffix") &&
                 ContainsSubstring("--images '" + folder / "images/{key}/T2.png'"));
}

TEST_CASE("with a list, unlisted images do not count against a rule") {
  const TempFolder folder;
  touch_pairs(folder, 20, "_img.jpg", {"_gt.png"}, 3);
  folder.write("list.txt", "0\n2\n");
  PackOptions options = folder_options(folder);
  options.input.list = folder / "list.txt";
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.keys() == Names{"0", "2"});
  CHECK_THAT(input.discovery.layout,
             ContainsSubstring(
                 "images end with '_img', labels with '_gt': 3 of 3 labels have an image\n"));
}

TEST_CASE("of the four Cityscapes label files the ids are used") {
  const TempFolder folder;
  touch_pairs(folder, 3, "_leftImg8bit.png",
              {"_gtFine_labelTrainIds.png", "_gtFine_color.png", "_gtFine_instanceIds.png",
               "_gtFine_labelIds.png"});
  const DiscoveredInput input = discovered_clean(folder_options(folder));
  CHECK(input.pairs(folder).front() == "0: images/0_leftImg8bit.png labels/0_gtFine_labelIds.png");
  CHECK(input.discovery.other_files == 9);
}

TEST_CASE("several kinds of label that fit are an error with a question") {
  const TempFolder folder;
  touch_pairs(folder, 3, ".jpg", {"_mask.png", "_seg.png"});
  const Error error = refused(folder_options(folder));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.message, ContainsSubstring("labels of several kinds fit the images"));
  for (const std::string suffix : {"_mask", "_seg"})
    CHECK_THAT(error.message,
               ContainsSubstring("'" + suffix + "': 3 of 3 images have a label:\n  " +
                                 command(folder, "--label-suffix " + suffix)));
  PackOptions options = folder_options(folder);
  options.input.label_suffix = "_seg";
  CHECK(discovered_clean(options).pairs(folder).front() == "0: images/0.jpg labels/0_seg.png");
}

TEST_CASE("a known and an unknown suffix that fit the images are a question") {
  struct Case {
    std::string image, known, unknown, options;
  };
  for (const Case& names : {Case{"", "_seg", "_pred", ""}, Case{"", "_gt", "_pred", ""},
                            Case{"", "_gt", "_gt2", ""}, Case{"", "_mask", "_mask_pred", ""},
                            Case{"_img", "_gt", "_pred", "--image-suffix _img "}}) {
    const TempFolder folder;
    touch_pairs(folder, 20, names.image + ".jpg", {names.known + ".png", names.unknown + ".png"});
    std::filesystem::remove(folder / "labels/7" + names.unknown + ".png");
    const std::string message = refused(folder_options(folder)).message;
    CHECK_THAT(message, ContainsSubstring("labels of several kinds fit the images"));
    const std::string both = names.options + "--label-suffix ";
    CHECK_THAT(message, ContainsSubstring(command(folder, both + names.known)) &&
                            ContainsSubstring("(" + both + names.unknown + ")"));
    CHECK_THAT(refused(root_options(folder.path())).message,
               ContainsSubstring("hotpack pack " + folder.path() + " " + names.options +
                                 "--label-suffix " + names.known + " -o OUT"));
  }
}

TEST_CASE("a suffix of fewer than 95 % of the labels is a question") {
  const TempFolder folder;
  touch_pairs(folder, 20, ".jpg", {"_seg.png"});
  touch(folder, {"labels/0_pred.png"});
  const DiscoveredInput input = discovered(folder_options(folder));
  CHECK(input.discovery.layout == "labels end with '_seg': 20 of 20 images have a label\n");
  CHECK(input.problems.group(ProblemKind::orphan_label).count == 1);
  touch(folder, {"labels/1_pred.png"});
  CHECK_THAT(refused(folder_options(folder)).message,
             ContainsSubstring(command(folder, "--label-suffix _seg")));
}

TEST_CASE("unknown endings of both sides are found by counting") {
  const TempFolder folder;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "b1-0" + std::to_string(i);
    touch(folder, {"images/" + name + "_Clipped.jpg", "labels/" + name + "_painted.png"});
  }
  CHECK(discovered_clean(folder_options(folder)).discovery.layout ==
        "images end with '_Clipped', labels with '_painted': 20 of 20 images have a label\n");
  touch(folder, {"images/b1-20.jpg", "labels/b1-20_painted.png"});
  const DiscoveredInput input = discovered(folder_options(folder));
  CHECK(input.list().samples.size() == 20);
  CHECK(input.problems.group(ProblemKind::orphan_image).count == 1);
  CHECK(input.problems.group(ProblemKind::orphan_label).count == 1);
  touch(folder, {"images/b1-21.jpg", "labels/b1-21_painted.png"});
  CHECK_THAT(refused(folder_options(folder)).message,
             ContainsSubstring("no image and label share a key"));
}

TEST_CASE("numbers at the end of names are no suffixes of images") {
  const TempFolder folder;
  touch(folder, {"images/a_1.jpg", "images/b_1.jpg", "labels/a_2.png", "labels/b_2.png"});
  CHECK_THAT(refused(folder_options(folder)).message,
             ContainsSubstring("no image and label share a key"));
  const TempFolder one;  // every ending of one image is common
  touch(one, {"images/a_tree.jpg", "labels/a_house.png"});
  CHECK_THAT(refused(folder_options(one)).message,
             ContainsSubstring("no image and label share a key"));
  std::filesystem::rename(one / "labels/a_house.png", one / "labels/a_mask.png");
  CHECK(discovered_clean(folder_options(one)).keys() == Names{"a"});
}

TEST_CASE("in one folder, two suffixes without a word for labels are a question") {
  const TempFolder folder;
  for (int i = 0; i < 4; ++i)
    for (const std::string end : {"_left", "_right"})
      touch(folder, {"d/" + std::to_string(i) + end + ".png"});
  PackOptions options;
  options.input.images = options.input.labels = {folder / "d"};
  CHECK_THAT(refused(options).message, ContainsSubstring("no known suffix tells them apart"));
  options.input.label_suffix = "_right";
  CHECK(discovered_clean(options).keys() == Names{"0", "1", "2", "3"});
}

TEST_CASE("each of four kinds of label is offered") {
  const TempFolder folder;
  const Names ends{"_mask", "_seg", "_gt", "_pred"};
  touch_pairs(folder, 3, ".jpg", {"_mask.png", "_seg.png", "_gt.png", "_pred.png"});
  const std::string message = refused(folder_options(folder)).message;
  for (const std::string& end : ends)
    CHECK_THAT(message, ContainsSubstring(command(folder, "--label-suffix " + end)));
}

TEST_CASE("given suffixes are kept, and the other side is still found") {
  const TempFolder folder;
  touch_pairs(folder, 3, "_leftImg8bit.png", {"_gtFine_labelIds.png", "_gtFine_labelTrainIds.png"});
  PackOptions options = folder_options(folder);
  options.input.label_suffix = "_gtFine_labelTrainIds";
  CHECK(discovered_clean(options).pairs(folder).front() ==
        "0: images/0_leftImg8bit.png labels/0_gtFine_labelTrainIds.png");
  options.input.image_suffix = "_leftImg";
  CHECK_THAT(refused(options).message,
             ContainsSubstring(
                 "images end with '_leftImg8bit', labels with '_gtFine_labelIds': 3 of 3 images"));
}

TEST_CASE("a preset tries its own suffixes, then equal names, and no others") {
  const TempFolder folder;
  touch_pairs(folder, 3, "_leftImg8bit.png", {"_gtFine_labelIds.png", "_gtFine_labelTrainIds.png"});
  FileSet set;
  ProblemLog problems;
  PackOptions options = folder_options(folder);
  GivenSuffixes given;
  given.image = "_leftImg8bit";
  given.label = "_gtFine_labelTrainIds";
  given.by_preset = true;
  const auto chosen = [&](const std::string& images, const std::string& labels) {
    set.images = scan_images({{folder / images, ""}}, problems).value();
    set.labels = scan_images({{folder / labels, ""}}, problems).value();
    set.labeled = true;
    return choose_suffixes(std::span(&set, 1), given);
  };
  CHECK(chosen("images", "labels").rule.label == "_gtFine_labelTrainIds");
  touch(folder, {"plain/1.png", "plain_labels/1.png", "other/1.png", "other_labels/1_L.png"});
  CHECK(chosen("plain", "plain_labels").rule.label.empty());
  CHECK_FALSE(chosen("other", "other_labels").fits);
}

TEST_CASE("one folder is divided into images and labels by suffix or format") {
  const TempFolder folder;
  touch(folder, {"data/1.png", "data/1_L.png", "data/2.png", "data/2_L.png", "both/1.jpg",
                 "both/1.png", "both/2.jpg", "both/2.png"});
  PackOptions options;
  options.input.images = options.input.labels = {folder / "data"};
  folder.write("data/notes.txt", "x");
  CHECK(discovered_clean(options).pairs(folder) ==
        Names{"1: data/1.png data/1_L.png", "2: data/2.png data/2_L.png"});
  CHECK(discovered_clean(options).discovery.other_files == 1);
  options.input.label_suffix = "_L";
  CHECK(discovered_clean(options).keys() == Names{"1", "2"});
  options.input.label_suffix.clear();
  options.input.images = options.input.labels = {folder / "both"};
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.pairs(folder) == Names{"1: both/1.jpg both/1.png", "2: both/2.jpg both/2.png"});
  CHECK(input.discovery.layout ==
        "JPEG files are images, PNG files of the same name their labels: 2 of 2 images have a "
        "label\n");
}

TEST_CASE("one folder without a difference between image and label is an error") {
  const TempFolder folder;
  touch(folder, {"data/a.png", "data/b.png"});
  PackOptions options;
  options.input.images = options.input.labels = {folder / "data"};
  CHECK_THAT(refused(options).message, ContainsSubstring("--label-suffix"));
}

TEST_CASE("in one folder, a given suffix of labels needs no 95 % of the images") {
  const TempFolder folder;
  for (int i = 0; i < 10; ++i) touch(folder, {"d/" + std::to_string(i) + ".png"});
  for (int i = 1; i < 10; ++i) touch(folder, {"d/" + std::to_string(i) + "_seg.png"});
  PackOptions options;
  options.input.images = options.input.labels = {folder / "d"};
  const std::string proposal = "9 of 10 images have a label (--label-suffix _seg)";
  CHECK_THAT(refused(options).message, ContainsSubstring(proposal));
  options.input.label_suffix = "_mask";
  CHECK_THAT(refused(options).message, ContainsSubstring(proposal));

  options.input.label_suffix = "_seg";
  PackOptions root = root_options(folder / "d");
  root.input.label_suffix = "_seg";
  for (PackOptions given : {options, root}) {
    const DiscoveredInput input = discovered(given);
    CHECK(input.list().samples.size() == 9);
    CHECK(input.problems.group(ProblemKind::orphan_image).count == 1);
    CHECK_THAT(input.problems.text(), ContainsSubstring("d/0.png"));
    given.input.skip_orphans = true;
    CHECK(discovered_clean(given).discovery.orphans_left_out == 1);
  }
}

TEST_CASE("in one folder, a known and an unknown suffix are both offered") {
  const TempFolder folder;
  for (int i = 0; i < 4; ++i)
    for (const std::string end : {"", "_seg", "_pred"})
      touch(folder, {"d/" + std::to_string(i) + end + ".png"});
  PackOptions options;
  options.input.images = options.input.labels = {folder / "d"};
  for (const PackOptions& asked : {options, root_options(folder / "d")}) {
    const std::string message = refused(asked).message;
    for (const std::string end : {"_seg", "_pred"})
      CHECK_THAT(message, ContainsSubstring("(--label-suffix " + end + ")"));
  }
}

TEST_CASE("in one folder, maps next to a given suffix are orphans") {
  const TempFolder folder;
  for (int i = 0; i < 4; ++i)
    for (const std::string end : {"", "_seg", "_depth"})
      touch(folder, {"d/" + std::to_string(i) + end + ".png"});
  PackOptions options;
  options.input.images = options.input.labels = {folder / "d"};
  options.input.label_suffix = "_seg";
  CHECK_THAT(discovered(options).problems.text(), ContainsSubstring("d/0_depth.png"));
  options.input.skip_orphans = true;
  CHECK(discovered_clean(options).keys() == Names{"0", "1", "2", "3"});
}

TEST_CASE("a file lacking a detected suffix is an orphan, a given one ignores it") {
  const TempFolder folder;
  touch_pairs(folder, 100, "_img.png", {"_labelIds.png", "_color.png"});
  touch(folder, {"images/n0.png", "images/n1.png", "labels/n0.png", "labels/n1.png"});
  PackOptions options = folder_options(folder);
  const DiscoveredInput input = discovered(options);
  CHECK(input.list().samples.size() == 100);
  CHECK(input.problems.group(ProblemKind::orphan_image).count == 2);
  CHECK(input.problems.group(ProblemKind::orphan_label).count == 2);
  CHECK(input.discovery.other_files == 100);  // labels of another kind
  CHECK_THAT(input.problems.text(),
             ContainsSubstring("n0.png: its name lacks the suffix '_img' that the others have"));
  options.input.skip_orphans = true;
  CHECK(discovered_clean(options).discovery.orphans_left_out == 4);
  options.input.skip_orphans = false;
  options.input.image_suffix = "_img";
  options.input.label_suffix = "_labelIds";
  CHECK(discovered_clean(options).list().samples.size() == 100);
}

TEST_CASE("in one folder, files that are neither image nor label are reported") {
  const TempFolder folder;
  for (int i = 0; i < 100; ++i)
    touch(folder, {"d/" + std::to_string(i) + "_sat.jpg", "d/" + std::to_string(i) + "_mask.png"});
  touch(folder, {"d/n0.jpg"});
  PackOptions options;
  options.input.images = options.input.labels = {folder / "d"};
  for (const std::string label : {"", "_mask"}) {
    options.input.label_suffix = label;
    const DiscoveredInput input = discovered(options);
    CHECK(input.list().samples.size() == 100);
    CHECK(input.problems.count() == 1);
    CHECK(input.discovery.other_files == 0);
  }
}
