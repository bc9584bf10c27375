#include "discovery/discovery.hpp"

#include "files/scan.hpp"
#include "samples/file_steps.hpp"
#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

TEST_CASE("one key prefix a folder, for images and labels alike") {
  const TempFolder folder;
  for (const std::string side : {"images", "labels"})
    for (const std::string root : {"1", "2"}) touch(folder, {side + root + "/a.png"});
  PackOptions options;
  options.input.images = {folder / "images1", folder / "images2/"};
  options.input.labels = {folder / "labels1//", folder / "labels2"};
  options.input.key_prefixes = {"one", "two/"};
  CHECK(discovered_clean(options).pairs(folder) ==
        Names{"one/a: images1/a.png labels1/a.png", "two/a: images2/a.png labels2/a.png"});

  options.input.key_prefixes = {"one"};
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("--key-prefix is given 1 times, --images 2 times"));
  options.input.key_prefixes = {"one", "../two"};
  CHECK_THAT(refused(options).message, ContainsSubstring("--key-prefix ../two"));
}

TEST_CASE("folders without images are an error of the data that names them") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "images");
  std::filesystem::create_directory(folder / "labels");
  PackOptions options;
  options.input.images = {folder / "images"};
  const Error empty = refused(options);
  CHECK(empty.code == ErrorCode::data);
  CHECK_THAT(empty.message, ContainsSubstring(folder / "images"));
  folder.write("images/README.md", "x");
  CHECK_THAT(refused(options).message, ContainsSubstring("1 other files"));
  touch(folder, {"images/a.png"});
  options.input.labels = {folder / "labels"};
  CHECK_THAT(refused(options).message, ContainsSubstring(folder / "labels"));
}

TEST_CASE("polygon files in place of label images are reported by name") {
  const TempFolder folder;
  touch(folder, {"images/a.png", "labels/a.json", "labels/b.json"});
  CHECK_THAT(refused(folder_options(folder)).message,
             ContainsSubstring(folder / "labels/a.json' is JSON (polygons or run lengths of COCO, "
                                        "LabelMe and others), which is not supported; "
                                        "draw its masks as PNG files, one per image"));
}

TEST_CASE("no key in common is an error, whatever the orphan policy") {
  const TempFolder folder;
  touch(folder, {"images/a.png", "labels/b.png"});
  for (const bool skip : {false, true}) {
    PackOptions options = folder_options(folder);
    options.input.skip_orphans = skip;
    const Error error = refused(options);
    CHECK(error.code == ErrorCode::data);
    CHECK_THAT(error.message, !ContainsSubstring("are the suffixes right?"));
    CHECK_THAT(error.message, ContainsSubstring("--pair-regex"));
  }
}

TEST_CASE("no key in common asks about the suffixes only if one was given") {
  const TempFolder folder;
  touch(folder, {"images/a.png", "labels/b_mask.png"});
  PackOptions options = folder_options(folder);
  options.input.label_suffix = "_mask";
  CHECK_THAT(refused(options).message, ContainsSubstring("are the suffixes right?"));
}

TEST_CASE("option --orphans skip also leaves out and counts other formats") {
  const TempFolder folder;
  touch(folder,
        {"images/a.png", "images/b.png", "labels/a.png", "images/c.tif", "labels/readme.txt"});
  PackOptions options = folder_options(folder);
  options.input.skip_orphans = true;
  const DiscoveredInput skipped = discovered_clean(options);
  CHECK(skipped.keys() == Names{"a"});
  CHECK(skipped.discovery.orphans_left_out == 2);
  CHECK(skipped.discovery.other_files == 1);
  options.input.skip_orphans = false;
  CHECK(discovered(options).problems.count() == 2);
}

TEST_CASE("option --pair-regex pairs names without a common suffix") {
  const TempFolder folder;
  touch(folder, {"images/img_001.jpg", "images/img_002.jpg", "images/thumbnail.jpg",
                 "labels/mask_001.png", "labels/mask_002.png", "labels/n0.png"});
  PackOptions options = folder_options(folder);
  options.input.image_regex = "img_([0-9]+)\\.jpg$";
  options.input.label_regex = "mask_([0-9]+)";
  const DiscoveredInput told = discovered(options);
  CHECK(told.problems.group(ProblemKind::orphan_image).count == 1);
  CHECK(told.problems.group(ProblemKind::orphan_label).count == 1);
  CHECK_THAT(told.problems.text(),
             ContainsSubstring(
                 "thumbnail.jpg: --pair-regex 'img_([0-9]+)\\.jpg$' does not match its path"));
  options.input.skip_orphans = true;
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.pairs(folder) == Names{"001: images/img_001.jpg labels/mask_001.png",
                                     "002: images/img_002.jpg labels/mask_002.png"});
  CHECK(input.discovery.orphans_left_out == 2);
  CHECK(input.discovery.other_files == 0);
  options.input.skip_orphans = false;
  options.input.image_regex = "(x)";
  CHECK_THAT(refused(options).message, ContainsSubstring("no PNG or JPEG image was found below '" +
                                                         folder / "images' (3 other files"));
}

