#include "geometry/resample.hpp"
#include "base/words.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/reference_resize.hpp"

using namespace hotpack;
using namespace hotpack::geometry;
using reference::Image;

namespace {

using Pad = std::array<std::uint8_t, 3>;
constexpr Pad kPad{10, 200, 30};

ConstPixels view(const Image& image) {
  const auto row_bytes =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  return {image.samples.data(), image.width, image.height, image.channels, row_bytes};
}

MutablePixels view(Image& image) {
  const auto row_bytes =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  return {image.samples.data(), image.width, image.height, image.channels, row_bytes};
}

// Noise, smooth gradients and flat blocks in turn: each shows rounding differently.
Image random_image(int width, int height, int channels, std::mt19937& random) {
  Image image(width, height, channels);
  const auto kind = random() % 3;
  const auto flat = static_cast<std::uint8_t>(random());
  for (std::size_t i = 0; i < image.samples.size(); ++i) {
    const auto noise = static_cast<std::uint8_t>(random());
    image.samples[i] = kind == 0   ? noise
                       : kind == 1 ? static_cast<std::uint8_t>(i * 3)
                                   : static_cast<std::uint8_t>(i % 7 == 0 ? noise : flat);
  }
  return image;
}

Image place(Resampler& resampler, const Image& source, Region region, ImageFilter filter,
            Extent record_size, const Pad& pad = kPad) {
  Image record(record_size.width, record_size.height, source.channels);
  for (std::uint8_t& sample : record.samples) sample = 77;
  const Status placed = resampler.place(view(source), region, filter, pad.data(), view(record));
  REQUIRE(placed.ok());
  return record;
}

Image resize(const Image& source, ImageFilter filter, Extent size) {
  Resampler resampler;
  return place(resampler, source, {0, 0, size.width, size.height}, filter, size);
}

}  // namespace

TEST_CASE("image filters have names that read back") {
  CHECK(word_of(ImageFilter::automatic) == "auto");
  CHECK(word_of(ImageFilter::linear) == "linear");
  CHECK(word_of(ImageFilter::area) == "area");
  CHECK(word_of(ImageFilter::nearest) == "nearest");
  CHECK(word_of(ImageFilter::triangle) == "triangle");
  CHECK(word_of(ImageFilter::cubic) == "cubic");
  CHECK(word_of(ImageFilter::lanczos) == "lanczos");
  CHECK(word_of(ImageFilter::triangle_pillow12_1) == "triangle-pillow12.1");
  CHECK(word_of(ImageFilter::cubic_pillow12_1) == "cubic-pillow12.1");
  CHECK(word_of(ImageFilter::lanczos_pillow12_1) == "lanczos-pillow12.1");
  for (const char* name : {"auto", "linear", "area", "nearest", "triangle", "cubic", "lanczos"}) {
    CHECK(word_of(value_of<ImageFilter>(name).value()) == name);
  }
  CHECK_FALSE(value_of<ImageFilter>("bicubic"));
}

TEST_CASE("auto is area where both axes shrink, else linear") {
  CHECK(resolve_filter(ImageFilter::automatic, {100, 100}, {99, 99}) == ImageFilter::area);
  CHECK(resolve_filter(ImageFilter::automatic, {100, 100}, {100, 50}) == ImageFilter::linear);
  CHECK(resolve_filter(ImageFilter::automatic, {100, 100}, {50, 100}) == ImageFilter::linear);
  CHECK(resolve_filter(ImageFilter::automatic, {100, 100}, {50, 200}) == ImageFilter::linear);
  CHECK(resolve_filter(ImageFilter::automatic, {100, 100}, {200, 200}) == ImageFilter::linear);
  CHECK(resolve_filter(ImageFilter::nearest, {100, 100}, {50, 50}) == ImageFilter::nearest);
  CHECK(resolve_filter(ImageFilter::linear, {100, 100}, {50, 50}) == ImageFilter::linear);
  CHECK(resolve_filter(ImageFilter::lanczos, {100, 100}, {50, 50}) == ImageFilter::lanczos);
}

