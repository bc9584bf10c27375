#include "discovery/layout_detection.hpp"

#include "support/discover_inputs.hpp"
#include "support/test_images.hpp"

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
  for (const std::string split : {"train", "Training", "valid", "validation", "testing", "dev",
                                  "trainval", "train2017", "holdout"}) {
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

TEST_CASE("rows of published data sets pair names that differ by any part") {
  struct Case {
    std::string image, label, split, key;
  };
  for (const Case& row :
       {Case{"training/image_2/umm_000001.png", "training/gt_image_2/umm_road_000001.png",
             "training", "umm/000001"},
        Case{"training/image_2/1_10.png", "training/semantic/1_10.png", "training", "1_10"},
        Case{"Train/Rural/images_png/0.png", "Train/Rural/masks_png/0.png", "Train", "Rural/0"},
        Case{"uavid_val/seq20/Images/1.png", "uavid_val/seq20/Labels/1.png", "val", "seq20/1"},
        Case{"JPEGImages/480p/bear/0.jpg", "Annotations/480p/bear/0.png", "", "bear/0"},
        Case{"ISBI2016_ISIC_Part1_Test_Data/I_1.jpg",
             "ISBI2016_ISIC_Part1_Test_GroundTruth/I_1_Segmentation.png", "Test", "I_1"},
        Case{"ISIC-2017_Training_Data/I_1.jpg",
             "ISIC-2017_Training_Part1_GroundTruth/I_1_segmentation.png", "Training", "I_1"},
        Case{"ISIC2018_Task1-2_Training_Input/I_1.jpg",
             "ISIC2018_Task1_Training_GroundTruth/I_1_segmentation.png", "Training", "I_1"},
        Case{"DUTS-TR/DUTS-TR-Image/1.jpg", "DUTS-TR/DUTS-TR-Mask/1.png", "TR", "1"},
        Case{"TrainVal_images/train_images/1.jpg",
             "TrainVal_parsing_annotations/train_segmentations/1.png", "train", "1"},
        Case{"Training/Images/1.jpg", "Training/Category_ids/1.png", "Training", "1"},
        Case{"val/src/1.JPG", "val/gt/1.png", "val", "1"},
        Case{"RGB/1.png", "GT/LABELS/1.png", "", "1"},
        Case{"RGBLeft/1.png", "GTLeft/1.png", "", "1"},
        Case{"SEQ1/RGBLeft/1.png", "SEQ1/GTLeft/1.png", "", "SEQ1/1"},
        Case{"00000/pylon_camera_node/1.jpg", "00000/pylon_camera_node_label_id/1.png", "",
             "00000/1"},
        Case{"d1/camera/cam_front/d1_camera_front_1.png", "d1/label/cam_front/d1_label_front_1.png",
             "", "d1/cam_front/d1/front_1"},
        Case{"img/1.png", "masks_machine/1.png", "", "1"},
        Case{"img0_json/img.png", "img0_json/label.png", "", "img0"},
        Case{"train_img/1.jpg", "train_lab/1.png", "train", "1"},
        Case{"x_train/1.jpg", "y_train/1.png", "train", "1"},
        Case{"X_val/1.jpg", "Y_val/1.png", "val", "1"}}) {
    const TempFolder folder;
    touch(folder, {row.image, row.label});
    INFO(row.image);
    const DiscoveredInput input = detected(folder);
    REQUIRE(input.split_names() == Names{row.split});
    CHECK(input.pairs(folder, row.split) == Names{row.key + ": " + row.image + " " + row.label});
  }
}

TEST_CASE("several folders of images and labels are one set of sequences") {
  const TempFolder folder;
  touch(folder, {"a/photos/1.jpg", "a/masks/1.png", "b/photos/1.jpg", "b/masks/1.png"});
  CHECK(detected(folder).pairs(folder) ==
        Names{"a/1: a/photos/1.jpg a/masks/1.png", "b/1: b/photos/1.jpg b/masks/1.png"});
  const TempFolder splits;
  touch(splits, {"train/a/photos/1.jpg", "train/a/masks/1.png", "train/b/photos/1.jpg",
                 "train/b/masks/1.png"});
  CHECK(detected(splits).keys("train") == Names{"a/1", "b/1"});
}

TEST_CASE("lists of a row may name sequences, and trn is a split") {
  const TempFolder davis;
  touch(davis, {"JPEGImages/480p/bear/0.jpg", "JPEGImages/480p/cat/0.jpg",
                "Annotations/480p/bear/0.png", "Annotations/480p/cat/0.png"});
  davis.write("ImageSets/2017/train.txt", "bear\n");
  davis.write("ImageSets/2017/val.txt", "cat\n");
  const DiscoveredInput input = detected(davis);
  CHECK(input.keys("train") == Names{"bear/0"});
  CHECK(input.keys("val") == Names{"cat/0"});
  const TempFolder scapes;
  touch(scapes, {"JPEGImages/1.jpg", "JPEGImages/2.jpg", "SegmentationClass/1.png",
                 "SegmentationClass/2.png"});
  scapes.write("ImageSets/trn.txt", "1\n");
  scapes.write("ImageSets/val.txt", "2\n");
  CHECK(detected(scapes).split_names() == Names{"trn", "val"});
}

TEST_CASE("class files of splits and samples are used if they agree") {
  const TempFolder roboflow;
  for (const std::string split : {"train", "valid"}) {
    touch(roboflow, {split + "/" + split + ".jpg", split + "/" + split + "_mask.png"});
    roboflow.write(split + "/_classes.csv", "Pixel Value, Class\n0, background\n1, leaf\n");
  }
  CHECK(detected(roboflow).discovery.label.classes == roboflow / "train/_classes.csv");
  roboflow.write("valid/_classes.csv", "Pixel Value, Class\n0, background\n1, stem\n");
  CHECK_THAT(refused(root_options(roboflow.path())).message,
             ContainsSubstring("class 1 is 'leaf' in '") && ContainsSubstring("--classes FILE"));
  const TempFolder labelme;
  for (const std::string name : {"a", "b"})
    touch(labelme, {name + "_json/img.png", name + "_json/label.png"});
  labelme.write("a_json/label_names.txt", "_background_\napple\npea\n");
  labelme.write("b_json/label_names.txt", "_background_\napple\n");
  CHECK(detected(labelme).discovery.label.classes == labelme / "a_json/label_names.txt");
  labelme.write("b_json/label_names.txt", "_background_\npea\n");
  CHECK_THAT(refused(root_options(labelme.path())).message,
             ContainsSubstring("class 'pea' has the id 2 in '"));
}

TEST_CASE("a command for a row that leaves files out names them") {
  const TempFolder folder;
  touch(folder, {"training/image_2/um_000001.png", "training/gt_image_2/um_road_000001.png",
                 "training/gt_image_2/um_lane_000001.png"});
  PackOptions options = root_options(folder.path());
  options.input.split.method = SplitOptions::Method::ratio;
  options.input.split.parts = {{"train", "80"}, {"val", "20"}};
  CHECK_THAT(refused(options).message,
             ContainsSubstring(" --exclude '*_lane_*' --split ratio:train=80,val=20 -o OUT"));
}

TEST_CASE("several masks of an image are refused with the commands") {
  const TempFolder folder;
  touch(folder, {"stage1_train/a/images/a.png", "stage1_train/a/masks/1.png",
                 "stage1_train/a/masks/2.png"});
  const std::string base = folder / "stage1_train";
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("holds folders with one image and several masks each") &&
                 ContainsSubstring("--images '" + base + "/{key}/images/*' --labels '" + base +
                                   "/{key}/masks/*' --label-kind binary -o OUT"));
  const TempFolder cells;
  touch(cells, {"x/img/a.png", "x/mask/1.png", "y/img/b.png", "y/mask/2.png", "y/mask/3.png"});
  CHECK_THAT(refused(root_options(cells.path())).message,
             ContainsSubstring("such as '" + (cells / "y") + "'") &&
                 ContainsSubstring("/{key}/mask/*' --label-kind instances -o OUT"));
}