TEST_CASE("several masks per image, one per class, come from files or folders") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "images/2_b.jpg", "labels/1_car.png", "labels/1_road.png",
                 "labels/2_b_car.png", "bycl/car/1.png", "bycl/car/2_b.png"});
  PackOptions options = folder_options(folder);
  options.input.mask_per_class = "{key}_{class}";
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.keys() == Names{"1", "2_b"});
  CHECK(input.list().mask_names == Names{"car", "road"});
  CHECK(input.list().samples[0].mask_count == 2);
  CHECK(input.list().samples[1].mask_count == 1);
  CHECK_FALSE(input.list().has_label_files);
  options.input.labels = {folder / "bycl"};
  options.input.mask_per_class = "{class}/{key}";
  CHECK(discovered_clean(options).list().mask_names == Names{"car"});
  options.input.mask_per_class = "{key}-{class}";
  CHECK_THAT(refused(options).message, ContainsSubstring("no PNG or JPEG image was found below '" +
                                                         folder / "bycl' (2 other files"));
}

TEST_CASE("masks may lie next to their images, in one folder or one per sample") {
  const TempFolder folder;
  touch(folder, {"flat/1.jpg", "flat/1_car.png", "flat/1_road.png", "flat/2_b.jpg",
                 "flat/2_b_car.png", "flat/1_car_2.png", "cases/a/scan.png", "cases/a/mask_car.png",
                 "cases/b/scan.png", "cases/b/mask_road.png", "cases/b/mask_car.png"});
  PackOptions options = folder_options(folder);
  options.input.images = options.input.labels = {folder / "flat"};
  options.input.mask_per_class = "{key}_{class}";
  const DiscoveredInput flat = discovered_clean(options);
  CHECK(flat.keys() == Names{"1", "2_b"});
  CHECK(flat.list().mask_names == Names{"car", "car_2", "road"});
  touch(folder, {"apart/a.jpg", "apart/a_road.png"});
  options.input.images = options.input.labels = {folder / "apart"};
  options.input.mask_per_class = "{key}-{class}";
  CHECK_THAT(
      refused(options).message,
      ContainsSubstring("no file fits the pattern '{key}-{class}'") && ContainsSubstring("a.jpg"));
  options.input.mask_per_class = "{key}_{class}";
  touch(folder, {"twice/img.jpg", "twice/img_road.png", "twice/img_1.jpg",
                 "twice/img_1_road.png"});  // img_1: class 1, or an image?
  options.input.images = options.input.labels = {folder / "twice"};
  const Error either = refused(options);
  CHECK(either.path == folder / "twice/img_1.jpg");
  CHECK_THAT(either.message, ContainsSubstring("class '1'") &&
                                 ContainsSubstring("img_1_road.png") &&
                                 ContainsSubstring("--image-suffix"));
  options.input.images = options.input.labels = {folder / "cases"};
  options.input.image_suffix = "/scan";
  options.input.mask_per_class = "{key}/mask_{class}";
  const DiscoveredInput cases = discovered_clean(options);
  CHECK(cases.keys() == Names{"a", "b"});
  CHECK(cases.list().mask_names == Names{"car", "road"});
  CHECK(cases.list().samples[1].mask_count == 2);
  touch(folder, {"cases/b/depth.png"});
  const DiscoveredInput with_stranger = discovered(options);
  CHECK_THAT(with_stranger.problems.text(),
             ContainsSubstring("depth.png") && ContainsSubstring("does not fit the pattern"));
}

TEST_CASE("masks follow their images into splits") {
  const TempFolder folder;
  touch(folder, {"images/train/1.jpg", "images/val/2.jpg", "labels/train/1_car.png",
                 "labels/val/2_road.png"});
  PackOptions options = folder_options(folder);
  options.input.mask_per_class = "{key}_{class}";
  options.input.split.method = SplitOptions::Method::folder;
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.list("train").mask_names == Names{"car"});
  CHECK(input.list("val").mask_path(input.list("val").masks.at(0)) ==
        folder / "labels/val/2_road.png");
}

