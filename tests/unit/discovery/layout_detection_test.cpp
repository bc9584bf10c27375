#include "discovery/layout_detection.hpp"

#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

constexpr std::string_view kColors = "name,r,g,b\nvoid,0,0,0\nroad,128,64,128\n";

DiscoveredInput detected(const TempFolder& folder) {
  return discovered_clean(root_options(folder.path()));
}

// Line `number` of what was reported, without blanks at its beginning.
std::string line(const DiscoveredInput& input, int number) {
  std::string_view text = input.discovery.layout;
  for (int i = 0; i < number; ++i) text.remove_prefix(text.find('\n') + 1);
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(std::min(text.find_first_not_of(' '), text.size())));
}

// The warning about images that the layout does not use.
std::string unused_warning(const std::string& images) {
  return "not used, because they lie outside the folders of this layout: " + images +
         ". To pack these images, name their folders with --images";
}

}  // namespace

TEST_CASE("the SSS layout is detected with its splits and class table") {
  const TempFolder folder;
  touch(folder, {"train/1.png", "train/2.png", "train_labels/1.png", "train_labels/2.png",
                 "val/3.png", "val_labels/3.png", "test/4.png", "test_labels/4.png"});
  folder.write("class_dict.csv", kColors);
  const DiscoveredInput input = detected(folder);
  CHECK(input.split_names() == Names{"test", "train", "val"});
  CHECK(input.pairs(folder, "train") ==
        Names{"1: train/1.png train_labels/1.png", "2: train/2.png train_labels/2.png"});
  CHECK(input.discovery.label.classes == folder / "class_dict.csv");
  CHECK(input.discovery.layout ==
        "layout of " + folder.path() +
            ": splits, each next to a folder of its labels\n"
            "  test: images in 'test', labels in 'test_labels'\n"
            "  train: images in 'train', labels in 'train_labels'\n"
            "  val: images in 'val', labels in 'val_labels'\n"
            "  labels have the names of their images: 4 of 4 images have a label\n"
            "  classes: " +
            folder / "class_dict.csv\n");
}

TEST_CASE("split names are kept as they are") {
  for (const std::string split :
       {"train", "Training", "valid", "validation", "testing", "dev", "trainval", "train2017"}) {
    const TempFolder folder;
    touch(folder, {split + "/1.png", split + "_labels/1.png"});
    CHECK(detected(folder).split_names() == Names{split});
  }
}

TEST_CASE("given options take precedence over detected files") {
  const TempFolder folder;
  touch(folder, {"train/1.png", "train_labels/1.png"});
  folder.write("class_dict.csv", kColors);
  PackOptions options = root_options(folder.path());
  options.label.class_count = 3;
  CHECK(discovered_clean(options).discovery.label.classes.empty());
  options.label.class_count.reset();
  options.label.classes = "mine.csv";
  CHECK(discovered_clean(options).discovery.label.classes == "mine.csv");
}

TEST_CASE("VOC with lists of stems leaves out the joint list and unlisted photos") {
  const TempFolder folder;
  touch(folder, {"JPEGImages/2007_1.jpg", "JPEGImages/2007_2.jpg", "JPEGImages/2007_3.jpg",
                 "JPEGImages/2008_9.jpg", "SegmentationClass/2007_1.png",
                 "SegmentationClass/2007_2.png", "SegmentationClass/2007_3.png",
                 "SegmentationObject/2007_1.png", "Annotations/2007_1.xml"});
  folder.write("ImageSets/Segmentation/train.txt", "2007_1\n2007_3\n");
  folder.write("ImageSets/Segmentation/val.txt", "2007_2\r\n");
  folder.write("ImageSets/Segmentation/trainval.txt", "2007_1\n2007_2\n2007_3\n");
  folder.write("ImageSets/Main/cat_train.txt", "2007_1 -1\n");
  folder.write("class_names.txt", "_background_\ncat\n");
  const DiscoveredInput input = detected(folder);
  CHECK(line(input, 0) == "layout of " + folder.path() + ": Pascal VOC");
  CHECK(input.discovery.warnings == Names{unused_warning("1 image in 'SegmentationObject'")});
  CHECK(input.split_names() == Names{"train", "val"});
  CHECK(input.keys("train") == Names{"2007_1", "2007_3"});
  CHECK(input.keys("val") == Names{"2007_2"});
  CHECK(input.discovery.label.classes == folder / "class_names.txt");

  PackOptions options = root_options(folder.path());
  folder.write("mine.txt", "2007_3\n");
  options.input.list = folder / "mine.txt";
  CHECK(discovered_clean(options).keys() == Names{"2007_3"});
}