TEST_CASE("files that are neither images nor labels are left out by their row") {
  const TempFolder folder;
  touch(folder, {"training/image_2/um_000001.png", "training/gt_image_2/um_road_000001.png",
                 "training/gt_image_2/um_lane_000001.png"});
  CHECK(detected(folder).keys("training") == Names{"um/000001"});
  const TempFolder labelme;
  touch(labelme, {"a_json/img.png", "a_json/label.png", "a_json/label_viz.png"});
  CHECK(detected(labelme).keys() == Names{"a"});
  const TempFolder isic;
  touch(isic, {"ISIC-2017_Training_Data/I_1.jpg", "ISIC-2017_Training_Data/I_1_superpixels.png",
               "ISIC-2017_Training_Part1_GroundTruth/I_1_segmentation.png"});
  CHECK(detected(isic).keys("Training") == Names{"I_1"});
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

TEST_CASE("class folders are never taken, and their command is finished") {
  struct Case {
    Names files;
    std::string more;
  };
  for (const Case& one :
       {Case{{"ant/1.jpg", "bee/2.jpg"}, ""},
        Case{{"ant/1.jpg", "bee/deep/2.jpg", "bee/3.jpg"}, ""},
        Case{{"cat/1.jpg", "dog/1.jpg", "emu/1.jpg"}, ""},
        Case{{"mask/1.jpg", "no_mask/2.jpg"}, ""},
        Case{{"ant/1.jpg", "bee/2.jpg", "thumbs/1.jpg"}, " --exclude thumbs"},
        Case{{"train/ant/1.jpg", "train/bee/2.jpg", "val/ant/3.jpg", "val/cat/4.jpg", "test/5.jpg",
              "train/.ipynb_checkpoints/x.jpg"},
             " --split folder"},
        Case{{"train/cat/1.jpg", "train/dog/2.jpg", "train/bird/x/3.jpg", "val/cat/4.jpg"},
             " --split folder"}}) {
    const TempFolder folder;
    touch(folder, one.files);
    INFO(one.files.front());
    const Error error = refused(root_options(folder.path()));
    CHECK(error.code == ErrorCode::data);
    CHECK_THAT(error.message, ContainsSubstring("has no known layout. It holds:\n  '") &&
                                  ContainsSubstring("If each folder is a class (") &&
                                  ContainsSubstring("\n  hotpack pack --image-folders " +
                                                    folder.path() + one.more + " -o OUT"));
  }
}

TEST_CASE("many class folders are no reason to end without their command") {
  const TempFolder folder;
  for (int i = 0; i < 100; ++i) touch(folder, {"n" + std::to_string(i) + "/1.jpg"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("and 88 more folders") &&
                 ContainsSubstring("--image-folders " + folder.path() + " -o OUT"));
}

TEST_CASE("two folders with the same file names are a question") {
  struct Case {
    std::string images, labels, before, behind, options;
  };
  for (const Case& names :
       {Case{"scans", "annotated", "", "_annot", " --label-suffix _annot"},
        Case{"tiles", "truth", "", "_ESA_WorldCover.tif", " --label-suffix _ESA_WorldCover.tif"},
        Case{"y", "x", "", "", ""}}) {
    const TempFolder folder;
    for (int i = 0; i < 14; ++i) {
      const std::string plain = "P" + std::to_string(100 + i);
      touch(folder, {names.images + "/" + plain + ".JPG",
                     names.labels + "/" + names.before + plain + names.behind + ".png"});
    }
    const Error error = refused(root_options(folder.path()));
    CHECK(error.code == ErrorCode::data);
    CHECK_THAT(
        error.message,
        ContainsSubstring("If '" + names.labels + "' holds the labels of '" + names.images +
                          "' (14 pairs: 'P100.JPG' with 'P100" + names.behind +
                          ".png', 'P101.JPG' with ") &&
            ContainsSubstring("\n  hotpack pack --images " + folder / names.images + " --labels " +
                              folder / names.labels + names.options + " -o OUT"));
    PackOptions classes;
    classes.input.image_folders = {folder.path()};
    CHECK(discovered_clean(classes).list().samples.size() == 28);
    std::filesystem::remove(folder / names.labels + "/" + names.before + "P100" + names.behind +
                            ".png");
    CHECK_THAT(refused(root_options(folder.path())).message, !ContainsSubstring("pack --images"));
  }
}

TEST_CASE("names that differ by a prefix are paired by a pattern") {
  const TempFolder folder;
  for (const std::string name : {"a", "b", "c"})
    touch(folder, {"one/" + name + ".jpg", "two/gt." + name + ".png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("(3 pairs: 'a.jpg' with 'gt.a.png', ") &&
                 ContainsSubstring("--labels '" + folder / "two/gt.{key}.*' -o OUT"));
  const TempFolder numbers;
  touch(numbers, {"rgb_1.jpg", "rgb_2.jpg", "seg_1.png", "seg_2.png"});
  CHECK_THAT(refused(root_options(numbers.path())).message,
             ContainsSubstring("--images '" + numbers / "rgb_{key}.jpg' --labels '" +
                               numbers / "seg_{key}.png' -o OUT"));
}

TEST_CASE("pairs of folders become splits, and folders in splits one command") {
  const TempFolder folder;
  for (const std::string split : {"train", "val"})
    for (const std::string name : {"1", "2"})
      touch(folder, {"raw_" + split + "/" + split + name + ".jpg",
                     "cut_" + split + "/" + split + name + ".png"});
  CHECK_THAT(
      refused(root_options(folder.path())).message,
      ContainsSubstring("--images " + folder / "raw_train" + " --labels " + folder / "cut_train" +
                        " --key-prefix train --images " + folder / "raw_val" + " --labels " +
                        folder / "cut_val" + " --key-prefix val --split folder -o OUT"));
  const TempFolder splits;
  for (const std::string split : {"train", "val"})
    touch(splits, {split + "/raw/1.jpg", split + "/cut/1.png"});
  CHECK_THAT(
      refused(root_options(splits.path())).message,
      ContainsSubstring("--images " + splits / "train/raw" + " --labels " + splits / "train/cut" +
                        " --key-prefix train --images " + splits / "val/raw" + " --labels " +
                        splits / "val/cut" + " --key-prefix val --split folder -o OUT"));
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
      CHECK_THAT(message, ContainsSubstring("labels end with '" + end +
                                            "': 12 of 12 images have a label:\n  hotpack pack " +
                                            folder.path() + " --label-suffix " + end + " -o OUT"));
  }
}

TEST_CASE("of two folders with forms of one label, the ids are used") {
  const TempFolder folder;
  for (const std::string name : {"a", "b", "c"})
    touch(folder, {"pics/" + name + ".jpg", "lab/" + name + "_color.png",
                   "lab/" + name + "_instanceIds.png", "lab/" + name + "_labelIds.png"});
  CHECK(detected(folder).pairs(folder)[0] == "a: pics/a.jpg lab/a_labelIds.png");
}

TEST_CASE("labels next to too few images are named, without a command") {
  const TempFolder folder;
  for (int i = 0; i < 10; ++i) touch(folder, {std::to_string(i) + ".png"});
  for (int i = 1; i < 10; ++i) touch(folder, {std::to_string(i) + "_seg.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("has no known layout") &&
                 ContainsSubstring("labels end with '_seg': 9 of 10 images have a label "
                                   "(--label-suffix _seg); the others would have to be left out") &&
                 !ContainsSubstring("--orphans skip"));
}

TEST_CASE("the files of a folder per sample are paired by patterns") {
  const TempFolder folder;
  for (const std::string name : {"p1/", "p2/", "p3/"})
    touch(folder, {name + "scan.jpg", name + "roi.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("(3 pairs: 'p1/scan.jpg' with 'p1/roi.png', ") &&
                 ContainsSubstring("--images '" + folder / "{key}/scan.jpg' --labels '" +
                                   folder / "{key}/roi.png' -o OUT"));
  const TempFolder many;
  for (const std::string name : {"a/", "b/"})
    touch(many, {name + "photo/x.jpg", name + "cells/m.png", name + "cells/n.png"});
  CHECK_THAT(refused(root_options(many.path())).message,
             ContainsSubstring("several masks of an image, which are merged") &&
                 ContainsSubstring("--labels '" + many / "{key}/cells/*' -o OUT"));
}

TEST_CASE("pairs of folders at any depth become one command with prefixes") {
  const TempFolder folder;
  for (const std::string name : {"A", "B"})
    for (const std::string number : {"1", "2"})
      touch(folder, {"data" + name + "/CameraRGB/" + number + ".jpg",
                     "data" + name + "/CameraSeg/" + number + ".png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("--images " + folder / "dataA/CameraRGB --labels " +
                               folder / "dataA/CameraSeg --key-prefix dataA --images " +
                               folder / "dataB/CameraRGB --labels " +
                               folder / "dataB/CameraSeg --key-prefix dataB -o OUT"));
}

TEST_CASE("other labels next to the labels are a question") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "masks/1.png", "vessels/1.png", "site/1.jpg"});
  const std::string message = refused(root_options(folder.path())).message;
  CHECK_THAT(message, ContainsSubstring("can be read in 2 ways. It holds:\n  'images': 1 JPEG") &&
                          ContainsSubstring("If 'vessels' holds labels:\n  hotpack pack --images " +
                                            folder / "images --labels " + folder / "vessels"));
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
  CHECK_THAT(error.describe(), ContainsSubstring(folder.path() + ": has no known layout. It "
                                                                 "holds:\n  '.': 1 .txt, 2 JPEG"));
  CHECK_THAT(error.message, ContainsSubstring("without labels --images DIR"));
}

TEST_CASE("half a data set is reported with the nearest rows") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "other/x.txt"});
  CHECK_THAT(
      refused(root_options(folder.path())).message,
      ContainsSubstring("The nearest known layouts:\n  a folder of images and one of labels: "
                        "'images' would hold images, but no folder has a name of their "
                        "labels, such as 'labels'\n") &&
          !ContainsSubstring("Mapillary"));
  const TempFolder road;
  touch(road, {"training/image_2/um_000000.png", "training/calib/um_000000.txt"});
  CHECK_THAT(
      refused(root_options(road.path())).message,
      ContainsSubstring("KITTI road: 'training/image_2' would hold images, but no folder has "
                        "a name of their labels, such as 'training/gt_image_2/x_road_0'\n  KITTI "
                        "semantics:"));
  const TempFolder nothing;
  touch(nothing, {"a/list.csv"});
  CHECK_THAT(refused(root_options(nothing.path())).message,
             ContainsSubstring("no image was found in this folder or below:\n  'a': 1 .csv"));
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
}

