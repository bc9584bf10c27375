#include "geometry/antialias.hpp"
#include "base/words.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/reference_resize.hpp"
#include "support/resized_parts.hpp"
#include "support/vector_targets.hpp"
#include "unit/geometry/resize_cases.hpp"

using namespace hotpack;
using namespace hotpack::geometry;
using namespace hotpack::test;
using reference::Image;

namespace {

using Row = std::vector<std::uint8_t>;

constexpr std::array kFilters{ImageFilter::triangle,         ImageFilter::cubic,
                              ImageFilter::lanczos,          ImageFilter::triangle_pillow12_1,
                              ImageFilter::cubic_pillow12_1, ImageFilter::lanczos_pillow12_1};
constexpr std::array<std::uint8_t, 3> kPad{10, 200, 30};

// The hashes of Pillow's bytes, one file per order of passes.
constexpr ResizeCase kPillowCases[] = {
#include "pillow12_1_cases.inc"
#include "pillow13_cases.inc"
};

std::size_t row_bytes(const Image& image) {
  return static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
}

Image place(Resampler& resampler, const Image& source, Region region, ImageFilter filter,
            Extent record_size) {
  Image record(record_size.width, record_size.height, source.channels);
  const Status placed = resampler.place(
      {source.samples.data(), source.width, source.height, source.channels, row_bytes(source)},
      region, filter, kPad.data(),
      {record.samples.data(), record.width, record.height, record.channels, row_bytes(record)});
  REQUIRE(placed.ok());
  return record;
}

Image resize(const Image& source, ImageFilter filter, Extent size) {
  Resampler resampler;
  return place(resampler, source, {0, 0, size.width, size.height}, filter, size);
}

Image gray(int width, int height, Row samples) {
  Image image(width, height, 1);
  image.samples = std::move(samples);
  return image;
}

Image noise(int width, int height, int channels, std::mt19937& random) {
  Image image(width, height, channels);
  for (std::uint8_t& sample : image.samples) sample = static_cast<std::uint8_t>(random());
  return image;
}

// The result of the plain formulas, whole.
Image expected(const Image& source, ImageFilter filter, Extent size) {
  const AntialiasRule rule = antialias_rule(filter).value();
  const auto curve = static_cast<reference::Curve>(rule.kernel);
  const bool vertical_first =
      rule.order == PassOrder::by_loss &&
      reference::pillow13_is_vertical_first(source, size.width, size.height);
  return reference::antialiased(source, curve, size.width, size.height, vertical_first);
}

}  // namespace

TEST_CASE("triangle, cubic and lanczos equal Pillow's filters") {
  for (const ResizeCase& resize_case : kPillowCases) {
    INFO(word_of(resize_case.filter)
         << " " << resize_case.channels << " channels, " << resize_case.source.width << "x"
         << resize_case.source.height << " to " << resize_case.target.width << "x"
         << resize_case.target.height);
    CHECK(resize_hash(resize_case) == resize_case.hash);
  }
}

TEST_CASE("antialiased filters and parts equal the plain formulas") {
  std::mt19937 random(34);
  const auto up_to = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for_each_vector_target([&] {
    Antialiaser antialiaser;
    for (int round = 0; round < 300; ++round) {
      const Image source = any_image(up_to(60), up_to(60), round % 2 == 0 ? 1 : 3, random);
      const Extent size{round % 5 == 0 ? source.width : up_to(60),
                        round % 7 == 0 ? source.height : up_to(60)};
      if (size == Extent{source.width, source.height}) continue;  // copied, not resampled
      const ImageFilter filter = kFilters[random() % kFilters.size()];
      INFO(word_of(filter));
      const auto resize_part = [&](const ConstPixels& in, const Region& region,
                                   const MutablePixels& out) {
        antialiaser.resample(in, region, antialias_rule(filter).value(), out);
      };
      require_part(source, expected(source, filter, size),
                   any_part(size.width, size.height, random), resize_part);
    }
  });
}