TEST_CASE("linear equals the integer formula for 1000 random images") {
  std::mt19937 random(11);
  const auto size = [&] { return 1 + static_cast<int>(random() % 60); };
  for (int round = 0; round < 1000; ++round) {
    const int channels = round % 2 == 0 ? 1 : 3;
    Extent target{size(), size()};
    const bool halve = round % 10 == 0;
    const Image source = random_image(halve ? 2 * target.width : size(),
                                      halve ? 2 * target.height : size(), channels, random);
    INFO(round << ": " << source.width << "x" << source.height << "x" << channels << " to "
               << target.width << "x" << target.height);
    REQUIRE(resize(source, ImageFilter::linear, target) ==
            reference::linear(source, target.width, target.height));
  }
}

TEST_CASE("area at integer factors is the rounded mean of the blocks") {
  std::mt19937 random(12);
  for (int round = 0; round < 1000; ++round) {
    const int channels = round % 2 == 0 ? 1 : 3;
    const int fx = 1 + static_cast<int>(random() % 6),
              fy = round % 3 == 0 ? 1 + static_cast<int>(random() % 6) : fx;
    const Extent target{1 + static_cast<int>(random() % 20), 1 + static_cast<int>(random() % 20)};
    const Image source = random_image(fx * target.width, fy * target.height, channels, random);
    INFO(round << ": factors " << fx << "x" << fy << " channels " << channels << " to "
               << target.width << "x" << target.height);
    REQUIRE(resize(source, ImageFilter::area, target) ==
            reference::area_of_blocks(source, target.width, target.height));
  }
}

TEST_CASE("nearest equals OpenCV's index formula for 1000 random images") {
  std::mt19937 random(13);
  const auto size = [&] { return 1 + static_cast<int>(random() % 60); };
  for (int round = 0; round < 1000; ++round) {
    const Image source = random_image(size(), size(), round % 2 == 0 ? 1 : 3, random);
    const Extent target{size(), size()};
    INFO(round << ": " << source.width << "x" << source.height << " to " << target.width << "x"
               << target.height);
    REQUIRE(resize(source, ImageFilter::nearest, target) ==
            reference::nearest(source, target.width, target.height));
  }
}

TEST_CASE("auto equals the filter that it chooses") {
  std::mt19937 random(14);
  const Image source = random_image(40, 30, 3, random);
  for (const Extent target : {Extent{20, 11}, Extent{50, 11}, Extent{50, 60}, Extent{40, 11}}) {
    const ImageFilter resolved = resolve_filter(ImageFilter::automatic, {40, 30}, target);
    CHECK(resize(source, ImageFilter::automatic, target) == resize(source, resolved, target));
  }
}

TEST_CASE("regions are resampled whole, placed, clipped and padded") {
  std::mt19937 random(15);
  const auto size = [&] { return 1 + static_cast<int>(random() % 40); };
  const auto corner = [&] { return static_cast<int>(random() % 60) - 30; };
  Resampler resampler;
  for (int round = 0; round < 1000; ++round) {
    const Image source = random_image(size(), size(), round % 2 == 0 ? 1 : 3, random);
    Region region{corner(), corner(), size(), size()};
    if (round % 4 == 0) region.width = source.width, region.height = source.height;
    const Extent record{size(), size()};
    const bool linear = round % 3 != 0;
    const Image resized = linear ? reference::linear(source, region.width, region.height)
                                 : reference::nearest(source, region.width, region.height);
    const Image wanted =
        reference::placed(resized, region.x, region.y, record.width, record.height, kPad.data());
    INFO(round << ": " << source.width << "x" << source.height << " to " << region.width << "x"
               << region.height << " at " << region.x << "," << region.y << " of " << record.width
               << "x" << record.height);
    REQUIRE(place(resampler, source, region, linear ? ImageFilter::linear : ImageFilter::nearest,
                  record) == wanted);
  }
}

TEST_CASE("fits of real sizes place the pixels that the formulas name") {
  std::mt19937 random(16);
  Resampler resampler;
  const Image source = random_image(96, 72, 3, random);
  const Extent record{51, 51};
  for (const Fit fit : {Fit::stretch, Fit::crop_or_pad, Fit::contain, Fit::cover}) {
    for (const Anchor anchor : {Anchor::center, Anchor::top_left}) {
      const Region region = fit_region(fit, anchor, {96, 72}, record);
      const Image wanted =
          reference::placed(reference::linear(source, region.width, region.height), region.x,
                            region.y, record.width, record.height, kPad.data());
      INFO(word_of(fit) << " " << packed_word_of(anchor));
      CHECK(place(resampler, source, region, ImageFilter::linear, record) == wanted);
    }
  }
}

