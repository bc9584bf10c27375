#include "geometry/antialias.hpp"
#include "base/words.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "geometry/resize_cases.hpp"
#include "support/catch.hpp"
#include "support/reference_resize.hpp"

using namespace hotpack;
using namespace hotpack::geometry;
using reference::Image;

namespace {

using Row = std::vector<std::uint8_t>;

constexpr std::array kFilters{ImageFilter::triangle, ImageFilter::cubic, ImageFilter::lanczos};
constexpr std::array<std::uint8_t, 3> kPad{10, 200, 30};

// The hash of the bytes of Image.resize with BILINEAR, BICUBIC or LANCZOS in Pillow 9.4.0 (and
// 12.1.0): up, down, one axis each way, one axis alone, to and from a single pixel.
constexpr std::array<ResizeCase, 48> kPillowCases{{
    {ImageFilter::triangle, 1, {23, 17}, {40, 31}, 0x12d3e4b3bb52d1be},
    {ImageFilter::triangle, 3, {23, 17}, {40, 31}, 0xb6c0ef08f44d4902},
    {ImageFilter::triangle, 1, {41, 37}, {19, 16}, 0x7da779a6a4b35b9f},
    {ImageFilter::triangle, 3, {41, 37}, {19, 16}, 0x8890d07d0fb0acb5},
    {ImageFilter::triangle, 1, {19, 40}, {33, 21}, 0x8e921efb6a1abbe4},
    {ImageFilter::triangle, 3, {19, 40}, {33, 21}, 0xa22ae66a37d6a022},
    {ImageFilter::triangle, 1, {60, 9}, {7, 70}, 0x0d8c20d38c09fcc1},
    {ImageFilter::triangle, 3, {60, 9}, {7, 70}, 0x0c124448cc6c9dcb},
    {ImageFilter::triangle, 1, {48, 34}, {48, 13}, 0x40f3fb02b134eae3},
    {ImageFilter::triangle, 3, {48, 34}, {48, 13}, 0xf566baa9a8b26a5c},
    {ImageFilter::triangle, 1, {48, 34}, {11, 34}, 0x482a546c30644198},
    {ImageFilter::triangle, 3, {48, 34}, {11, 34}, 0x871a65fef3abbbf9},
    {ImageFilter::triangle, 1, {1, 1}, {5, 3}, 0x8c489490d78c92ef},
    {ImageFilter::triangle, 3, {1, 1}, {5, 3}, 0x4d92861edd621299},
    {ImageFilter::triangle, 1, {300, 2}, {1, 1}, 0x5bdd139269f447c1},
    {ImageFilter::triangle, 3, {300, 2}, {1, 1}, 0x7339547790680847},
    {ImageFilter::cubic, 1, {23, 17}, {40, 31}, 0x8e1a3e0cfa4da244},
    {ImageFilter::cubic, 3, {23, 17}, {40, 31}, 0xd4ff99bb844ab50b},
    {ImageFilter::cubic, 1, {41, 37}, {19, 16}, 0x5c3e450a98e00d93},
    {ImageFilter::cubic, 3, {41, 37}, {19, 16}, 0xb5ee3caf6ba15e3c},
    {ImageFilter::cubic, 1, {19, 40}, {33, 21}, 0xc40a2f4bc5743df1},
    {ImageFilter::cubic, 3, {19, 40}, {33, 21}, 0x38008ae341c80bf9},
    {ImageFilter::cubic, 1, {60, 9}, {7, 70}, 0x95ffab7dc7ad707b},
    {ImageFilter::cubic, 3, {60, 9}, {7, 70}, 0x52204088fa717fc4},
    {ImageFilter::cubic, 1, {48, 34}, {48, 13}, 0xeae15ba676fe5c07},
    {ImageFilter::cubic, 3, {48, 34}, {48, 13}, 0xbce611087e569e5a},
    {ImageFilter::cubic, 1, {48, 34}, {11, 34}, 0x24d718031a2ce79d},
    {ImageFilter::cubic, 3, {48, 34}, {11, 34}, 0xf62c2700992c6406},
    {ImageFilter::cubic, 1, {1, 1}, {5, 3}, 0x8c489490d78c92ef},
    {ImageFilter::cubic, 3, {1, 1}, {5, 3}, 0x4d92861edd621299},
    {ImageFilter::cubic, 1, {300, 2}, {1, 1}, 0x5bdd139269f447c1},
    {ImageFilter::cubic, 3, {300, 2}, {1, 1}, 0x5c0fdf5c8b9c9ebb},
    {ImageFilter::lanczos, 1, {23, 17}, {40, 31}, 0xe9af93c4a1afab04},
    {ImageFilter::lanczos, 3, {23, 17}, {40, 31}, 0x34f277c17a24bde0},
    {ImageFilter::lanczos, 1, {41, 37}, {19, 16}, 0x1c3ffb2b4fafdd41},
    {ImageFilter::lanczos, 3, {41, 37}, {19, 16}, 0x8ac0e0c7f8c09c3c},
    {ImageFilter::lanczos, 1, {19, 40}, {33, 21}, 0x4d92f439d34219f9},
    {ImageFilter::lanczos, 3, {19, 40}, {33, 21}, 0x2dc5a332a1787141},
    {ImageFilter::lanczos, 1, {60, 9}, {7, 70}, 0x6b3f7bbfab261229},
    {ImageFilter::lanczos, 3, {60, 9}, {7, 70}, 0x536bf22b46b67cd5},
    {ImageFilter::lanczos, 1, {48, 34}, {48, 13}, 0xceda4e111fec8839},
    {ImageFilter::lanczos, 3, {48, 34}, {48, 13}, 0x5aa2d28fe4a04cb9},
    {ImageFilter::lanczos, 1, {48, 34}, {11, 34}, 0x4be7fcf39b7078ad},
    {ImageFilter::lanczos, 3, {48, 34}, {11, 34}, 0x875a76bb256ef158},
    {ImageFilter::lanczos, 1, {1, 1}, {5, 3}, 0x8c489490d78c92ef},
    {ImageFilter::lanczos, 3, {1, 1}, {5, 3}, 0x4d92861edd621299},
    {ImageFilter::lanczos, 1, {300, 2}, {1, 1}, 0x5bdd139269f447c1},
    {ImageFilter::lanczos, 3, {300, 2}, {1, 1}, 0x7339547790680847},
}};

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
    const ImageFilter filter = kFilters[static_cast<std::size_t>(round) % 3];
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