TEST_CASE("VOC exports without lists are read, as from LabelMe and CVAT") {
  const TempFolder folder;
  touch(folder, {"JPEGImages/1.jpg", "SegmentationClassPNG/1.png", "SegmentationClass/1.npy",
                 "SegmentationClassVisualization/1.jpg"});
  const DiscoveredInput input = detected(folder);
  CHECK(input.pairs(folder) == Names{"1: JPEGImages/1.jpg SegmentationClassPNG/1.png"});
}

TEST_CASE("Cityscapes keeps cities in keys and prefers ids, test has no labels") {
  const TempFolder folder;
  for (const std::string frame : {"train/ulm/ulm_1", "train/bonn/bonn_2", "val/jena/jena_3"}) {
    touch(folder, {"leftImg8bit/" + frame + "_leftImg8bit.png"});
    for (const std::string kind : {"labelIds", "labelTrainIds", "instanceIds", "color"})
      touch(folder, {"gtFine/" + frame + "_gtFine_" + kind + ".png"});
    touch(folder, {"gtFine/" + frame + "_gtFine_polygons.json"});
  }
  touch(folder, {"leftImg8bit/test/rome/rome_4_leftImg8bit.png"});
  const DiscoveredInput input = detected(folder);
  CHECK(line(input, 0) == "layout of " + folder.path() + ": Cityscapes");
  CHECK(line(input, 1) == "test: images in 'leftImg8bit/test', no labels: a set of images alone");
  CHECK(input.keys("train") == Names{"bonn/bonn_2", "ulm/ulm_1"});
  CHECK(input.pairs(folder, "val") ==
        Names{"jena/jena_3: leftImg8bit/val/jena/jena_3_leftImg8bit.png "
              "gtFine/val/jena/jena_3_gtFine_labelIds.png"});
  CHECK(input.keys("test") == Names{"rome/rome_4"});
  CHECK_FALSE(input.list("test").has_label_files);
  PackOptions options = root_options(folder.path());
  options.input.label_suffix = "_gtFine_labelTrainIds";
  CHECK(discovered_clean(options).pairs(folder, "val") ==
        Names{"jena/jena_3: leftImg8bit/val/jena/jena_3_leftImg8bit.png "
              "gtFine/val/jena/jena_3_gtFine_labelTrainIds.png"});
}

TEST_CASE("common folder names work with splits above, below, inside or without") {
  struct Case {
    std::string image, label, split;
  };
  for (const Case& names :
       {Case{"img_dir/train/1.png", "ann_dir/train/1.png", "train"},
        Case{"img_dir/1.png", "ann_dir/1.png", ""},
        Case{"images/training/1.jpg", "annotations/training/1.png", "training"},
        Case{"images/train2017/1.jpg", "annotations/train2017/1_labelTrainIds.png", "train2017"},
        Case{"Images/1.jpg", "Masks/1.jpg", ""},
        Case{"train/images/1.jpg", "train/masks/1.png", "train"},
        Case{"val/1.png", "valannot/1.png", "val"},
        Case{"train_images/1.jpg", "train_segmentations/1.png", "train"},
        Case{"images_prepped_train/1.png", "annotations_prepped_train/1.png", "train"},
        Case{"images/10k/train/1.jpg", "labels/sem_seg/masks/train/1.png", "train"},
        Case{"images/1.jpg", "annotations/trimaps/1.png", ""},
        Case{"701_StillsRaw_full/1.png", "LabeledApproved_full/1_L.png", ""},
        Case{"rgb_anon/val/night/1_rgb_anon.png", "gt/val/night/1_gt_labelIds.png", "val"},
        Case{"training/images/1.jpg", "training/v2.0/labels/1.png", "training"},
        Case{"original_images/1.jpg", "label_images_semantic/1.png", ""}}) {
    const TempFolder folder;
    touch(folder, {names.image, names.label});
    const DiscoveredInput input = detected(folder);
    INFO(names.image);
    REQUIRE(input.split_names() == Names{names.split});
    REQUIRE(input.list(names.split).samples.size() == 1);
    const std::string pair = input.pairs(folder, names.split)[0];
    CHECK(pair.substr(pair.find(": ") + 2) == names.image + " " + names.label);
  }
}

TEST_CASE("colored maps of BDD100K do not count as labels") {
  const TempFolder folder;
  touch(folder, {"images/10k/train/1.jpg", "labels/sem_seg/masks/train/1.png",
                 "labels/sem_seg/colormaps/train/1.png", "labels/sem_seg/colormaps/.DS_Store"});
  CHECK(detected(folder).pairs(folder, "train") ==
        Names{"1: images/10k/train/1.jpg labels/sem_seg/masks/train/1.png"});
}