TEST_CASE("several data sets in a folder are reported") {
  const TempFolder folder;
  touch(folder, {"a/images/1.jpg", "a/masks/1.png", "b/train/1.jpg", "b/train_labels/1.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("contains 2 data sets: '" + folder / "a', '" + folder / "b'.") &&
                 ContainsSubstring("One of them:\n  hotpack pack " + folder / "a" + " -o OUT"));
  const TempFolder tiles;
  touch(tiles, {"crack/1.jpg", "crack/1.png", "hole/2.jpg", "hole/2.png"});
  CHECK_THAT(refused(root_options(tiles.path())).message,
             ContainsSubstring("As one data set:\n  hotpack pack --images " + tiles.path() +
                               " --labels " + tiles.path() + " -o OUT\n"));
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
  CHECK(detected(folder).keys() == Names{"real/1", "set/1"});
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
             ContainsSubstring("but not all of its samples can be packed: " + folder / "a.png" +
                               ": is in several lines of '" + folder / "table.csv'"));
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
  PackOptions options;
  options.input.image_folders = {folder.path()};
  options.input.split.method = SplitOptions::Method::folder;
  DiscoveredInput input = discovered(options);
  CHECK(input.problems.group(ProblemKind::no_class_folder).count == 1);
  CHECK_THAT(input.problems.text(),
             ContainsSubstring(folder / "train/stray.jpg: the file is in no class folder"));
  CHECK(input.classes("train") == Names{"cat/1: cat", "dog/2: dog", "dog/3: dog"});
  CHECK(input.list("test").class_names.empty());

  touch(folder, {"val/other.jpg"});  // in every split
  input = discovered(options);
  CHECK(input.problems.group(ProblemKind::no_class_folder).count == 2);
  CHECK(input.classes("val") == Names{"cat/4: cat", "dog/5: dog"});
}

