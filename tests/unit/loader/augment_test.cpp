#include "hotpack/augment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/order.hpp"
#include "support/catch.hpp"
#include "unit/loader/order_golden.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

constexpr std::int32_t kLargest = 1 << 30;

// As in order_golden.json: sizes, then `random`, or areas and ratios.
Augment augment_of(const format::Json& json) {
  Augment augment;
  augment.horizontal_flip = json.value("horizontal_flip", 0.0);
  augment.vertical_flip = json.value("vertical_flip", 0.0);
  if (json.contains("crop")) {
    const auto& crop = json.at("crop");
    augment.crop = Crop{{crop[0], crop[1]}, crop[2]};
  }
  if (json.contains("resized_crop")) {
    const auto& crop = json.at("resized_crop");
    augment.resized_crop = ResizedCrop{{crop[0], crop[1]}, crop[2], crop[3], crop[4], crop[5]};
  }
  return augment;
}

bool inside(const SampleCrop& box, PixelSize record) {
  return box.x >= 0 && box.y >= 0 && box.width >= 1 && box.height >= 1 &&
         box.x <= record.width - box.width && box.y <= record.height - box.height;
}

Augment resized(double min_area, double max_area, double min_ratio, double max_ratio) {
  return {.resized_crop = ResizedCrop{{64, 64}, min_area, max_area, min_ratio, max_ratio}};
}

double area_of(const SampleCrop& box) { return static_cast<double>(box.width) * box.height; }

std::string refusal(const Augment& augment) {
  const Status status = check_augment(augment);
  if (status.ok()) return {};
  CHECK(status.error().code == ErrorCode::usage);
  return status.error().message;
}

}  // namespace

TEST_CASE("crops are the golden ones") {
  for (const auto& one : order_golden("crops")) {
    const auto record = one.at("record").get<std::vector<std::int64_t>>();
    const auto wanted = one.at("box").get<std::vector<std::int32_t>>();
    const SampleCrop box =
        draw_crop(augment_of(one.at("augment")), {record[0], record[1]}, number(one, "seed"),
                  number(one, "epoch"), number(one, "sample"));
    CAPTURE(one.dump());
    CHECK(box ==
          SampleCrop{wanted[0], wanted[1], wanted[2], wanted[3], wanted[4] != 0, wanted[5] != 0});
  }
}

TEST_CASE("without augmentation the box is the whole record") {
  CHECK(draw_crop({}, {480, 360}, 1, 2, 3) == SampleCrop{0, 0, 480, 360, false, false});
  CHECK(draw_crop({}, {kLargest, 1}, 1, 2, 3) == SampleCrop{0, 0, kLargest, 1, false, false});
}

TEST_CASE("flips come with the probability that is asked for, each on its own") {
  int horizontal = 0, vertical = 0, both = 0;
  for (std::uint64_t sample = 0; sample < 20000; ++sample) {
    const SampleCrop box =
        draw_crop({.horizontal_flip = 0.5, .vertical_flip = 0.2}, {8, 8}, 5, 0, sample);
    horizontal += box.flip_horizontal;
    vertical += box.flip_vertical;
    both += box.flip_horizontal && box.flip_vertical;
    const SampleCrop sure =
        draw_crop({.horizontal_flip = 1, .vertical_flip = 0}, {8, 8}, 5, 0, sample);
    REQUIRE((sure.flip_horizontal && !sure.flip_vertical));
  }
  CHECK(std::abs(horizontal - 10000) < 400);
  CHECK(std::abs(vertical - 4000) < 400);
  CHECK(std::abs(both - 2000) < 300);
}

TEST_CASE("a random choice depends on seed, epoch and sample") {
  const Augment augment = {.crop = Crop{{100, 100}}};
  const PixelSize record = {100000, 100000};
  const SampleCrop box = draw_crop(augment, record, 1, 1, 1);
  CHECK(draw_crop(augment, record, 1, 1, 1) == box);
  CHECK(draw_crop(augment, record, 2, 1, 1) != box);
  CHECK(draw_crop(augment, record, std::uint64_t{1} << 32 | 1, 1, 1) != box);
  CHECK(draw_crop(augment, record, 1, 2, 1) != box);
  CHECK(draw_crop(augment, record, 1, 1, 2) != box);
  CHECK(draw_crop(augment, record, 1, 1, std::uint64_t{1} << 32 | 1) != box);
}

TEST_CASE("a random crop takes every place equally often") {
  std::vector<int> columns(5), rows(3);
  for (std::uint64_t sample = 0; sample < 15000; ++sample) {
    const SampleCrop box = draw_crop({.crop = Crop{{6, 5}}}, {10, 7}, 5, 0, sample);
    REQUIRE((box.width == 6 && box.height == 5));
    ++columns.at(static_cast<std::size_t>(box.x));
    ++rows.at(static_cast<std::size_t>(box.y));
  }
  for (const int count : columns) CHECK(std::abs(count - 3000) < 300);
  for (const int count : rows) CHECK(std::abs(count - 5000) < 350);
}

TEST_CASE("a center crop leaves the odd pixel at the end") {
  CHECK(draw_crop({.crop = Crop{{4, 4}, false}}, {9, 10}, 1, 0, 0) ==
        SampleCrop{2, 3, 4, 4, false, false});
}

TEST_CASE("a crop takes all of an axis that is shorter than its window") {
  for (const bool random : {true, false}) {
    const SampleCrop box = draw_crop({.crop = Crop{{20, 4}, random}}, {9, 4}, 1, 0, 0);
    CHECK(box == SampleCrop{0, 0, 9, 4, false, false});
  }
}

