#include "codecs/decoder.hpp"

#include <algorithm>
#include <utility>

#include "support/catch.hpp"
#include "support/sanitizers.hpp"
#include "support/test_images.hpp"

namespace hotpack::codecs {
namespace {

using test::Bytes;

constexpr int kWidth = 64;
constexpr int kHeight = 48;
constexpr std::uint64_t kPixels = std::uint64_t{kWidth} * kHeight;

Bytes some_png() {
  return test::make_rgb_png(kWidth, kHeight, test::smooth_samples(kWidth, kHeight, 3));
}
Bytes some_jpeg(bool progressive = false) {
  return test::make_jpeg({.width = kWidth, .height = kHeight, .progressive = progressive},
                         test::smooth_samples(kWidth, kHeight, 3));
}
Bytes interlaced_palette_png() {
  const test::PngSpec spec{.width = kWidth,
                           .height = kHeight,
                           .color = test::PngColor::palette,
                           .bit_depth = 2,
                           .interlaced = true,
                           .palette = std::vector<test::Color>(4)};
  return test::make_png(spec, test::noise_samples(kWidth, kHeight, 1, 3));
}

TEST_CASE("pixel memory is kept from image to image") {
  Decoder decoder;
  const std::uint8_t* kept = decoder.decode_image(some_png(), {}).value().data;
  for (const Bytes& file : {some_jpeg(), some_jpeg(true), interlaced_palette_png(), some_png()}) {
    CHECK(decoder.decode_image(file, {}).value().data == kept);
  }
  const Bytes turned = test::with_exif_orientation(some_jpeg(), 6);
  const std::uint8_t* oriented =
      decoder.decode_image(turned, {.apply_orientation = true}).value().data;
  CHECK(decoder.decode_image(turned, {.apply_orientation = true}).value().data == oriented);
  CHECK(decoder.decode_label(some_png(), kPixels).value().rgb.data == kept);
}

TEST_CASE("a refused image leaves the decoder ready for the next") {
  Decoder decoder;
  const Bytes png = some_png();
  const Bytes jpeg = some_jpeg();
  const auto first = decoder.decode_image(jpeg, {});
  const std::vector<std::uint8_t> expected(first.value().data, first.value().data + kPixels * 3);
  for (const std::size_t cut : {std::size_t{1}, std::size_t{40}, std::size_t{120}}) {
    CHECK_FALSE(decoder.decode_image(test::truncated(jpeg, jpeg.size() - cut), {}).ok());
    CHECK_FALSE(decoder.decode_image(test::truncated(png, png.size() - cut), {}).ok());
    const auto again = decoder.decode_image(jpeg, {});
    REQUIRE(again.ok());
    CHECK(std::equal(expected.begin(), expected.end(), again.value().data));
    CHECK(decoder.decode_image(png, {}).ok());
  }
}

TEST_CASE("the pixel limit is checked in the header of photos and labels") {
  Decoder decoder;
  for (const Bytes& file : {some_png(), some_jpeg()}) {
    CHECK(decoder.decode_image(file, {.max_pixels = kPixels}).ok());
    CHECK(decoder.decode_label(file, kPixels).ok());
    const auto image = decoder.decode_image(file, {.max_pixels = kPixels - 1});
    const auto label = decoder.decode_label(file, kPixels - 1);
    REQUIRE_FALSE(image.ok());
    REQUIRE_FALSE(label.ok());
    CHECK(image.error().code == ErrorCode::data);
    CHECK_THAT(image.error().message, ContainsSubstring("64x48"));
    CHECK_THAT(label.error().message, ContainsSubstring("--max-pixels"));
  }
  // The header is enough to refuse: nothing is decoded or allocated.
  const Bytes bomb = test::with_png_byte(test::with_png_byte(some_png(), "IHDR", 1, std::byte{8}),
                                         "IHDR", 5, std::byte{8});
  CHECK_THAT(decoder.decode_image(bomb, {}).error().message,
             ContainsSubstring("more than the limit"));
}

// Sanitizers end the program if it requests this size.
#if !HOTPACK_SANITIZED
TEST_CASE("an image too large for memory is an error, not an exception") {
  Decoder decoder;
  const Bytes vast = test::with_png_byte(test::with_png_byte(some_png(), "IHDR", 1, std::byte{15}),
                                         "IHDR", 5, std::byte{15});
  const auto image = decoder.decode_image(vast, {.max_pixels = ~std::uint64_t{0}});
  REQUIRE_FALSE(image.ok());
  CHECK(image.error().code == ErrorCode::io);
  CHECK(decoder.decode_image(some_png(), {}).ok());
}
#endif

TEST_CASE("both PNG decoders apply the orientation on request") {
  const Bytes exif = test::exif_payload(6);
  const test::PngSpec interlaced{.width = kWidth, .height = kHeight, .interlaced = true};
  const auto samples = test::noise_samples(kWidth, kHeight, 3, 255);
  for (const Bytes& upright : {some_png(), test::make_png(interlaced, samples)}) {
    const Bytes file = test::with_png_chunk(upright, "eXIf", std::span(exif).subspan(6));
    Decoder first, second;
    const ConstPixels stored = first.decode_image(file, {}).value();
    CHECK((stored.width == kWidth && stored.height == kHeight));
    const ConstPixels seen = second.decode_image(file, {.apply_orientation = true}).value();
    REQUIRE((seen.width == kHeight && seen.height == kWidth));
    // Clockwise: the first stored row becomes the last column, from top to bottom.
    for (int x = 0; x < kWidth; ++x)
      CHECK(std::equal(stored.row(0) + 3 * x, stored.row(0) + 3 * x + 3,
                       seen.row(x) + 3 * (kHeight - 1)));
    CHECK(second.decode_label(file, kPixels).value().width == kWidth);  // labels are never turned
  }
}

TEST_CASE("the first image of an animated PNG is read") {
  const Bytes still = some_png();
  Bytes animated = test::with_png_chunk(still, "acTL", Bytes(8, std::byte{2}));
  animated = test::with_png_chunk(animated, "fdAT", Bytes(50), "IEND");
  Decoder first, second;
  const ConstPixels expected = first.decode_image(still, {}).value(),
                    found = second.decode_image(animated, {}).value();
  CHECK(std::equal(expected.data, expected.data + 3 * kPixels, found.data));
}

TEST_CASE("other channel counts are a bug of the caller") {
  Decoder decoder;
  CHECK(decoder.decode_image(some_png(), {.channels = 4}).error().code == ErrorCode::internal);
}

TEST_CASE("a decoder may be moved") {
  Decoder first;
  REQUIRE(first.decode_image(some_jpeg(), {}).ok());
  Decoder second = std::move(first);
  CHECK(second.decode_image(some_jpeg(), {}).ok());
}

TEST_CASE("the content decides the format, whatever the previous file was") {
  Decoder decoder;
  CHECK(decoder.decode_image(some_jpeg(), {}).ok());
  CHECK_FALSE(decoder.decode_image({}, {}).ok());
  CHECK_FALSE(decoder.decode_label(test::bytes_of("GIF89a........"), kPixels).ok());
}

}  // namespace
}  // namespace hotpack::codecs
