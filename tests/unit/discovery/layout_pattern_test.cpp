#include "discovery/layout_pattern.hpp"

#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

// "path split word" of what a pattern finds.
Names found(const TempFolder& folder, std::string_view pattern) {
  Names names;
  const FolderSurvey survey = survey_folders(folder.path()).value();
  for (const FoundFolder& one : LayoutPattern(pattern).find(survey, ""))
    names.push_back(one.path + " " + one.split + " " + one.word);
  return names;
}

}  // namespace

TEST_CASE("folders are found by the names that data sets use, in any case") {
  const TempFolder folder;
  touch(folder, {"train/x", "Train_Labels/x", "valannot/x", "images_prepped_test/x",
                 "images/train2017/x", "images/other/x", ".images/x"});
  CHECK(found(folder, "{split}") == Names{"train train "});
  CHECK(found(folder, "{split}{-}{labels}") ==
        Names{"Train_Labels Train Labels", "valannot val annot"});
  CHECK(found(folder, "{images}{-}{split}") == Names{"images_prepped_test test images_prepped"});
  CHECK(found(folder, "{images}/{split}") == Names{"images/train2017 train2017 images"});
  CHECK(found(folder, "IMAGES") == Names{"images  "});
  CHECK(found(folder, "v1.2").empty());
}

TEST_CASE("a dot in a pattern is a dot") {
  const TempFolder folder;
  touch(folder, {"v1.2/x", "v1x2/x"});
  CHECK(found(folder, "v1.2") == Names{"v1.2  "});
}

TEST_CASE("words of images and labels do not overlap") {
  for (const std::string name : {"images", "img_dir", "JPEGImages", "imgs", "photos"}) {
    CHECK(is_images_word(name));
    CHECK_FALSE(is_labels_word(name));
  }
  for (const std::string name : {"labels", "masks", "ann_dir", "gts", "annotations",
                                 "SegmentationClass", "trimaps", "ground_truth"}) {
    CHECK(is_labels_word(name));
    CHECK_FALSE(is_images_word(name));
  }
  CHECK_FALSE(is_labels_word("SegmentationObject"));
  CHECK_FALSE(is_labels_word("colormaps"));
}

TEST_CASE("images are looked for in all folders below") {
  const TempFolder folder;
  touch(folder, {"a/deep/x.png", "b/y.tif", "b/z.txt", "c/.x.png"});
  const FolderSurvey survey = survey_folders(folder.path()).value();
  CHECK(survey.kind_of("a") == ImageFiles::readable);
  CHECK(survey.kind_of("b") == ImageFiles::unsupported);
  CHECK(survey.kind_of("c") == ImageFiles::none);
}
