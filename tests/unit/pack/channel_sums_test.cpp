#include "pack/channel_sums.hpp"

#include "support/inputs.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

// Pixel by pixel, inside both the record and the region.
format::Sums slow_sums(ConstPixels record, Region region) {
  format::Sums sums(record.channels, 0);
  for (int y = 0; y < record.height; ++y) {
    for (int x = 0; x < record.width; ++x) {
      if (x < region.x || x >= region.x + region.width || y < region.y ||
          y >= region.y + region.height)
        continue;
      ++sums.pixels_counted;
      for (int c = 0; c < record.channels; ++c) {
        const std::uint64_t value = record.row(y)[x * record.channels + c];
        sums.channel_sums[static_cast<std::size_t>(c)] += value;
        sums.channel_squares[static_cast<std::size_t>(c)] += value * value;
      }
    }
  }
  return sums;
}

format::Sums fast_sums(ConstPixels record, Region region) {
  format::Sums sums(record.channels, 0);
  add_channel_sums(record, region, sums);
  return sums;
}

}  // namespace

TEST_CASE("sums equal a slow loop for every width, region and channel count") {
  for (const int channels : {1, 3}) {
    for (const int width : {1, 2, 15, 16, 17, 31, 48, 49, 97, 200, 1025}) {
      const int height = 5;
      const auto samples =
          narrowed(noise_samples(width, height, channels, 255, static_cast<std::uint32_t>(width)));
      const ConstPixels record{samples.data(), width, height, channels,
                               static_cast<std::size_t>(width * channels)};
      for (const Region region :
           {Region{0, 0, width, height}, Region{-7, -2, width + 20, height + 9},
            Region{1, 1, width - 1, 2}, Region{-5, 3, 6, 40}, Region{width / 2, -1, width, 3}}) {
        INFO(width << " wide, " << channels << " channels, region at " << region.x << ","
                   << region.y);
        const format::Sums expected = slow_sums(record, region);
        for_each_vector_target([&] { CHECK(fast_sums(record, region) == expected); });
      }
    }
  }
}

TEST_CASE("a region outside the record counts nothing") {
  const std::vector<std::uint8_t> samples(12, 200);
  const ConstPixels record{samples.data(), 2, 2, 3, 6};
  for (const Region region : {Region{2, 0, 5, 5}, Region{-5, 0, 5, 5}, Region{0, 2, 5, 5},
                              Region{0, -5, 5, 5}, Region{0, 0, 0, 0}})
    CHECK(fast_sums(record, region) == format::Sums(3, 0));
}

TEST_CASE("rows with a gap between them are read by their distance") {
  const auto samples = narrowed(noise_samples(64, 4, 3, 255));
  const ConstPixels record{samples.data(), 50, 4, 3, 64 * 3};
  CHECK(fast_sums(record, {0, 0, 50, 4}) == slow_sums(record, {0, 0, 50, 4}));
}

TEST_CASE("sums are added to what is there") {
  const std::vector<std::uint8_t> samples{1, 2, 3};
  format::Sums sums(3, 0);
  for (int i = 0; i < 2; ++i) add_channel_sums({samples.data(), 1, 1, 3, 3}, {0, 0, 1, 1}, sums);
  CHECK(sums.channel_sums == std::array<std::uint64_t, 3>{2, 4, 6});
  CHECK(sums.channel_squares == std::array<std::uint64_t, 3>{2, 8, 18});
  CHECK(sums.pixels_counted == 2);
}

TEST_CASE("long bright rows do not overflow") {
  constexpr int kWidth = 4'000'000;
  const std::vector<std::uint8_t> samples(kWidth * 3ull, 255);
  for (const int channels : {1, 3}) {
    const ConstPixels row{samples.data(), kWidth, 1, channels, samples.size()};
    for_each_vector_target([&] {
      const format::Sums sums = fast_sums(row, {0, 0, kWidth, 1});
      for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        CHECK(sums.channel_sums[c] == 255ull * kWidth);
        CHECK(sums.channel_squares[c] == 65025ull * kWidth);
      }
    });
  }
}
