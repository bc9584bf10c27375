#include "samples/mask_pattern.hpp"

#include "files/scan.hpp"
#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

// The keys of the files in `labels`, in the order of their paths.
Names keys_by(const TempFolder& folder, const std::string& pattern, KeyFolding folding = {}) {
  ProblemLog problems;
  FileList images = scan_images({{folder / "images", ""}}, problems).value();
  FileList labels = scan_images({{folder / "labels", ""}}, problems).value();
  sort_by_key(images);
  sort_by_key(labels);
  const NamePattern parsed = NamePattern::of_files(pattern, "").value();
  REQUIRE(key_masks(labels, images, std::span(&parsed, 1), folding).ok());
  Names keys;
  for (const FoundFile& label : labels.files) keys.emplace_back(labels.key(label));
  return keys;
}

}  // namespace

TEST_CASE("a label gets the longest key that an image has") {
  const TempFolder folder;
  touch(folder, {"images/a.jpg", "images/a_1.jpg", "labels/a_1_2.png", "labels/a_3_4.png",
                 "labels/b_1_2.png", "labels/c.png"});
  CHECK(keys_by(folder, "{key}_*.png") == Names{"a_1", "a", "b_1", ""});
}

TEST_CASE("a label gets the key of the image that folds to its own") {
  const TempFolder folder;
  touch(folder, {"images/0.jpg", "images/12.jpg", "labels/00000_x.png", "labels/00012_x.png",
                 "labels/00120_x.png"});
  CHECK(keys_by(folder, "{key}_x.png", {false, false, true}) == Names{"0", "12", "00120"});
}

TEST_CASE("a label that fits several images is a warning") {
  const TempFolder folder;
  touch(folder, {"images/p_1.jpg", "images/p_1_left.jpg", "labels/p_1_left_lung.png",
                 "labels/p_1_left_rib.png", "labels/p_1_lung.png", "labels/p_1_left.png"});
  ProblemLog problems;
  FileList images = scan_images({{folder / "images", ""}}, problems).value();
  FileList labels = scan_images({{folder / "labels", ""}}, problems).value();
  sort_by_key(images);
  const NamePattern pattern = NamePattern::of_masks("{key}_{class}").value();
  CHECK(key_masks(labels, images, std::span(&pattern, 1), {}).value() ==
        "2 files fit several images by the pattern, and the longest key counts: '" +
            folder / "labels/p_1_left_lung.png' may belong to 'p_1_left' or 'p_1'");
  keep_format(images, false);
  CHECK(key_masks(labels, images, std::span(&pattern, 1), {}).value() == "");
}

namespace {

// Parts the files of one folder by {key}_{class}. Returns "image, image: mask, mask", or the error.
std::string parted(const Names& names) {
  const TempFolder folder;
  touch(folder, names);
  ProblemLog problems;
  FileList images = scan_images({{folder.path(), ""}}, problems).value(), masks = images;
  const Status status = part_masks(images, masks, NamePattern::of_masks("{key}_{class}").value());
  if (!status.ok()) return status.error().describe().substr(folder.path().size() + 1);
  const auto text = [](FileList& list) {
    sort_by_key(list);
    std::string all;
    for (const FoundFile& file : list.files)
      all += (all.empty() ? "" : ", ") + std::string(list.below(file));
    return all;
  };
  return text(images) + ": " + text(masks);
}

}  // namespace

TEST_CASE("files of one folder are images, or masks of the images before them") {
  CHECK(parted({"a.png", "a_car.png", "a_road.png", "b_1.png", "b_1_car.png"}) ==
        "a.png, b_1.png: a_car.png, a_road.png, b_1_car.png");
  CHECK(parted({"a.jpg", "a_car.png", "a_car_2.png", "b.jpg", "b_car.png"}) ==
        "a.jpg, b.jpg: a_car.png, a_car_2.png, b_car.png");
}

TEST_CASE("a file that may be a mask or an image with masks is refused") {
  const std::string advice =
      "Put images and masks into two folders for --images and --labels, or give the suffix of "
      "images with --image-suffix";
  // One image has such a mask, or all have.
  for (const Names& more : {Names{}, Names{"b.png", "b_car.png", "b_flip.png", "b_flip_car.png"}}) {
    Names names{"a.png", "a_car.png", "a_flip.png", "a_flip_car.png"};
    names.insert(names.end(), more.begin(), more.end());
    CHECK_THAT(
        parted(names),
        ContainsSubstring("a_flip.png: may be a mask of class 'flip', or an image, of which '") &&
            ContainsSubstring("/a_flip_car.png' would be a mask. " + advice));
  }
  CHECK_THAT(parted({"a.jpg", "a_car.png", "a_flip.jpg", "a_flip_car.png"}),
             ContainsSubstring("a_flip.jpg: may be a mask of class 'flip'"));
}
