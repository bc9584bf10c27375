#include "discovery/known_layouts.hpp"

namespace hotpack::pipeline {

namespace {

using Rank = LayoutRank;
using Names = std::vector<std::string_view>;

// Builds a row; patterns are written as text.
KnownLayout row(Rank rank, std::string_view name, std::string_view images, std::string_view labels,
                Names lists = {}, Names exclude = {}) {
  return {rank,
          name,
          LayoutPattern(images),
          LayoutPattern(labels),
          std::move(lists),
          std::move(exclude)};
}

// Builds a row that only these options can pack.
KnownLayout row_with(KnownLayout row, std::string_view refusal, std::string_view options) {
  row.refusal = refusal, row.options = options;
  return row;
}

std::vector<KnownLayout> make_rows() {
  constexpr Rank known = Rank::data_set;
  const Names voc{"ImageSets/Segmentation", "ImageSets"};
  const Names davis{"ImageSets/2017", "ImageSets/480p", "ImageSets/1080p", "ImageSets/2016"};
  return {
      // Also CVAT's "Segmentation mask 1.1".
      row(known, "Pascal VOC", "JPEGImages", "SegmentationClass", voc),
      row(known, "Pascal VOC", "JPEGImages", "SegmentationClassPNG", voc),
      row(known, "Pascal VOC", "JPEGImages", "SegmentationClassAug", voc),
      row(known, "Pascal Context", "JPEGImages", "SegmentationClassContext",
          {"ImageSets/SegmentationContext", "ImageSets/Segmentation"}),
      row(known, "Cityscapes", "leftImg8bit/{split}", "gtFine/{split}"),
      row(known, "Cityscapes", "leftImg8bit/{split}", "gtCoarse/{split}"),
      row(known, "Cityscapes", "leftImg8bit/{split}", "gtCoarse_daytime_trainvaltest/{split}"),
      row(known, "Dark Zurich", "rgb_anon/{split}", "gt/{split}"),
      row(known, "BDD100K", "images/10k/{split}", "labels/sem_seg/masks/{split}"),
      row(known, "Mapillary Vistas", "{split}/images", "{split}/v1.2/labels"),
      row(known, "Mapillary Vistas", "{split}/images", "{split}/v2.0/labels"),
      row(known, "Mapillary Vistas", "images", "v1.2/labels"),
      row(known, "Mapillary Vistas", "images", "v2.0/labels"),
      row(known, "Oxford-IIIT Pet", "images", "annotations/trimaps", {"annotations"}),
      row(known, "CamVid", "701_StillsRaw_full", "LabeledApproved_full"),
      row(known, "KITTI road", "{split}/image_2/{*}_{n}", "{split}/gt_image_2/{*}_road_{n}", {},
          {"_lane_"}),
      row(known, "KITTI semantics", "{split}/image_2", "{split}/semantic"),
      row(known, "LoveDA", "{split}/{*}/images_png/{*}", "{split}/{*}/masks_png/{*}"),
      row(known, "UAVid", "uavid_{split}/{*}/Images/{*}", "uavid_{split}/{*}/Labels/{*}"),
      row(known, "DAVIS", "JPEGImages/480p", "Annotations/480p", davis),
      row(known, "DAVIS", "JPEGImages/1080p", "Annotations/1080p", davis),
      row(known, "DAVIS", "JPEGImages/Full-Resolution", "Annotations/Full-Resolution", davis),
      row(known, "ISIC 2016", "ISBI2016_ISIC_Part1_{split}_Data",
          "ISBI2016_ISIC_Part1_{split}_GroundTruth"),
      row(known, "ISIC 2017", "ISIC-2017_{split}{_v2}_Data",
          "ISIC-2017_{split}{_v2}_Part1_GroundTruth", {}, {"_superpixels."}),
      row(known, "ISIC 2018", "ISIC2018_Task1-2_{split}_Input",
          "ISIC2018_Task1_{split}_GroundTruth"),
      row(known, "DUTS", "DUTS-{TR|TE}/DUTS-{TR|TE}-Image", "DUTS-{TR|TE}/DUTS-{TR|TE}-Mask"),
      row(known, "LIP", "TrainVal_images/{split}_images",
          "TrainVal_parsing_annotations/{split}_segmentations"),
      row(known, "LIP", "{split}_images", "TrainVal_parsing_annotations/{split}_segmentations"),
      row(known, "CIHP", "{split}/Images", "{split}/Category_ids"),
      row(known, "VDD", "{split}/src", "{split}/gt"),
      row(known, "SYNTHIA", "RGB", "GT/LABELS"),
      row(known, "SYNTHIA-SF", "RGBLeft", "GTLeft"),
      row(known, "SYNTHIA-SF", "{*}/RGBLeft/{*}", "{*}/GTLeft/{*}"),
      row(known, "RELLIS-3D", "{*}/pylon_camera_node/{*}", "{*}/pylon_camera_node_label_id/{*}", {},
          {"_label_color"}),
      row(known, "A2D2", "{*}/camera/{*}/{*}_camera_{*}", "{*}/label/{*}/{*}_label_{*}"),
      row(known, "Supervisely", "img", "masks_machine"),
      row(known, "labelme_json_to_dataset", "{*}_json/img", "{*}_json/label", {}, {"label_viz."}),
      row(known, "Keras", "x{-}{split}", "y{-}{split}"),
      row(known, "Data Science Bowl 2018", "stage1_train/{*}/images/{*}",
          "stage1_train/{*}/masks/{*}"),
      row_with(row(known, "CelebAMask-HQ", "CelebA-HQ-img", "CelebAMask-HQ-mask-anno"),
               "an image has a mask for each part of the face, with zeros in front of its number",
               "--images R/CelebA-HQ-img --labels R/CelebAMask-HQ-mask-anno --mask-per-class "
               "*/{key}_{class} --fold numbers"),

      row(Rank::usual_splits, "folders of images and of labels, each divided into splits",
          "{images}/{split}", "{labels}/{split}"),
      row(Rank::usual_splits, "splits, each with a folder of images and one of labels",
          "{split}/{images}", "{split}/{labels}"),
      row(Rank::usual_splits, "splits, each next to a folder of its labels", "{split}",
          "{split}{-}{labels}"),
      row(Rank::usual_splits, "a folder of images and one of labels for each split",
          "{split}{-}{images}", "{split}{-}{labels}"),
      row(Rank::usual_splits, "a folder of images and one of labels for each split",
          "{images}{-}{split}", "{labels}{-}{split}"),

      row(Rank::usual, "a folder of images and one of labels", "{images}", "{labels}",
          {"splits", "split", "ImageSets/Segmentation", "ImageSets", "lists", "."}),

      row(Rank::sequences, "folders, each with a folder of images and one of labels",
          "{*}/{images}/{*}", "{*}/{labels}/{*}"),
      row(Rank::sequences, "splits of folders, each with a folder of images and one of labels",
          "{split}/{*}/{images}/{*}", "{split}/{*}/{labels}/{*}"),
  };
}

}  // namespace

const std::vector<KnownLayout>& known_layouts() {
  static const std::vector<KnownLayout> rows = make_rows();
  return rows;
}

}  // namespace hotpack::pipeline