TEST_CASE("lists in a neighboring folder divide one set of files") {
  const TempFolder folder;
  touch(folder, {"imgs/1_img.jpg", "imgs/2_img.jpg", "imgs/3_img.jpg", "gts/1_gt.png",
                 "gts/2_gt.png", "gts/3_gt.png"});
  folder.write("splits/train.txt", "1\n2\n");
  folder.write("splits/val.txt", "3\n");
  const DiscoveredInput input = detected(folder);
  CHECK(input.keys("train") == Names{"1", "2"});
  CHECK(input.keys("val") == Names{"3"});
}

TEST_CASE("an unlabeled split next to labeled ones is accepted and reported") {
  const TempFolder folder;
  touch(folder, {"train/1.png", "train_labels/1.png", "test/2.png"});
  const DiscoveredInput input = detected(folder);
  CHECK(input.list("train").has_label_files);
  CHECK_FALSE(input.list("test").has_label_files);
  CHECK(line(input, 1) == "test: images in 'test', no labels: a set of images alone");
}

TEST_CASE("class folders work with and without splits, and may lack a class") {
  const TempFolder folder;
  touch(folder, {"train/ant/1.jpg", "train/bee/2.jpg", "val/ant/3.jpg", "val/cat/4.jpg",
                 "test/5.jpg", "train/.ipynb_checkpoints/x.jpg"});
  std::filesystem::create_directory(folder / "val/dog");
  const DiscoveredInput input = detected(folder);
  CHECK(line(input, 0) == "layout of " + folder.path() + ": class folders");
  CHECK(input.classes("train") == Names{"ant/1: ant", "bee/2: bee"});
  CHECK(input.classes("val") == Names{"ant/3: ant", "cat/4: cat"});
  CHECK(input.list("val").class_names == Names{"ant", "cat", "dog"});
  CHECK(input.keys("test") == Names{"5"});
  CHECK(input.list("test").class_names.empty());

  const TempFolder flat;
  touch(flat, {"ant/1.jpg", "bee/deep/2.jpg", "bee/3.jpg"});
  CHECK(detected(flat).classes() == Names{"ant/1: ant", "bee/3: bee", "bee/deep/2: bee"});
}

TEST_CASE("two folders with equal file names are a question, not two classes") {
  struct Case {
    std::string images, labels, before, behind, options;
  };
  for (const Case& names :
       {Case{"scans", "annotated", "", "_annot", " --label-suffix _annot"},
        Case{"tiles", "truth", "", "_ESA_WorldCover.tif", " --label-suffix _ESA_WorldCover.tif"},
        Case{"y", "x", "", "", ""},
        Case{"src", "dst", "gt.", "", " --pair-regex '^(.+)\\.' '^gt\\.(.+)\\.'"},
        Case{"b", "a", "", "_sat", " --image-suffix _sat"}}) {
    const bool on_images = names.behind == "_sat";
    const TempFolder folder;
    for (int i = 0; i < 14; ++i) {
      const std::string plain = "P" + std::to_string(100 + i),
                        longer = names.before + plain + names.behind;
      touch(folder, {names.images + "/" + (on_images ? longer : plain) + ".JPG"});
      if (i < 12) touch(folder, {names.labels + "/" + (on_images ? plain : longer) + ".png"});
    }
    const Error error = refused(root_options(folder.path()));
    CHECK(error.code == ErrorCode::data);
    CHECK_THAT(error.message,
               ContainsSubstring("holds the folders '" + names.images + "' and '" + names.labels +
                                 "', which look like images and labels: "
                                 "12 pairs of files have equal names"));
    CHECK_THAT(
        error.message,
        ContainsSubstring(
            "To pack images and labels, run\n  hotpack pack --images " + folder / names.images +
            " --labels " + folder / names.labels + names.options +
            " -o OUT\nor, if these two folders are two classes:\n  hotpack pack --image-folders " +
            folder.path() + " -o OUT"));
    PackOptions classes;
    classes.input.image_folders = {folder.path()};
    CHECK(discovered_clean(classes).list().samples.size() == 26);
  }
}

TEST_CASE("two folders with several kinds of label offer each kind") {
  for (const Names& ends : {Names{"_seg", "_pred"}, Names{"_mask", "_label"}, Names{"_a", "_b"}}) {
    const TempFolder folder;
    for (int i = 0; i < 12; ++i) {
      const std::string name = "a" + std::to_string(i);
      touch(folder, {"pics/" + name + ".jpg", "lab/" + name + ends[0] + ".png",
                     "lab/" + name + ends[1] + ".png"});
    }
    const std::string message = refused(root_options(folder.path())).message;
    for (const std::string& end : ends)
      CHECK_THAT(message,
                 ContainsSubstring("labels end with '" + end +
                                   "': 12 of 12 images have a label:\n  hotpack pack --images " +
                                   folder / "pics" + " --labels " + folder / "lab" +
                                   " --label-suffix " + end + " -o OUT\n"));
    CHECK_THAT(message,
               ContainsSubstring("or, if these two folders are two classes:\n  hotpack pack "
                                 "--image-folders "));
  }
}