TEST_CASE("masks follow the prefixes of their folders") {
  const TempFolder folder;
  touch(folder, {"a/1.jpg", "a_m/1_car.png", "b/1.jpg", "b_m/1_road.png"});
  PackOptions options;
  options.input.images = {folder / "a", folder / "b"};
  options.input.labels = {folder / "a_m", folder / "b_m"};
  options.input.key_prefixes = {"train", "val"};
  options.input.mask_per_class = "{key}_{class}";
  CHECK(discovered_clean(options).keys() == Names{"train/1", "val/1"});
  options.input.split.method = SplitOptions::Method::folder;
  CHECK(discovered_clean(options).list("val").mask_names == Names{"road"});
}

TEST_CASE("class folders are sorted by bytes and share one table over all roots") {
  const TempFolder folder;
  touch(folder, {"one/10/a.jpg", "one/2/b.jpg", "two/B/c.jpg", "two/__MACOSX/x.jpg"});
  PackOptions options;
  options.input.image_folders = {folder / "one", folder / "two"};
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.list().class_names == Names{"10", "2", "B"});
  CHECK(input.classes() == Names{"10/a: 10", "2/b: 2", "B/c: B"});
}

TEST_CASE("input folders that are equal or within others are refused") {
  const TempFolder folder;
  touch(folder, {"A/0.png", "A/val/1.png", "L/0.png", "L/val/1.png", "C/x/0.png", "C/y/1.png"});
  std::filesystem::create_directory_symlink(folder / "A", folder / "link");
  PackOptions within;
  within.input.images = {folder / "A", folder / "A/val"};
  PackOptions labeled = within;
  labeled.input.labels = {folder / "L", folder / "L/val"};
  labeled.input.key_prefixes = {"train", "val"};
  labeled.input.split.method = SplitOptions::Method::folder;
  PackOptions equal;
  equal.input.images = {folder / "A", folder / "link"};
  PackOptions classes;
  classes.input.image_folders = {folder / "C", folder / "C/"};
  PackOptions prefixed = classes;
  prefixed.input.key_prefixes = {"train", "val"};
  prefixed.input.split.method = SplitOptions::Method::folder;
  for (const PackOptions& options : {within, labeled, equal, classes, prefixed}) {
    const Error error = refused(options);
    CHECK(error.code == ErrorCode::usage);
    const bool inner = options.input.images == within.input.images;
    CHECK_THAT(error.message, ContainsSubstring(inner ? "so its samples would be packed twice"
                                                      : "are the same folder; give it once"));
  }
}

TEST_CASE("labels may share a folder, and patterns may share one") {
  const TempFolder folder;
  touch(folder, {"A/0.jpg", "B/0.jpg", "L/0.png", "A/1.png"});
  PackOptions options;
  options.input.images = {folder / "A/{key}.jpg", folder / "A/{key}.png"};
  CHECK(discovered_clean(options).keys() == Names{"0", "1"});
  options.input.images = {folder / "A", folder / "B"};
  options.input.labels = {folder / "L", folder / "L/../L"};
  options.input.exclude = {"1.png"};
  options.input.key_prefixes = {"a", "b"};
  CHECK(discovered_clean(options).pairs(folder) ==
        Names{"a/0: A/0.jpg L/0.png", "b/0: B/0.jpg L/0.png"});
}

TEST_CASE("files that a pattern of labels finds are no images, as it is written") {
  const TempFolder folder;
  touch(folder, {"P/0.png", "P/0_mask.png", "P/1.png", "P/1_mask.png", "P/x.txt"});
  for (const std::string images : {"P", "./P", "x/../P/"}) {
    std::filesystem::create_directories(folder / "x");
    PackOptions options;
    options.input.images = {folder / images};
    options.input.labels = {folder / "P/{key}_mask.png"};
    const DiscoveredInput input = discovered_clean(options);
    CHECK(input.keys() == Names{"0", "1"});
    CHECK(input.discovery.other_files == 1);
  }
}

TEST_CASE("splits of several data sets that look like one are refused") {
  const TempFolder folder;
  for (const std::string split : {"a/train", "a/val", "b/Train", "b/val"})
    touch(folder, {split + "/images/0.jpg", split + "/masks/0.png"});
  PackOptions options;
  options.input.roots = {folder / "a", folder / "b"};
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::data);
  CHECK(error.message ==
        "the splits 'Train' and 'train' of these data sets differ in upper and lower case only; "
        "use one spelling for the folders or lists of a split");
}

