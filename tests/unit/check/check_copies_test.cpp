// Diagnostics of copies, tiny images and differing class shares: one defect and one correct case
// each.
#include "support/checked.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint16_t>;

CheckReport checked_ids(PackOptions options) {
  options.label.class_count = 3;
  return checked(options);
}

// An RGB image of bright and dark fields, and the same from right to left.
Bytes fields(std::uint32_t seed, bool mirrored) {
  const auto noise = noise_samples(8, 8, 1, 255, seed);
  std::vector<std::uint8_t> samples;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x)
      samples.insert(samples.end(), 3,
                     static_cast<std::uint8_t>(
                         noise[static_cast<std::size_t>(y / 4 * 8 + (mirrored ? 31 - x : x) / 4)]));
  return make_rgb_png(32, 32, samples);
}

PackOptions split_options(const TempFolder& folder) {
  PackOptions options = options_for(folder);
  options.input.split.method = SplitOptions::Method::folder;
  return options;
}

}  // namespace

TEST_CASE("one label under two images is reported with both, in any file form") {
  const TempFolder folder;
  for (std::uint32_t i = 0; i < 4; ++i) put_pair(folder, "p" + std::to_string(i), i + 1);
  CHECK(find(checked_ids(options_for(folder)), "shared-label") == nullptr);
  put(folder, "labels/p3.png",
      palette_label(8, 6, noise_ids(8, 6, 2, 2), {{0, 0, 0}, {9, 9, 9}, {90, 9, 9}}));
  const CheckReport report = checked_ids(options_for(folder));
  const Diagnostic* shared = find(report, "shared-label");
  REQUIRE(shared != nullptr);
  CHECK(shared->severity == Severity::warning);
  CHECK(shared->title == "1 of 4 labels is the same as that of another image");
  REQUIRE(shared->examples.size() == 1);
  CHECK(shared->examples[0].path == folder / "labels/p3.png");
  CHECK(shared->examples[0].found ==
        "equal to '" + (folder / "labels/p1.png") + "', the label of another image");
}

TEST_CASE("constant labels and copies of whole samples are not shared labels") {
  const TempFolder folder;
  for (std::uint32_t i = 0; i < 4; ++i) put_pair(folder, "p" + std::to_string(i), i + 1);
  for (const char* name : {"labels/p2.png", "labels/p3.png"})
    put(folder, name, id_label(8, 6, Ids(48, 1)));
  put_pair(folder, "copy", 1);
  const CheckReport report = checked_ids(options_for(folder));
  CHECK(find(report, "shared-label") == nullptr);
  CHECK(find(report, "duplicate-image") != nullptr);
}

TEST_CASE("one mask in several mask folders is reported by its first mask") {
  const TempFolder folder;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "p" + std::to_string(i);
    const auto seed = static_cast<std::uint32_t>(i == 2 ? 1 : i + 1);
    put(folder, "images/" + name + ".png", photo(8, 6, static_cast<std::uint32_t>(i + 1)));
    for (const std::uint32_t mask : {0u, 1u}) {
      Ids ids = noise_ids(8, 6, 1, seed + 10 * mask);
      for (auto& id : ids) id = static_cast<std::uint16_t>(id * 255);
      put(folder, "labels/" + name + (mask == 0 ? "_cat.png" : "_dog.png"), id_label(8, 6, ids));
    }
  }
  PackOptions options = options_for(folder);
  options.input.mask_per_class = "{key}_{class}";
  Recorder recorder;
  const auto report = check(options, false, recorder).value();
  const Diagnostic* shared = find(report, "shared-label");
  REQUIRE(shared != nullptr);
  CHECK(shared->examples[0].path == folder / "labels/p2_cat.png");
}

TEST_CASE("16-bit images are dark if none reaches 16,384") {
  const TempFolder folder;
  const auto put_deep = [&](const std::string& key, std::uint16_t largest) {
    PngSpec spec;
    spec.width = 2, spec.height = 1, spec.color = PngColor::gray, spec.bit_depth = 16;
    const std::vector<std::uint16_t> samples{largest, 3};
    put(folder, "images/" + key + ".png", make_png(spec, samples));
    put(folder, "labels/" + key + ".png", id_label(2, 1, {0, 1}));
  };
  put_deep("a", 4095);
  put_deep("b", 900);
  const CheckReport report = checked_ids(options_for(folder));
  const Diagnostic* dark = find(report, "dark-16-bit");
  REQUIRE(dark != nullptr);
  CHECK(dark->title ==
        "all 2 images have 16 bits, of which at most 12 are in use: no value reaches 16,384");
  put_deep("c", 16384);
  CHECK(find(checked_ids(options_for(folder)), "dark-16-bit") == nullptr);
}