TEST_CASE("folders of labels next to those of images offer each kind of label") {
  const TempFolder folder;
  for (const std::string place : {"seqa", "seqb"})
    for (const std::string name : {"1", "2", "3"})
      touch(folder, {place + "/" + name + ".jpg", place + "_gt/" + name + "_seg.png",
                     place + "_gt/" + name + "_pred.png"});
  const std::string message = refused(root_options(folder.path())).message;
  for (const std::string suffix : {"_seg", "_pred"})
    CHECK_THAT(message,
               ContainsSubstring("labels end with '" + suffix +
                                 "': 6 of 6 images have a label:\n  hotpack pack "
                                 "--images " +
                                 folder / "seqa") &&
                   ContainsSubstring(folder / "seqb_gt" + " --key-prefix seqb --label-suffix " +
                                     suffix + " -o OUT\n"));
}

TEST_CASE("of two folders with forms of one label, the ids are offered") {
  const TempFolder folder;
  for (const std::string name : {"a", "b", "c"})
    touch(folder, {"pics/" + name + ".jpg", "lab/" + name + "_color.png",
                   "lab/" + name + "_instanceIds.png", "lab/" + name + "_labelIds.png"});
  const std::string message = refused(root_options(folder.path())).message;
  CHECK_THAT(message, ContainsSubstring("3 pairs of files have equal names but for '_labelIds', "
                                        "such as 'pics/a' and 'lab/a_labelIds'"));
  CHECK_THAT(message,
             ContainsSubstring(" --label-suffix _labelIds -o OUT\nor, if these two folders are"));
}