TEST_CASE("option --image-folders one level too high is an error with advice") {
  const TempFolder folder;
  touch(folder, {"set/train/ant/1.jpg", "set/train/bee/2.jpg", "set/val/ant/3.jpg"});
  PackOptions options;
  options.input.image_folders = {folder / "set"};
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(
      error.message,
      ContainsSubstring("its folders ('train', …) have names of splits and contain only folders"));
  CHECK_THAT(error.message, ContainsSubstring("add --split folder, or give --image-folders " +
                                              folder / "set/train"));

  touch(folder, {"set/north/ant/4.jpg", "set/test/9.jpg"});
  CHECK_THAT(refused(options).message, ContainsSubstring("its folders ('train', …) have names"));
  // Classes may have names of splits.
  touch(folder, {"vehicles/car/0.jpg", "vehicles/test/a/1.jpg", "vehicles/train/2.jpg"});
  PackOptions vehicles;
  vehicles.input.image_folders = {folder / "vehicles"};
  CHECK(discovered_clean(vehicles).list().class_names == Names{"car", "test", "train"});

  std::filesystem::remove_all(folder / "set/north");
  options.input.split.method = SplitOptions::Method::folder;
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.split_names() == Names{"test", "train", "val"});
  CHECK(input.classes("train") == Names{"ant/1: ant", "bee/2: bee"});
  CHECK(input.keys("test") == Names{"9"});
  CHECK(input.discovery.layout == "test: no labels: a set of images alone\n");
}

TEST_CASE("images alone have no label and no class") {
  const TempFolder folder;
  touch(folder, {"images/x/1.jpg", "images/2.png"});
  PackOptions options;
  options.input.images = {folder / "images"};
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.keys() == Names{"2", "x/1"});
  CHECK(input.discovery.layout.empty());
  CHECK_FALSE(input.list().has_label_files);
  CHECK(input.list().class_names.empty());
  CHECK(input.list().samples[0].label.bytes == 0);
}

TEST_CASE("unusual names are paired like any others") {
  const TempFolder folder;
  for (const std::string name :
       {"-dash", "with space", "quo'te\"", "ünï/çödé", "a.b.c", "$(x)", "100%", "tab\tx"})
    touch(folder, {"images/" + name + ".JPG", "labels/" + name + ".png"});
  CHECK(discovered_clean(folder_options(folder)).list().samples.size() == 8);
}

TEST_CASE("option --pair-regex tells images from labels in one folder") {
  const TempFolder folder;
  touch(folder, {"data/i1.png", "data/l1.png", "data/other.png"});
  PackOptions options;
  options.input.images = options.input.labels = {folder / "data"};
  options.input.image_regex = "i([0-9])";
  options.input.label_regex = "l([0-9])";
  const DiscoveredInput input = discovered(options);
  CHECK(input.pairs(folder) == Names{"1: data/i1.png data/l1.png"});
  CHECK(input.problems.count() == 1);
  CHECK_THAT(input.problems.text(), ContainsSubstring("other.png"));
}

TEST_CASE("a mask whose name does not match the pattern is reported") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "images/2.jpg", "labels/1_road.png", "labels/2_road.png",
                 "labels/1_car.png", "labels/2-car.png"});
  PackOptions options = folder_options(folder);
  options.input.mask_per_class = "{key}_{class}";
  const DiscoveredInput input = discovered(options);
  CHECK(input.problems.group(ProblemKind::orphan_label).count == 1);
  CHECK_THAT(input.problems.text(),
             ContainsSubstring("2-car.png: its path does not fit the pattern '{key}_{class}'"));
  options.input.skip_orphans = true;
  const DiscoveredInput skipped = discovered_clean(options);
  CHECK(skipped.discovery.orphans_left_out == 1);
  CHECK(skipped.list().samples[1].mask_count == 1);
}

TEST_CASE("a split whose labels have another name does not count as unlabeled") {
  const TempFolder folder;
  for (int i = 0; i < 100; ++i)
    touch(folder, {"images/train/" + std::to_string(i) + ".png",
                   "labels/train/" + std::to_string(i) + "_mask.png"});
  for (int i = 0; i < 5; ++i)
    touch(folder, {"images/val/" + std::to_string(i) + ".png",
                   "labels/val/" + std::to_string(i) + "_label.png"});
  const auto orphans = [](const PackOptions& options) {
    return discovered(options).problems.group(ProblemKind::orphan_image).count;
  };
  PackOptions options = root_options(folder.path());
  CHECK(orphans(options) == 5);
  options.input.label_suffix = "_mask";
  CHECK(orphans(options) == 5);
  PackOptions by_folder = folder_options(folder);
  by_folder.input.split.method = SplitOptions::Method::folder;
  CHECK(orphans(by_folder) == 5);
  by_folder.input.label_suffix = "_mask";
  CHECK(orphans(by_folder) == 5);
}