TEST_CASE("an image far smaller than its record is reported, many as one note") {
  const TempFolder folder;
  for (std::uint32_t i = 0; i < 4; ++i) put_pair(folder, "p" + std::to_string(i), i + 1);
  PackOptions options = options_for(folder);
  options.record.size = {16, 24};  // eight times an image
  CHECK(find(checked_ids(options), "tiny-image") == nullptr);
  put_pair(folder, "speck", 9, 1, 1);
  const CheckReport report = checked_ids(options);
  const Diagnostic* tiny = find(report, "tiny-image");
  REQUIRE(tiny != nullptr);
  CHECK(tiny->severity == Severity::warning);
  CHECK(tiny->title == "1 of 5 images is far smaller than its record");
  CHECK(tiny->examples[0].path == folder / "images/speck.png");
  CHECK(tiny->examples[0].found == "1x1, its record is 16x24");
  options.record.size = {32, 24};  // sixteen times
  const CheckReport all = checked_ids(options);
  CHECK(find(all, "tiny-image")->severity == Severity::note);
  CHECK(find(all, "tiny-image")->count == 5);
}

TEST_CASE("with mixed sizes an image far below the median is reported") {
  const TempFolder folder;
  for (std::uint32_t i = 0; i < 4; ++i) put_pair(folder, "p" + std::to_string(i), i + 1, 24, 16);
  put_pair(folder, "small", 8, 6, 4);
  PackOptions options = options_for(folder);
  options.record.size = {};
  CHECK(find(checked_ids(options), "tiny-image") == nullptr);
  put_pair(folder, "speck", 9, 3, 2);
  const CheckReport report = checked_ids(options);
  const Diagnostic* tiny = find(report, "tiny-image");
  REQUIRE(tiny != nullptr);
  CHECK(tiny->title == "1 of 6 images is far smaller than the others");
  CHECK(tiny->examples[0].found == "3x2, the median image is 24x16");
}

TEST_CASE("copies across splits are found if flipped (by pixels) or renamed") {
  const TempFolder folder;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::string name = (i < 2 ? "train/" : "val/") + std::to_string(i);
    put(folder, "images/" + name + ".png", fields(i + 1, false));
    put(folder, "labels/" + name + ".png", noise_label(32, 32, 2, i + 1));
  }
  CHECK(checked_ids(split_options(folder)).diagnostics.all().empty());
  put(folder, "images/val/3.png", fields(1, true));
  put(folder, "images/val/1_r30.png", fields(9, false));
  put(folder, "labels/val/1_r30.png", noise_label(32, 32, 2, 9));
  const CheckReport report = checked_ids(split_options(folder));
  const Diagnostic* alike = find(report, "look-alike-between-splits");
  REQUIRE(alike != nullptr);
  CHECK(alike->title == "1 image of 'val' looks like a copy of one in 'train'");
  CHECK(alike->examples[0].path == folder / "images/val/3.png");
  CHECK(alike->examples[0].found ==
        "flipped left to right from " + (folder / "images/train/0.png"));
  const Diagnostic* named = find(report, "augmented-between-splits");
  REQUIRE(named != nullptr);
  CHECK(named->examples[0].path == folder / "images/val/1_r30.png");
  CHECK(named->examples[0].found == "by its name a copy of " + (folder / "images/train/1.png"));
  CHECK(report.result == CheckResult::succeeds);
}

TEST_CASE("augmented copies of Roboflow may share their label, and are counted") {
  const TempFolder folder;
  const std::string hash(31, '0');
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    const std::string name =
        (i < 2 ? "a_jpg.rf." : "b_jpg.rf.") + hash + std::to_string(i) + ".png";
    put(folder, "images/" + name, photo(8, 6, i + 1));
    put(folder, "labels/" + name, noise_label(8, 6, 2, i < 2 ? 1 : 3));
  }
  const CheckReport report = checked_ids(options_for(folder));
  CHECK(find(report, "shared-label") == nullptr);
  const Diagnostic* copies = find(report, "augmented-copies");
  REQUIRE(copies != nullptr);
  CHECK(copies->severity == Severity::note);
  CHECK(copies->title ==
        "all 3 images are by their names (NAME.rf.HASH) augmented copies of 2 originals");
  put(folder, "labels/b_jpg.rf." + hash + "2.png", noise_label(8, 6, 2, 1));
  CHECK(find(checked_ids(options_for(folder)), "shared-label") != nullptr);
}