TEST_CASE("labels next to too few images are offered for an unknown layout") {
  const TempFolder folder;
  for (int i = 0; i < 10; ++i) touch(folder, {std::to_string(i) + ".png"});
  for (int i = 1; i < 10; ++i) touch(folder, {std::to_string(i) + "_seg.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("has no known layout") &&
                 ContainsSubstring("labels end with '_seg': 9 of 10 images have a label:\n  "
                                   "hotpack pack --images " +
                                   folder.path() + " --labels " + folder.path() +
                                   " --label-suffix _seg --orphans skip -o OUT"));
}

TEST_CASE("of two files per folder, the one unlike an image is offered as label") {
  const std::string start = std::string("\x89PNG") + std::string(20, '\0');
  const std::string gray = start + std::string("\x08\0", 2), colors = start + "\x08\x02",
                    palette = start + "\x08\x03";
  struct Case {
    std::string image, label;
  };
  for (const Case& files : {Case{gray + "larger", gray}, Case{colors, gray + "larger"},
                            Case{gray, palette + "larger"}}) {
    const TempFolder folder;
    for (const std::string name : {"p1/", "p2/", "p3/"}) {
      folder.write(name + "scan.png", files.image);
      folder.write(name + "roi.png", files.label);
    }
    const std::string message = refused(root_options(folder.path())).message;
    const std::string pair = "\n  hotpack pack --images " + folder.path() + " --labels " +
                             folder.path() + " --pair-regex ";
    CHECK_THAT(message,
               ContainsSubstring("either file may be the label. To pack images and labels, run\n"
                                 "if 'p1/roi.png' is the label:" +
                                 pair + "'^(.*)/scan\\.png$' '^(.*)/roi\\.png$'"));
    CHECK_THAT(message, ContainsSubstring("or, if 'p1/scan.png' is the label:" + pair +
                                          "'^(.*)/roi\\.png$' '^(.*)/scan\\.png$'"));
  }
}

TEST_CASE("the question of two folders applies within splits, and to no others") {
  const TempFolder folder;
  touch(folder, {"train/cat/1.jpg", "train/dog/1.jpg", "val/cat/2.jpg", "val/dog/2.jpg"});
  const std::string message = refused(root_options(folder.path())).describe();
  CHECK_THAT(message, ContainsSubstring("train: holds "));
  CHECK_THAT(message,
             ContainsSubstring(" --key-prefix val --split folder -o OUT\nor, if these two "
                               "folders are two classes:\n  hotpack pack --image-folders "));

  const TempFolder others;
  touch(others, {"cat/cat1.jpg", "cat/cat2.jpg", "dog/dog1.jpg", "dog/dog2.jpg"});
  CHECK(detected(others).list().class_names == Names{"cat", "dog"});
  const TempFolder three;
  touch(three, {"cat/1.jpg", "dog/1.jpg", "emu/1.jpg"});
  CHECK(detected(three).list().samples.size() == 3);
  const TempFolder numbered;
  for (int i = 1; i <= 100; ++i)
    touch(numbered,
          {"cat/" + std::to_string(i) + ".jpg", "dog/" + std::to_string(100 + i) + ".jpg"});
  CHECK(detected(numbered).list().samples.size() == 200);
}

TEST_CASE("a class file next to class folders counts only if it names them all") {
  const TempFolder folder;
  touch(folder, {"ant/1.jpg", "bee/2.jpg"});
  folder.write("classes.txt", "bee\nant\n");
  CHECK(detected(folder).discovery.label.classes == folder / "classes.txt");
  folder.write("classes.txt", "bee\ncat\n");
  const DiscoveredInput input = detected(folder);
  CHECK(input.discovery.label.classes.empty());
  CHECK_THAT(
      input.discovery.layout,
      ContainsSubstring("the class file '" +
                        folder / "classes.txt' is not used: it does not name the class 'ant'"));
}

TEST_CASE("class colors that match no class folder are a question") {
  const TempFolder folder;
  touch(folder, {"north/a1.jpg", "north/a2.png", "south/b1.jpg", "south/b2.png"});
  folder.write("legend.csv", "label;hex\nWheat;#e6c200\nWater;#1e6fd9\n");
  const Error error = refused(root_options(folder.path()));
  CHECK(error.path == folder / "legend.csv");
  CHECK_THAT(error.message, ContainsSubstring("the folders are probably not classes") &&
                                ContainsSubstring("--image-folders " + folder.path()));
  folder.write("legend.csv", "label;hex\nnorth;#e6c200\nsouth;#1e6fd9\n");
  CHECK(detected(folder).discovery.label.classes == folder / "legend.csv");
}

TEST_CASE("labels may lie next to their images, in one folder or one per split") {
  const TempFolder folder;
  touch(folder, {"train/1_sat.jpg", "train/1_mask.png", "train/2_sat.jpg", "train/2_mask.png",
                 "valid/3_sat.jpg"});
  folder.write("class_dict.csv", kColors);
  const DiscoveredInput input = detected(folder);
  CHECK(line(input, 0) == "layout of " + folder.path() + ": labels next to their images");
  CHECK(input.pairs(folder, "train") ==
        Names{"1: train/1_sat.jpg train/1_mask.png", "2: train/2_sat.jpg train/2_mask.png"});
  CHECK(input.pairs(folder, "valid") == Names{"3: valid/3_sat.jpg"});
  CHECK_THAT(input.discovery.layout, ContainsSubstring("valid: no labels: a set of images alone"));

  const TempFolder flat;
  touch(flat, {"1.png", "1_L.png", "2.png", "2_L.png"});
  CHECK(detected(flat).pairs(flat) == Names{"1: 1.png 1_L.png", "2: 2.png 2_L.png"});
}

TEST_CASE("metadata.jsonl takes precedence over folder names") {
  const TempFolder folder;
  touch(folder, {"train/cat/1.jpg", "train/dog/2.jpg", "test/3.jpg"});
  folder.write("train/metadata.jsonl",
               "{\"file_name\": \"cat/1.jpg\", \"label\": \"tabby\"}\n{\"file_name\": "
               "\"dog/2.jpg\", \"label\": \"pug\"}\n");
  folder.write("test/metadata.csv", "file_name,caption\n3.jpg,\"a, b\"\n");
  const DiscoveredInput input = detected(folder);
  CHECK(input.classes("train") == Names{"cat/1: tabby", "dog/2: pug"});
  CHECK(input.keys("test") == Names{"3"});
  CHECK(line(input, 1) == "test: table 'test/metadata.csv'");
}

TEST_CASE("a data set in a subfolder is found with its class file") {
  const TempFolder folder;
  touch(folder, {"archive/Kvasir-SEG/images/1.jpg", "archive/Kvasir-SEG/masks/1.jpg"});
  folder.write("archive/class_dict.csv", kColors);
  const DiscoveredInput input = detected(folder);
  CHECK(input.keys() == Names{"1"});
  CHECK(line(input, 0) ==
        "layout of " + folder / "archive/Kvasir-SEG: a folder of images and one of labels");
  CHECK(input.discovery.label.classes == folder / "archive/class_dict.csv");
}

TEST_CASE("two equally good readings are an error with options for each") {
  const TempFolder folder;
  touch(folder,
        {"training/images/1.jpg", "training/v1.2/labels/1.png", "training/v2.0/labels/1.png",
         "validation/images/2.jpg", "validation/v1.2/labels/2.png", "validation/v2.0/labels/2.png",
         "testing/images/3.jpg"});
  const Error error = refused(root_options(folder.path()));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.message, ContainsSubstring("can be read in 2 ways"));
  const std::string t = folder / "training/", v = folder / "validation/";
  CHECK_THAT(
      error.message,
      ContainsSubstring("\n  hotpack pack --images " + t + "images --labels " + t +
                        "v2.0/labels --key-prefix training --images " + v + "images --labels " + v +
                        "v2.0/labels --key-prefix validation --split folder"));

  // And these options do it.
  PackOptions options;
  options.input.images = {t + "images", v + "images"};
  options.input.labels = {t + "v2.0/labels", v + "v2.0/labels"};
  options.input.key_prefixes = {"training", "validation"};
  options.input.split.method = SplitOptions::Method::folder;
  CHECK(discovered_clean(options).pairs(folder, "validation") ==
        Names{"2: validation/images/2.jpg validation/v2.0/labels/2.png"});

  const TempFolder flat;
  touch(flat, {"my images/images/1.jpg", "my images/masks/1.png", "my images/labels/1.png"});
  CHECK_THAT(refused(root_options(flat.path())).message,
             ContainsSubstring("--images '" + flat / "my images/images' --labels '" +
                               flat / "my images/masks'"));
}