TEST_CASE("a resized crop uses all allowed areas and ratios, no others") {
  constexpr PixelSize kRecord = {4000, 4000};
  double least_area = 1, most_area = 0, least_ratio = 9, most_ratio = 0, sum = 0;
  for (std::uint64_t sample = 0; sample < 5000; ++sample) {
    const SampleCrop box = draw_crop(resized(0.1, 0.4, 0.5, 2), kRecord, 3, 0, sample);
    REQUIRE(inside(box, kRecord));
    const double area = area_of(box) / (4000.0 * 4000.0),
                 ratio = static_cast<double>(box.width) / box.height;
    least_area = std::min(least_area, area), most_area = std::max(most_area, area), sum += area;
    least_ratio = std::min(least_ratio, ratio), most_ratio = std::max(most_ratio, ratio);
  }
  CHECK(std::abs(least_area - 0.1) < 0.001);
  CHECK(std::abs(most_area - 0.4) < 0.001);
  CHECK(std::abs(sum / 5000 - 0.25) < 0.005);
  CHECK(std::abs(least_ratio - 0.5) < 0.01);
  CHECK(std::abs(most_ratio - 2) < 0.02);
}

TEST_CASE("a resized crop of one aspect has it exactly") {
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    const SampleCrop square = draw_crop(resized(0.1, 1, 1, 1), {999, 700}, 3, 0, sample);
    REQUIRE(square.width == square.height);
  }
}

TEST_CASE("a resized crop that never fits becomes the largest centered one") {
  CHECK(draw_crop(resized(1, 1, 1, 1), {300, 100}, 1, 0, 0) ==
        SampleCrop{100, 0, 100, 100, false, false});
  CHECK(draw_crop(resized(1, 1, 1, 1), {100, 301}, 1, 0, 0) ==
        SampleCrop{0, 100, 100, 100, false, false});
  CHECK(draw_crop(resized(1, 1, 0.75, 4.0 / 3), {1000, 100}, 1, 0, 0) ==
        SampleCrop{433, 0, 133, 100, false, false});
  CHECK(draw_crop(resized(1, 1, 4, 4), {1, 5}, 1, 0, 0) == SampleCrop{0, 2, 1, 1, false, false});
  CHECK(draw_crop(resized(1, 1, 0.25, 0.25), {5, 1}, 1, 0, 0) ==
        SampleCrop{2, 0, 1, 1, false, false});
}

TEST_CASE("records with sides up to 2^30 do not overflow") {
  CHECK(draw_crop(resized(1, 1, 1, 1), {kLargest, kLargest}, 1, 0, 0) ==
        SampleCrop{0, 0, kLargest, kLargest, false, false});
  CHECK(draw_crop(resized(1, 1, 4, 4), {kLargest, kLargest}, 1, 0, 0) ==
        SampleCrop{0, (kLargest - kLargest / 4) / 2, kLargest, kLargest / 4, false, false});
  CHECK(draw_crop(resized(1, 1, 0.25, 0.25), {kLargest, kLargest}, 1, 0, 0) ==
        SampleCrop{(kLargest - kLargest / 4) / 2, 0, kLargest / 4, kLargest, false, false});
  for (std::uint64_t sample = 0; sample < 2000; ++sample) {
    for (const PixelSize record : {PixelSize{kLargest, kLargest},
                                   {kLargest, 1},
                                   {1, kLargest},
                                   {kLargest, 777},
                                   {1, 1},
                                   {3, 2}}) {
      REQUIRE(inside(draw_crop(resized(1e-12, 1, 0.25, 4), record, 1, kMaxEpoch, ~sample), record));
      REQUIRE(inside(draw_crop({.crop = Crop{{kLargest / 3, 5}}}, record, 1, kMaxEpoch, ~sample),
                     record));
    }
  }
}

TEST_CASE("contradicting augmentation options are refused by name") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal({}).empty());
  CHECK(refusal({.horizontal_flip = 1, .vertical_flip = 0.5, .crop = Crop{{1, 1}}}).empty());
  CHECK(refusal(resized(0.08, 1, 0.75, 4.0 / 3)).empty());
  CHECK(refusal(resized(1, 1, 0.25, 4)).empty());
  CHECK(refusal({.horizontal_flip = 1.5}) ==
        "horizontal_flip: 1.5 is not a probability; use 0 (never) to 1 (always)");
  CHECK_THAT(refusal({.vertical_flip = -0.1}), ContainsSubstring("vertical_flip: -0.1"));
  CHECK_THAT(refusal({.vertical_flip = kNan}), ContainsSubstring("vertical_flip"));
  CHECK_THAT(refusal({.crop = Crop{{0, 5}}}), ContainsSubstring("crop: a size of 0×5 pixels"));
  CHECK_THAT(refusal({.crop = Crop{{5, std::int64_t{kLargest} + 1}}}),
             ContainsSubstring("crop: a size of 5×1073741825"));
  CHECK_THAT(refusal({.resized_crop = ResizedCrop{{5, -1}}}),
             ContainsSubstring("resized_crop: a size of 5×-1"));
  CHECK_THAT(refusal({.crop = Crop{{4, 4}}, .resized_crop = ResizedCrop{{4, 4}}}),
             ContainsSubstring("set one of them"));
  for (const Augment& areas : {resized(0, 1, 1, 1), resized(0.5, 0.4, 1, 1),
                               resized(0.5, 1.01, 1, 1), resized(kNan, 1, 1, 1)}) {
    CHECK_THAT(refusal(areas), ContainsSubstring("resized_crop: areas from"));
  }
  for (const Augment& ratios : {resized(0.1, 1, 0.2, 1), resized(0.1, 1, 2, 1),
                                resized(0.1, 1, 1, 4.1), resized(0.1, 1, 1, kNan)}) {
    CHECK_THAT(refusal(ratios), ContainsSubstring("resized_crop: width / height from"));
  }
}