TEST_CASE("the vertical pass is first if the height loses over twice as much") {
  const auto is_first = [](Extent from, Extent to) {
    std::mt19937 random(35);
    const Image source = noise(from.width, from.height, 3, random);
    const Image by_loss = resize(source, ImageFilter::lanczos, to);
    const auto in_order = [&](bool vertical_first) {
      return reference::antialiased(source, reference::Curve::lanczos, to.width, to.height,
                                    vertical_first);
    };
    const Image vertical = in_order(true), horizontal = in_order(false);
    REQUIRE(vertical != horizontal);
    CHECK(resize(source, ImageFilter::lanczos_pillow12_1, to) == horizontal);
    REQUIRE((by_loss == vertical || by_loss == horizontal));
    return by_loss == vertical;
  };
  CHECK_FALSE(is_first({40, 50}, {30, 30}));
  CHECK(is_first({40, 51}, {30, 30}));
  CHECK(is_first({40, 50}, {31, 30}));
  CHECK(is_first({30, 31}, {40, 30}));
  CHECK_FALSE(is_first({30, 30}, {40, 31}));
  CHECK_FALSE(is_first({50, 40}, {30, 30}));
}

TEST_CASE("a part has the order of passes of the whole image") {
  std::mt19937 random(36);
  const Image source = noise(40, 80, 3, random);
  constexpr Extent kSize{30, 40};  // vertical first
  const Image whole = expected(source, ImageFilter::cubic, kSize);
  REQUIRE(whole != expected(source, ImageFilter::cubic_pillow12_1, kSize));
  Resampler resampler;
  for (const Extent tile : {Extent{1, 1}, Extent{7, 40}, Extent{30, 3}, Extent{16, 16}}) {
    for (int y = 0; y < kSize.height; y += tile.height) {
      for (int x = 0; x < kSize.width; x += tile.width)
        REQUIRE(place(resampler, source, {-x, -y, kSize.width, kSize.height}, ImageFilter::cubic,
                      tile) ==
                reference::placed(whole, -x, -y, tile.width, tile.height, kPad.data()));
    }
  }
}

TEST_CASE("triangle weights equal those computed by hand") {
  CHECK(resize(gray(2, 1, {10, 13}), ImageFilter::triangle, {1, 1}).samples ==
        Row{12});  // 11.5, halves go up
  CHECK(resize(gray(2, 1, {0, 100}), ImageFilter::triangle, {4, 1}).samples == Row{0, 25, 75, 100});
  CHECK(resize(gray(1, 2, {0, 100}), ImageFilter::triangle, {1, 4}).samples == Row{0, 25, 75, 100});
  // Halving combines four pixels with weights 1, 3, 3, 1; at the border the outer one is missing,
  // and the others share its weight.
  CHECK(resize(gray(6, 1, {0, 0, 80, 80, 0, 0}), ImageFilter::triangle, {3, 1}).samples ==
        Row{11, 60, 11});
}

TEST_CASE("cubic weights equal those computed by hand") {
  // The kernel preserves straight lines: away from the borders a doubled ramp is a ramp of half
  // the slope.
  const Image doubled =
      resize(gray(8, 1, {0, 32, 64, 96, 128, 160, 192, 224}), ImageFilter::cubic, {16, 1});
  CHECK(Row(doubled.samples.begin() + 4, doubled.samples.begin() + 12) ==
        Row{56, 72, 88, 104, 120, 136, 152, 168});
  // Overshoot is clamped to black and white.
  const Image step = resize(gray(6, 1, {0, 0, 0, 255, 255, 255}), ImageFilter::cubic, {12, 1});
  CHECK(Row(step.samples.begin(), step.samples.begin() + 5) == Row{0, 0, 0, 0, 0});
  CHECK(Row(step.samples.begin() + 7, step.samples.end()) == Row{255, 255, 255, 255, 255});
}