TEST_CASE("images without labels or classes are refused with the known layouts") {
  const TempFolder folder;
  touch(folder, {"1.jpg", "2.jpg", "notes.txt"});
  const Error error = refused(root_options(folder.path()));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(
      error.describe(),
      ContainsSubstring(folder.path() + ": has no known layout: it holds 2 images and no folders"));
  CHECK_THAT(error.message,
             ContainsSubstring("Looked for pairs of folders such as 'images' and 'labels'"));
  CHECK_THAT(error.message,
             ContainsSubstring("--images " + folder.path() + " alone for images without labels"));
}

TEST_CASE("half a data set is reported as such") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "other/x.txt"});
  CHECK_THAT(
      refused(root_options(folder.path())).message,
      ContainsSubstring("2 folders ('images', 'other'); no folder of labels belongs to 'images'"));
  const TempFolder labels;
  touch(labels, {"annotations/test/1.png"});
  CHECK_THAT(refused(root_options(labels.path())).message,
             ContainsSubstring("no folder of images belongs to 'annotations'"));
  const TempFolder nothing;
  touch(nothing, {"a/list.csv"});
  CHECK_THAT(refused(root_options(nothing.path())).message,
             ContainsSubstring("no image was found in this folder or below"));
}

TEST_CASE("JSON polygons are reported if there are no other labels") {
  const TempFolder folder;
  touch(folder, {"train2017/1.jpg", "annotations/instances_train2017.json"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("'annotations/instances_train2017.json', but JSON (polygons "
                               "or run lengths of COCO, LabelMe and others) is "
                               "not supported; draw its masks as PNG files, one per image"));
}

TEST_CASE("a data set of another format has a layout and names its files") {
  const TempFolder folder;
  touch(folder, {"images/1.tif", "labels/1.tif"});
  const DiscoveredInput input = discovered(root_options(folder.path()));
  CHECK(input.problems.group(ProblemKind::unsupported_file).count == 2);
  CHECK_THAT(input.problems.text(), ContainsSubstring("TIFF is not supported"));

  const TempFolder classes;
  touch(classes, {"ant/1.webp", "ant/3.jpg", "bee/2.webp"});
  CHECK(discovered(root_options(classes.path()))
            .problems.group(ProblemKind::unsupported_file)
            .count == 2);
}

TEST_CASE("several data sets in a folder are reported") {
  const TempFolder folder;
  touch(folder, {"a/images/1.jpg", "a/masks/1.png", "b/train/1.jpg", "b/train_labels/1.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("contains data sets; pack them one at a time: '" + folder / "a', '" +
                               folder / "b'"));
}

TEST_CASE("a linked folder is followed, and a loop ends") {
  const TempFolder folder;
  touch(folder, {"real/images/1.jpg", "real/masks/1.png"});
  std::filesystem::create_directory(folder / "set");
  std::filesystem::create_directory_symlink(folder / "real/images", folder / "set/images");
  std::filesystem::create_directory_symlink(folder / "real/masks", folder / "set/masks");
  std::filesystem::create_directory_symlink(folder.path(), folder / "set/up");
  CHECK(discovered_clean(root_options(folder / "set")).keys() == Names{"1"});
  std::filesystem::create_directory_symlink(folder.path(), folder / "real/self");
  CHECK_THAT(refused(root_options(folder.path())).message, ContainsSubstring("contains data sets"));
}

TEST_CASE("a table that cannot be used next to the images says why") {
  const TempFolder folder;
  touch(folder, {"a.png", "b.png"});
  const auto message = [&](const std::string& table) {
    folder.write("table.csv", table);
    return refused(root_options(folder.path())).message;
  };
  CHECK_THAT(message("image,label\na.png,cat\nb.png,dog\n"),
             ContainsSubstring("The table table.csv names files that exist") &&
                 ContainsSubstring("--pairs " + folder / "table.csv"));
  CHECK_THAT(message("image,label\na.png,cat\nb.png,dog,2\n"),
             ContainsSubstring("table.csv may be a table of the samples, but cannot be read as "
                               "one: line 3: has 3 columns"));
  CHECK_THAT(message("image,label\na.png,cat\nc.png,dog\n"),
             ContainsSubstring("names files that do not exist, such as " + folder / "c.png"));
  CHECK_THAT(message("image,label\na.png,cat\na.png,dog\n"),
             ContainsSubstring("but not all of its samples can be packed"));
}

TEST_CASE("a root without images is refused with advice") {
  const TempFolder folder;
  folder.write("table.csv", "image,mask\n");
  folder.write("packed/dataset.json", "{}");
  CHECK(refused(root_options(folder / "missing")).code == ErrorCode::io);
  const Error file = refused(root_options(folder / "table.csv"));
  CHECK(file.code == ErrorCode::usage);
  CHECK_THAT(file.message, ContainsSubstring("is a file, expected the folder of a data set; give "
                                             "a table of images and labels with --pairs"));
  CHECK_THAT(refused(root_options(folder / "packed")).message,
             ContainsSubstring("is a packed data set"));
}

TEST_CASE("a data set without splits can be divided, one with splits cannot") {
  const TempFolder folder;
  for (int i = 0; i < 10; ++i)
    touch(folder, {"images/" + std::to_string(i) + ".jpg", "masks/" + std::to_string(i) + ".png"});
  PackOptions options = root_options(folder.path() + "/");
  options.input.split.method = SplitOptions::Method::ratio;
  options.input.split.parts = {{"train", "80"}, {"val", "20"}};
  CHECK(discovered_clean(options).keys("val").size() == 2);

  const TempFolder divided;
  touch(divided, {"train/1.png", "train_labels/1.png"});
  options.input.root = divided.path();
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("this data set has splits of its own"));
}