TEST_CASE("in one folder too, labels of another name do not count as missing") {
  const TempFolder folder;
  for (int i = 0; i < 100; ++i)
    touch(folder,
          {"train/" + std::to_string(i) + ".jpg", "train/" + std::to_string(i) + "_mask.png"});
  for (int i = 0; i < 3; ++i)
    touch(folder,
          {"val/" + std::to_string(i) + ".jpg", "val/" + std::to_string(i) + "_strange.png"});
  CHECK(discovered(root_options(folder.path())).problems.group(ProblemKind::orphan_image).count >
        0);
}

TEST_CASE("listed images are unlabeled only if no label is left over") {
  const TempFolder folder;
  touch(folder, {"JPEGImages/1.jpg", "JPEGImages/2.jpg", "JPEGImages/4.jpg", "JPEGImages/5.jpg",
                 "SegmentationClass/1.png", "SegmentationClass/2.png"});
  folder.write("ImageSets/Segmentation/train.txt", "1\n2\n");
  folder.write("ImageSets/Segmentation/test.txt", "4\n5\n");
  CHECK_FALSE(discovered_clean(root_options(folder.path())).list("test").has_label_files);
  touch(folder, {"SegmentationClass/04.png", "SegmentationClass/05.png"});
  CHECK(discovered(root_options(folder.path())).problems.group(ProblemKind::orphan_image).count ==
        2);
}

TEST_CASE("a list of the layout that matches nothing is to be given with --list") {
  const TempFolder folder;
  touch(folder, {"JPEGImages/1.jpg", "SegmentationClass/1.png"});
  folder.write("ImageSets/Segmentation/train.txt", "elsewhere/7\n");
  PackOptions options = root_options(folder.path());
  CHECK_THAT(
      refused(options).message,
      ContainsSubstring("Give the list with --list, and the folder of its paths with --root"));
  options.input.list = folder / "ImageSets/Segmentation/train.txt";
  CHECK_THAT(refused(options).message, ContainsSubstring("Give the folder of its paths with"));
}

TEST_CASE("files that cannot be told apart are reported with their own folder") {
  const TempFolder folder;
  touch(folder, {"test/1.png", "train/1.png", "train/2.png"});
  ProblemLog problems;
  std::vector<FileSet> sets(2);
  sets[0].images = scan_images({{folder / "test", ""}}, problems).value();
  sets[1].images = sets[1].labels = scan_images({{folder / "train", ""}}, problems).value();
  sets[1].labeled = sets[1].one_folder = true;
  const auto choice = assign_keys(sets, {}, false, problems);
  REQUIRE_FALSE(choice.ok());
  CHECK_THAT(choice.error().message, ContainsSubstring("holds images and labels together"));
  CHECK(choice.error().path == folder / "train");
}

TEST_CASE("names that differ only in case or Unicode form suggest --fold") {
  const TempFolder folder;
  touch(folder, {"images/A.png", "images/B.png", "labels/a.png", "labels/b.png"});
  CHECK_THAT(refused(folder_options(folder)).message,
             ContainsSubstring(folder / "images/A.png: no label has its key 'A'; the key of '" +
                               folder / "labels/a.png'") &&
                 ContainsSubstring("--fold case"));
}

TEST_CASE("class files of given label folders must agree, and one is named") {
  const TempFolder folder;
  touch(folder, {"a/images/1.png", "a/masks/1.png", "b/images/2.png", "b/masks/2.png"});
  folder.write("a/classes.txt", "sky\nroad\n");
  PackOptions options;
  options.input.images = {folder / "a/images", folder / "b/images"};
  options.input.labels = {folder / "a/masks", folder / "b/masks"};
  CHECK_THAT(discovered_clean(options).discovery.warnings.at(0),
             ContainsSubstring(folder / "a/classes.txt' is not used; --classes"));
  folder.write("b/classes.txt", "road\nsky\n");
  CHECK_THAT(refused(options).message, ContainsSubstring("The same id means different classes"));
  options.label.class_count = 2;
  CHECK_THAT(discovered_clean(options).discovery.warnings.at(0), ContainsSubstring("contradicts"));
}