TEST_CASE("a flat image stays flat with every antialiased filter") {
  for (const ImageFilter filter : kFilters) {
    for (const int value : {0, 1, 128, 255}) {
      for (const Extent size :
           {Extent{1, 1}, Extent{3, 50}, Extent{64, 2}, Extent{90, 61}, Extent{17, 23}}) {
        Image flat(17, 60, 3);
        std::fill(flat.samples.begin(), flat.samples.end(), static_cast<std::uint8_t>(value));
        const Image resized = resize(flat, filter, size);
        CHECK(std::all_of(resized.samples.begin(), resized.samples.end(),
                          [&](std::uint8_t sample) { return sample == value; }));
      }
    }
  }
}

TEST_CASE("antialiased shrinking averages pixels that other filters skip") {
  Row stripes(64);
  for (std::size_t i = 0; i < stripes.size(); ++i) stripes[i] = i % 8 == 0 ? 255 : 0;
  const Image source = gray(64, 1, stripes);
  for (const ImageFilter filter : kFilters) {
    const Image small = resize(source, filter, {8, 1});
    CHECK(std::all_of(small.samples.begin(), small.samples.end(),
                      [](std::uint8_t sample) { return sample > 10 && sample < 70; }));
  }
}

TEST_CASE("cropped parts do not affect visible pixels") {
  std::mt19937 random(31);
  const auto up_to = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  Resampler resampler;
  for (int round = 0; round < 300; ++round) {
    const Image source = noise(up_to(40), up_to(40), round % 2 == 0 ? 1 : 3, random);
    Region region{0, 0, round % 5 == 0 ? source.width : up_to(60),
                  round % 7 == 0 ? source.height : up_to(60)};
    const Extent record{up_to(70), up_to(70)};
    region.x = up_to(region.width + record.width - 1) - region.width;
    region.y = up_to(region.height + record.height - 1) - region.height;
    const ImageFilter filter = kFilters[static_cast<std::size_t>(round) % kFilters.size()];
    const Image whole = resize(source, filter, {region.width, region.height});
    INFO(round << ": " << source.width << "x" << source.height << " to " << region.width << "x"
               << region.height << " at " << region.x << "," << region.y << " of " << record.width
               << "x" << record.height);
    REQUIRE(place(resampler, source, region, filter, record) ==
            reference::placed(whole, region.x, region.y, record.width, record.height, kPad.data()));
  }
}

TEST_CASE("tables are rebuilt if a size, place or filter changes") {
  std::mt19937 random(32);
  const Image wide = noise(30, 20, 3, random), tall = noise(20, 30, 3, random);
  Resampler kept;
  for (int round = 0; round < 2; ++round) {
    for (const ImageFilter filter : kFilters) {
      for (const Image* source : {&wide, &tall}) {
        for (const Region region : {Region{0, 0, 12, 12}, Region{-3, 0, 15, 12},
                                    Region{0, -3, 12, 15}, Region{0, 0, 12, 30}}) {
          Resampler fresh;
          CHECK(place(kept, *source, region, filter, {12, 12}) ==
                place(fresh, *source, region, filter, {12, 12}));
        }
      }
    }
  }
}

TEST_CASE("an axis of unchanged size is not filtered") {
  std::mt19937 random(33);
  const Image row = noise(50, 1, 3, random);
  Image column(50, 9, 3);  // each row the same
  for (int y = 0; y < 9; ++y)
    std::copy(row.samples.begin(), row.samples.end(), column.samples.begin() + y * 150);
  for (const ImageFilter filter : kFilters) CHECK(resize(column, filter, {50, 1}) == row);
}

TEST_CASE("a very long image needs no memory for invisible parts") {
  Image source(1, 3000, 1);
  std::fill(source.samples.begin(), source.samples.end(), std::uint8_t{90});
  Resampler resampler;
  for (const ImageFilter filter : kFilters) {
    const Image record = place(resampler, source, {0, -767744, 512, 1536000}, filter, {512, 512});
    CHECK(std::all_of(record.samples.begin(), record.samples.end(),
                      [](std::uint8_t sample) { return sample == 90; }));
  }
}