TEST_CASE("names that differ by case or joint do not take each other's labels") {
  const TempFolder folder;
  touch(folder,
        {"images/train/1.png", "images/Train/1.png", "labels/train/1.png", "labels/Train/1.png"});
  const DiscoveredInput input = detected(folder);
  CHECK(input.pairs(folder, "train") == Names{"1: images/train/1.png labels/train/1.png"});
  CHECK(input.pairs(folder, "Train") == Names{"1: images/Train/1.png labels/Train/1.png"});

  const TempFolder shared;
  touch(shared, {"images/train/1.png", "images/Train/1.png", "labels/train/1.png"});
  CHECK_THAT(refused(root_options(shared.path())).message, ContainsSubstring("the labels of both"));

  const TempFolder joints;
  touch(joints, {"train/1.png", "train-labels/1.png", "train_labels/1.png"});
  const Error error = refused(root_options(joints.path()));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.message,
             ContainsSubstring("the labels of '" + joints / "train" + "' may be in '" +
                               joints / "train-labels" + "' or in '" + joints / "train_labels'"));
  CHECK_THAT(error.message, ContainsSubstring("--key-prefix NAME and --split folder"));
}

TEST_CASE("two image folders for one split are an error") {
  const TempFolder folder;
  touch(folder,
        {"images_train/1.png", "images-train/2.png", "labels_train/1.png", "labels-train/2.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("the labels of '" + folder / "images-train" + "' may be in '" +
                               folder / "labels-train'"));
  const TempFolder cases;
  touch(cases, {"images/1.png", "Images/2.png", "labels/1.png", "labels/2.png"});
  CHECK_THAT(refused(root_options(cases.path())).message,
             ContainsSubstring("both '" + cases / "Images" + "' and '" + cases / "images" +
                               "' hold images"));
}

TEST_CASE("images/val with labels/validation is not an unlabeled set") {
  const TempFolder folder;
  touch(folder, {"images/train/1.png", "images/val/2.png", "labels/train/1.png",
                 "labels/validation/2.png"});
  CHECK_THAT(
      refused(root_options(folder.path())).message,
      ContainsSubstring("no folder holds the labels of '" + folder / "images/val" +
                        "', and no folder holds the images of '" + folder / "labels/validation'"));
  const TempFolder more;
  touch(more, {"images/train/1.png", "labels/train/1.png", "labels/validation/2.png"});
  CHECK(detected(more).discovery.warnings ==
        Names{unused_warning("1 image in 'labels/validation'")});
}

