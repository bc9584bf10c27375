#include "format/sums.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::format;

namespace {

Sums gray_sums() {
  Sums sums(1, 4);
  sums.channel_sums[0] = 10 + 20 + 60;
  sums.channel_squares[0] = 100 + 400 + 3600;
  sums.pixels_counted = 3;
  sums.ignored = 5;
  sums.classes = {{6, 2, 10}, {3, 1, 4}, {0, 0, 0}, {1, 1, 4}};
  return sums;
}

}  // namespace

TEST_CASE("numbers of shard.sums have the order of FORMAT.md") {
  Sums sums(3, 2);
  sums.channel_sums = {1, 2, 3};
  sums.channel_squares = {4, 5, 6};
  sums.pixels_counted = 7;
  sums.ignored = 8;
  sums.skipped = 9;
  sums.classes = {{10, 11, 12}, {13, 14, 15}};
  const std::vector<std::uint64_t> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  CHECK(sums.numbers() == numbers);
  CHECK(Sums::number_count(3, 2) == numbers.size());
  CHECK(Sums::from_numbers(numbers, 3, 2) == sums);
  CHECK(gray_sums().numbers().size() == Sums::number_count(1, 4));
}

TEST_CASE("sums add up and are cleared") {
  std::vector<std::uint64_t> numbers(Sums::number_count(3, 2));
  std::iota(numbers.begin(), numbers.end(), 1);
  Sums total(3, 2);
  for (int i = 0; i < 2; ++i) total.add(Sums::from_numbers(numbers, 3, 2));
  for (std::uint64_t& number : numbers) number *= 2;
  CHECK(total.numbers() == numbers);
  total.clear();
  CHECK(total == Sums(3, 2));
}

TEST_CASE("statistics follow their formulas step by step") {
  const Statistics statistics = statistics_of(gray_sums());
  CHECK(statistics.mean == std::vector<std::optional<double>>{90.0 / 3.0 / 255.0});
  CHECK(statistics.std ==
        std::vector<std::optional<double>>{std::sqrt(3.0 * 4100.0 - 90.0 * 90.0) / 3.0 / 255.0});
  CHECK(statistics.pixels == std::vector<std::uint64_t>{6, 3, 0, 1});
  CHECK(statistics.samples == std::vector<std::uint64_t>{2, 1, 0, 1});
  CHECK(statistics.ignored == 5);
  CHECK(statistics.weights_inverse ==
        std::vector<std::optional<double>>{10.0 / 24.0, 10.0 / 12.0, {}, 10.0 / 4.0});
  // f = 0.6, 0.75, -, 0.25: the median of the classes that occur is 0.6
  CHECK(statistics.weights_median ==
        std::vector<std::optional<double>>{0.6 / 0.6, 0.6 / 0.75, {}, 0.6 / 0.25});
}

TEST_CASE("the median of an even number of classes is the mean of the middle two") {
  Sums sums(1, 2);
  sums.classes = {{1, 1, 2}, {1, 1, 4}};
  CHECK(statistics_of(sums).weights_median ==
        std::vector<std::optional<double>>{0.375 / 0.5, 0.375 / 0.25});
}

TEST_CASE("without pixels there are no numbers, without labels no lists") {
  const Statistics none = statistics_of(Sums(3, 1));
  CHECK(none.mean == std::vector<std::optional<double>>(3));
  CHECK(none.std == std::vector<std::optional<double>>(3));
  CHECK(none.weights_inverse == std::vector<std::optional<double>>(1));
  CHECK(none.weights_median == std::vector<std::optional<double>>(1));
  CHECK(none.pixels == std::vector<std::uint64_t>{0});
  const Statistics unlabeled = statistics_of(Sums(1, 0));
  CHECK(unlabeled.pixels.empty());
  CHECK(unlabeled.weights_inverse.empty());
  CHECK(unlabeled.weights_median.empty());
}

TEST_CASE("a deviation of many pixels is exact where doubles alone would cancel") {
  Sums sums(1, 0);
  const std::uint64_t half = std::uint64_t{1} << 40;  // half of the pixels are 254, half are 255
  sums.pixels_counted = 2 * half;
  sums.channel_sums[0] = half * 254 + half * 255;
  sums.channel_squares[0] = half * 254 * 254 + half * 255 * 255;
  CHECK(statistics_of(sums).std[0] == 0.5 / 255.0);
}