TEST_CASE("strided source and record: no byte outside the record is touched") {
  std::mt19937 random(17);
  const Image wide = random_image(30, 20, 3, random);
  Image source(12, 9, 3);
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 12; ++x) {
      for (int c = 0; c < 3; ++c) source.at(x, y, c) = wide.at(x + 5, y + 4, c);
    }
  }
  const ConstPixels window{&wide.samples[(4 * 30 + 5) * 3], 12, 9, 3, 90};
  std::vector<std::uint8_t> memory(7 * 64, 99);
  REQUIRE(Resampler()
              .place(window, {1, 0, 8, 7}, ImageFilter::linear, kPad.data(),
                     {memory.data(), 10, 7, 3, 64})
              .ok());
  const Image wanted = reference::placed(reference::linear(source, 8, 7), 1, 0, 10, 7, kPad.data());
  for (std::size_t y = 0; y < 7; ++y) {
    for (std::size_t i = 0; i < 64; ++i)
      REQUIRE(memory[y * 64 + i] == (i < 30 ? wanted.samples[y * 30 + i] : 99));
  }
}

TEST_CASE("Resampler: a region wholly outside leaves nothing but padding") {
  const Image source(4, 4, 3);
  Resampler resampler;
  const Image record = place(resampler, source, {9, 0, 4, 4}, ImageFilter::linear, {5, 5});
  CHECK(record == reference::placed(source, 9, 0, 5, 5, kPad.data()));
}

TEST_CASE("gray padding takes the first value of the color") {
  const Image source(2, 2, 1);
  Resampler resampler;
  CHECK(place(resampler, source, {1, 1, 2, 2}, ImageFilter::linear, {4, 4}).at(0, 0, 0) == kPad[0]);
}

TEST_CASE("only the visible part of a very long image is computed") {
  Image source(1, 3000, 1);
  std::fill(source.samples.begin(), source.samples.end(), std::uint8_t{90});
  Resampler resampler;
  for (const ImageFilter filter : {ImageFilter::linear, ImageFilter::area, ImageFilter::nearest}) {
    const Image record = place(resampler, source, {0, -767744, 512, 1536000}, filter, {512, 512});
    CHECK(std::all_of(record.samples.begin(), record.samples.end(),
                      [](std::uint8_t sample) { return sample == 90; }));
  }
}

TEST_CASE("area chooses blocks, parts or linear by OpenCV's rules") {
  std::mt19937 random(20);
  const Image source = random_image(98, 30, 3, random);
  const auto area = [&](int width, int height) {
    return resize(source, ImageFilter::area, {width, height});
  };
  CHECK(area(49, 15) == reference::area_of_blocks(source, 49, 15));
  CHECK(area(98, 10) == reference::area_of_blocks(source, 98, 10));
  CHECK(area(40, 11) == reference::area_of_parts(source, 40, 11));
  // 1 / (1 / 49.0) is more than 49, so that OpenCV does not take this factor for whole.
  CHECK(area(2, 15) == reference::area_of_parts(source, 2, 15));
  CHECK(area(99, 15) == reference::growing_area(source, 99, 15));
  CHECK(area(49, 31) == reference::growing_area(source, 49, 31));
}

TEST_CASE("resamplers of several threads do not disturb each other") {
  std::mt19937 random(18);
  const Image source = random_image(50, 40, 3, random);
  const Image wanted =
      reference::placed(reference::linear(source, 90, 70), -20, -10, 40, 40, kPad.data());
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      Resampler resampler;
      for (int round = 0; round < 50; ++round) {
        Image record(40, 40, 3);
        const bool placed = resampler
                                .place(view(source), {-20, -10, 90, 70}, ImageFilter::linear,
                                       kPad.data(), view(record))
                                .ok();
        count += !placed || record != wanted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::array<int, 4>{});
}

TEST_CASE("a moved resampler keeps working") {
  Resampler first;
  Resampler second = std::move(first);
  std::mt19937 random(19);
  const Image source = random_image(5, 5, 1, random);
  CHECK(place(second, source, {-1, -1, 9, 9}, ImageFilter::linear, {7, 7}) ==
        reference::placed(reference::linear(source, 9, 9), -1, -1, 7, 7, kPad.data()));
}