TEST_CASE("nested classes and splits of one class are not left out") {
  const TempFolder folder;
  touch(folder, {"train/cat/1.jpg", "train/dog/2.jpg", "train/bird/x/3.jpg", "val/cat/4.jpg"});
  const DiscoveredInput input = detected(folder);
  CHECK(input.classes("train") == Names{"bird/x/3: bird", "cat/1: cat", "dog/2: dog"});
  CHECK(input.classes("val") == Names{"cat/4: cat"});
  touch(folder, {"test/images/5.jpg"});
  const Error error = refused(root_options(folder.path()));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.message,
             ContainsSubstring(folder / "train" + "' has class folders, but '" + folder / "test"));
}

TEST_CASE("a split without a table next to one with a table is an error") {
  const TempFolder folder;
  touch(folder, {"train/1.jpg", "val/2.jpg"});
  folder.write("train/metadata.csv", "file_name,label\n1.jpg,cat\n");
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring(folder / "train" +
                               "' has a table ('metadata.csv' or 'metadata.jsonl'), but '" +
                               folder / "val"));
}

TEST_CASE("a table without labels does not override label folders") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "masks/1.png"});
  folder.write("metadata.csv", "file_name,caption\nimages/1.jpg,x\n");
  const DiscoveredInput input = detected(folder);
  CHECK(input.pairs(folder) == Names{"1: images/1.jpg masks/1.png"});
  CHECK_THAT(input.discovery.layout, ContainsSubstring("the table '" + folder / "metadata.csv" +
                                                       "' is not used: it has no label column"));
}

TEST_CASE("files next to an inner data set are reported, the search is bounded") {
  const TempFolder folder;
  touch(folder, {"siteA/images/1.jpg", "siteA/masks/1.png", "siteB/2.png"});
  CHECK(detected(folder).discovery.warnings ==
        Names{unused_warning("1 image in '" + folder / "siteB'")});
  for (int i = 0; i < 70; ++i) touch(folder, {"siteA0/" + std::to_string(i) + "/x.txt"});
  touch(folder, {"siteZ/images/1.jpg", "siteZ/masks/1.png"});
  const Error error = refused(root_options(folder.path()));
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.message,
             ContainsSubstring("after 64 folders; give the folder of the data set itself"));
}

TEST_CASE("a stray image next to the class folders of a split is reported") {
  const TempFolder folder;
  touch(folder, {"train/cat/1.jpg", "train/dog/2.jpg", "train/dog/3.jpg", "train/stray.jpg",
                 "val/cat/4.jpg", "val/dog/5.jpg", "test/6.jpg"});
  DiscoveredInput input = discovered(root_options(folder.path()));
  CHECK(input.problems.group(ProblemKind::no_class_folder).count == 1);
  CHECK_THAT(input.problems.text(),
             ContainsSubstring(folder / "train/stray.jpg: the file is in no class folder"));
  CHECK(input.classes("train") == Names{"cat/1: cat", "dog/2: dog", "dog/3: dog"});
  CHECK(input.list("test").class_names.empty());

  touch(folder, {"val/other.jpg"});  // in every split
  input = discovered(root_options(folder.path()));
  CHECK(input.problems.group(ProblemKind::no_class_folder).count == 2);
  CHECK(input.classes("val") == Names{"cat/4: cat", "dog/5: dog"});
}

TEST_CASE("class folders outnumber stray images even in a single split") {
  const TempFolder folder;
  touch(folder,
        {"train/n1/1.jpg", "train/n2/2.jpg", "val/n3/3.jpg", "val/n4/4.jpg", "val/preview.png"});
  const DiscoveredInput input = discovered(root_options(folder.path()));
  CHECK_THAT(input.problems.text(),
             ContainsSubstring(folder / "val/preview.png: the file is in no class folder"));
  CHECK(input.classes("val") == Names{"n3/3: n3", "n4/4: n4"});
}

TEST_CASE("images with a folder of thumbnails remain an unlabeled set") {
  const TempFolder folder;
  touch(folder, {"train/cat/1.jpg", "train/dog/2.jpg", "test/3.jpg", "test/4.jpg",
                 "test/thumbs/3.jpg", "test/thumbs/4.jpg"});
  const DiscoveredInput input = discovered(root_options(folder.path()));
  CHECK(input.list("test").class_names.empty());
}