TEST_CASE("a stray picture beside splits is left out and reported") {
  const TempFolder folder;
  for (const std::string split : {"train", "valid", "test"})
    touch(folder, {split + "/" + split + "1.jpg", split + "/" + split + "1_mask.png"});
  touch(folder, {"overview.jpg"});
  const DiscoveredInput input = detected(folder);
  CHECK(input.split_names() == Names{"test", "train", "valid"});
  CHECK(input.discovery.warnings ==
        Names{unused_warning("1 image directly in '" + folder.path() + "'")});
  std::filesystem::remove(folder / "overview.jpg");
  touch(folder, {"x.jpg", "x_mask.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("can be read in 2 ways"));
}

TEST_CASE("a split with photographs and labels is no set of images alone") {
  const std::vector<std::uint8_t> black(4);
  const Bytes gray = make_gray_png(2, 2, black);
  const std::string label(reinterpret_cast<const char*>(gray.data()), gray.size());
  for (const std::string place : {"test/2_map.png", "test/gt/2.png"}) {
    const TempFolder folder;
    touch(folder, {"train/1.jpg", "train_labels/1.png", "test/2.jpg"});
    folder.write(place, label);
    CHECK_THAT(refused(root_options(folder.path())).message,
               ContainsSubstring("the split 'test' has no labels where the other splits have "
                                 "them, but holds photographs and files that look like labels, "
                                 "such as '" +
                                 folder / place + "'"));
  }
  const TempFolder folder;
  touch(folder, {"train/1.jpg", "train_labels/1.png", "test/2.jpg"});
  CHECK_FALSE(detected(folder).list("test").has_label_files);
}

TEST_CASE("an empty folder of labels is not the lack of one") {
  const TempFolder folder;
  touch(folder, {"images/train/1.jpg", "labels/train/1.png", "images/val/2.jpg"});
  folder.write("labels/val/.gitkeep", "");
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("the folder '" + folder / "labels/val" + "' of the labels of '" +
                               folder / "images/val" + "' holds no images"));
}

TEST_CASE("further images and labels next to a layout are a question") {
  for (const Names& more :
       {Names{"val/images/2.jpg", "val/labels/2.png"},  // next to folders of all samples
        Names{"images_aug/1.jpg", "labels_aug/1.png"}}) {
    const TempFolder folder;
    touch(folder, {"images/1.jpg", "labels/1.png"});
    touch(folder, more);
    const std::string message = refused(root_options(folder.path())).message;
    CHECK_THAT(message,
               ContainsSubstring("has no known layout") &&
                   ContainsSubstring("--images " + folder / more[0].substr(0, more[0].rfind('/'))));
  }
  const TempFolder sites;
  for (const std::string split : {"train", "test", "north"})
    touch(sites, {split + "/1.jpg", split + "_labels/1.png"});
  CHECK_THAT(refused(root_options(sites.path())).message,
             ContainsSubstring("'north_labels' holds the labels of 'north', and so on (3 pairs"));
}

TEST_CASE("labels with an unusual name are not left out") {
  const TempFolder folder;
  touch(folder, {"train/1.jpg", "train_labels/1.png", "val/1.jpg", "val_annotated/1.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("If 'val_annotated' holds the labels of 'val'") &&
                 ContainsSubstring("; leaves out 2 images, such as 'train/1.jpg'"));
  const TempFolder typo;
  touch(typo, {"train/images/1.jpg", "train/labels/1.png", "val/images/2.jpg", "val/lables/2.png"});
  CHECK_THAT(refused(root_options(typo.path())).message,
             ContainsSubstring("If 'val/lables' holds the labels of 'val/images'"));
}

TEST_CASE("other labels of one split are a question about this split") {
  const TempFolder folder;
  touch(folder, {"train/1.jpg", "train_masks/1.png", "val/1.jpg", "val_masks/1.png",
                 "val_masks_fixed/1.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("If 'val_masks_fixed' holds labels:\n  hotpack pack --images " +
                               folder / "train --labels " + folder / "train_masks") &&
                 !ContainsSubstring("--images " + folder / "train --labels " +
                                    folder / "val_masks_fixed"));
}

TEST_CASE("sites with lists of splits are data sets of their own") {
  const TempFolder folder;
  for (const std::string site : {"a", "b"}) {
    touch(folder, {site + "/images/1.jpg", site + "/labels/1.png"});
    folder.write(site + "/train.txt", "1\n");
  }
  CHECK_THAT(
      refused(root_options(folder.path())).message,
      ContainsSubstring("As one data set:\n  hotpack pack " + folder / "a " + folder / "b -o"));
  touch(folder, {"c/cam/1.jpg", "c/ids/1.png"});
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("As one data set; leaves out 2 images, such as 'c/cam/1.jpg':"));
}

TEST_CASE("lists that name folders of samples are not overlooked") {
  const TempFolder folder;
  touch(folder, {"a/images/1.jpg", "a/labels/1.png", "b/images/1.jpg", "b/labels/1.png"});
  folder.write("train.txt", "a\n");
  folder.write("test.txt", "b\n");
  const DiscoveredInput input = detected(folder);
  REQUIRE(input.discovery.warnings.size() == 1);
  CHECK_THAT(input.discovery.warnings[0],
             ContainsSubstring("train.txt' (1 sample) list samples of this data set") &&
                 ContainsSubstring("--split list:test="));
  const TempFolder classes;
  touch(classes, {"ant/1.jpg", "bee/2.jpg"});
  classes.write("lists/train_ids.txt", "ant/1\n");
  CHECK_THAT(refused(root_options(classes.path())).message,
             ContainsSubstring("It may hold lists of splits; to use them, add to a command\n  "
                               "--split list:train=" +
                               classes / "lists/train_ids.txt"));
}

TEST_CASE("of two tables the one with labels counts, and lines are not excluded") {
  const TempFolder folder;
  touch(folder, {"1.jpg"});
  folder.write("metadata.jsonl", "{\"file_name\": \"1.jpg\", \"text\": \"x\"}\n");
  folder.write("metadata.csv", "file_name,label\n1.jpg,cat\n");
  CHECK(detected(folder).classes() == Names{"1: cat"});
  PackOptions options = root_options(folder.path());
  options.input.exclude = {"1.jpg"};
  CHECK_THAT(refused(options).message, ContainsSubstring("leave out --exclude"));
  folder.write("metadata.jsonl", "{\"file_name\": \"1.jpg\", \"label\": \"x\"}\n");
  CHECK_THAT(refused(root_options(folder.path())).message,
             ContainsSubstring("name the samples and their labels; remove one of them"));
}

TEST_CASE("all parts of published sets with a second version are found") {
  const TempFolder isic;
  touch(isic, {"ISIC-2017_Training_Data/1.jpg", "ISIC-2017_Test_v2_Data/2.jpg",
               "ISIC-2017_Training_Part1_GroundTruth/1_segmentation.png",
               "ISIC-2017_Test_v2_Part1_GroundTruth/2_segmentation.png"});
  CHECK(detected(isic).split_names() == Names{"Test", "Training"});
  const TempFolder vistas;
  touch(vistas, {"images/1.jpg", "v1.2/labels/1.png", "v1.2/instances/1.png"});
  CHECK(detected(vistas).pairs(vistas) == Names{"1: images/1.jpg v1.2/labels/1.png"});
  const TempFolder rellis;
  touch(rellis, {"0/pylon_camera_node/1.jpg", "0/pylon_camera_node_label_id/1.png",
                 "0/pylon_camera_node_label_color/1.png"});
  CHECK(detected(rellis).keys() == Names{"0/1"});
}
