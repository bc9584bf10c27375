#include <algorithm>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "codecs/decoder.hpp"
#include "codecs/sample_rows.hpp"
#include "support/catch.hpp"
#include "support/test_images.hpp"

namespace hotpack::codecs {
namespace {

using test::Bytes;
using test::PngColor;
using test::PngSpec;
using Samples = std::vector<std::uint16_t>;

constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

std::vector<test::Color> some_palette(std::size_t count) {
  std::vector<test::Color> palette;
  for (std::size_t i = 0; i < count; ++i) {
    palette.push_back({static_cast<std::uint8_t>(i * 37), static_cast<std::uint8_t>(255 - i * 11),
                       static_cast<std::uint8_t>(i * i)});
  }
  return palette;
}

struct Made {
  PngSpec spec;
  Samples samples;
  Bytes file;
};

Made make(PngColor color, int depth, int width, int height, bool interlaced) {
  Made made;
  made.spec = {.width = width,
               .height = height,
               .color = color,
               .bit_depth = depth,
               .interlaced = interlaced};
  if (color == PngColor::palette) made.spec.palette = some_palette(std::size_t{1} << depth);
  made.samples = test::noise_samples(width, height, test::channels_of(color),
                                     static_cast<std::uint16_t>((1 << depth) - 1));
  made.file = test::make_png(made.spec, made.samples);
  return made;
}

template <class Visit>
void for_each_kind(const Visit& visit) {
  for (const PngColor color :
       {PngColor::gray, PngColor::rgb, PngColor::palette, PngColor::gray_alpha, PngColor::rgba}) {
    for (const int depth : {1, 2, 4, 8, 16}) {
      const bool exists = color == PngColor::gray || depth == 8 ||
                          (color == PngColor::palette ? depth < 8 : depth == 16);
      if (!exists) continue;
      for (const bool interlaced : {false, true}) visit(color, depth, interlaced);
    }
  }
}

std::uint8_t to_8_bits(unsigned sample, int depth, Depth16 depth16) {
  if (depth == 16)
    return static_cast<std::uint8_t>(depth16 == Depth16::shift ? sample >> 8
                                                               : (sample * 255 + 32767) / 65535);
  return static_cast<std::uint8_t>(sample * 255 / ((1U << depth) - 1));
}

// The color of a photo's pixel, from the stored samples.
test::Color color_at(const Made& made, std::size_t pixel, Depth16 depth16) {
  const PngSpec& spec = made.spec;
  const auto channels = static_cast<std::size_t>(test::channels_of(spec.color));
  const std::uint16_t* at = made.samples.data() + pixel * channels;
  if (spec.color == PngColor::palette) return spec.palette.at(*at);
  const auto sample = [&](std::size_t channel) {
    return to_8_bits(at[channels >= 3 ? channel : 0], spec.bit_depth, depth16);
  };
  return {sample(0), sample(1), sample(2)};
}

std::vector<std::uint8_t> expected_image(const Made& made, const ImageOptions& options) {
  std::vector<std::uint8_t> expected;
  const std::size_t pixels =
      made.samples.size() / static_cast<std::size_t>(test::channels_of(made.spec.color));
  for (std::size_t i = 0; i < pixels; ++i) {
    const test::Color color = color_at(made, i, options.depth16);
    if (options.channels == 3) {
      expected.insert(expected.end(), color.begin(), color.end());
    } else {
      expected.push_back(luma(color[0], color[1], color[2]));
    }
  }
  return expected;
}

std::vector<std::uint8_t> pixels_of(const ConstPixels& image) {
  REQUIRE(image.packed());
  return {image.data, image.data + image.row_bytes * static_cast<std::size_t>(image.height)};
}

Samples ids_of(const ConstIds& ids) {
  REQUIRE(ids.packed());
  return {ids.data,
          ids.data + static_cast<std::size_t>(ids.width) * static_cast<std::size_t>(ids.height)};
}

void check_image(Decoder& decoder, const Made& made, const ImageOptions& options) {
  const auto image = decoder.decode_image(made.file, options);
  REQUIRE(image.ok());
  CHECK(image.value().width == made.spec.width);
  CHECK(image.value().height == made.spec.height);
  CHECK(image.value().channels == options.channels);
  CHECK(pixels_of(image.value()) == expected_image(made, options));
}

std::string image_refusal(const Bytes& file) {
  Decoder decoder;
  const auto image = decoder.decode_image(file, {});
  REQUIRE_FALSE(image.ok());
  CHECK(image.error().code == ErrorCode::data);
  return image.error().message;
}

bool image_is(const Bytes& file, const std::vector<std::uint8_t>& pixels) {
  Decoder decoder;
  const auto image = decoder.decode_image(file, {});
  return image.ok() && pixels_of(image.value()) == pixels;
}

TEST_CASE("PNG photos of every kind become 8-bit RGB or gray") {
  Decoder decoder;
  for_each_kind([&](PngColor color, int depth, bool interlaced) {
    for (const auto& [width, height] : {std::pair{1, 1}, {3, 9}, {33, 17}}) {
      CAPTURE(static_cast<int>(color), depth, interlaced, width, height);
      const Made made = make(color, depth, width, height, interlaced);
      check_image(decoder, made, {.channels = 3});
      check_image(decoder, made, {.channels = 1});
      if (depth == 16) check_image(decoder, made, {.channels = 3, .depth16 = Depth16::scale});
    }
  });
}

TEST_CASE("every 16-bit sample is shifted or scaled to 8 bits") {
  Made all{
      {.width = 256, .height = 256, .color = PngColor::gray, .bit_depth = 16}, Samples(65536), {}};
  for (std::size_t i = 0; i < all.samples.size(); ++i)
    all.samples[i] = static_cast<std::uint16_t>(i);
  all.file = test::make_png(all.spec, all.samples);
  Decoder decoder;
  check_image(decoder, all, {.channels = 1, .depth16 = Depth16::shift});
  check_image(decoder, all, {.channels = 1, .depth16 = Depth16::scale});
}

constexpr test::Color kBehind{200, 100, 7};

// tRNS as stored: two bytes per sample, most significant first.
Bytes key_chunk(const Samples& key) {
  Bytes data;
  for (const std::uint16_t sample : key) {
    data.push_back(static_cast<std::byte>(sample >> 8));
    data.push_back(static_cast<std::byte>(sample & 0xFF));
  }
  return data;
}

Bytes alpha_chunk(const std::vector<std::uint8_t>& alpha) {
  const auto bytes = std::as_bytes(std::span(alpha));
  return {bytes.begin(), bytes.end()};
}

// The image without alpha, each pixel blended with `alpha_at(pixel)`.
template <class AlphaAt>
std::vector<std::uint8_t> expected_blend(const Made& made, const ImageOptions& options,
                                         const AlphaAt& alpha_at) {
  std::vector<std::uint8_t> expected;
  const std::size_t pixels =
      made.samples.size() / static_cast<std::size_t>(test::channels_of(made.spec.color));
  for (std::size_t i = 0; i < pixels; ++i) {
    test::Color color = color_at(made, i, options.depth16);
    const unsigned alpha = alpha_at(i);
    for (std::size_t c = 0; c < 3; ++c) {
      color[c] =
          static_cast<std::uint8_t>((color[c] * alpha + kBehind[c] * (255U - alpha) + 127U) / 255U);
    }
    if (options.channels == 3) {
      expected.insert(expected.end(), color.begin(), color.end());
    } else {
      expected.push_back(luma(color[0], color[1], color[2]));
    }
  }
  return expected;
}

template <class AlphaAt>
void check_blend(const Made& made, const AlphaAt& alpha_at) {
  Decoder decoder;
  for (const int channels : {3, 1}) {
    for (const Depth16 depth16 : {Depth16::shift, Depth16::scale}) {
      const ImageOptions options{.channels = channels, .depth16 = depth16, .blend = kBehind};
      const auto image = decoder.decode_image(made.file, options);
      REQUIRE(image.ok());
      CHECK(pixels_of(image.value()) == expected_blend(made, options, [&](std::size_t pixel) {
              return alpha_at(pixel, depth16);
            }));
    }
    check_image(decoder, made, {.channels = channels});  // without blend alpha is dropped
  }
}

TEST_CASE("blend composites RGBA and gray with alpha at 8 and 16 bits") {
  for (const PngColor color : {PngColor::gray_alpha, PngColor::rgba}) {
    for (const int depth : {8, 16}) {
      for (const bool interlaced : {false, true}) {
        CAPTURE(static_cast<int>(color), depth, interlaced);
        const Made made = make(color, depth, 33, 17, interlaced);
        const auto channels = static_cast<std::size_t>(test::channels_of(color));
        check_blend(made, [&](std::size_t pixel, Depth16 depth16) {
          return unsigned{to_8_bits(made.samples[pixel * channels + channels - 1], depth, depth16)};
        });
      }
    }
  }
}

TEST_CASE("blend treats a tRNS color as transparent at the file's depth") {
  for (const PngColor color : {PngColor::gray, PngColor::rgb}) {
    for (const int depth : {1, 2, 4, 8, 16}) {
      if (color == PngColor::rgb && depth < 8) continue;
      CAPTURE(static_cast<int>(color), depth);
      const std::size_t channels = color == PngColor::rgb ? 3 : 1;
      Made made = make(color, depth, 9, 7, false);
      const Samples key(made.samples.begin() + static_cast<std::ptrdiff_t>(5 * channels),
                        made.samples.begin() + static_cast<std::ptrdiff_t>(6 * channels));
      if (depth == 16) made.samples[0] = key[0] ^ 1U;  // the same upper byte, but not the key
      made.file =
          test::with_png_chunk(test::make_png(made.spec, made.samples), "tRNS", key_chunk(key));
      check_blend(made, [&](std::size_t pixel, Depth16) {
        return std::equal(key.begin(), key.end(),
                          made.samples.begin() + static_cast<std::ptrdiff_t>(pixel * channels))
                   ? 0U
                   : 255U;
      });
    }
  }
}

TEST_CASE("blend uses palette alpha, opaque beyond the end of tRNS") {
  for (const int depth : {2, 8}) {
    for (const bool interlaced : {false, true}) {
      Made made = make(PngColor::palette, depth, 19, 13, interlaced);
      const std::vector<std::uint8_t> alpha = {0, 90, 200};
      made.file = test::with_png_chunk(made.file, "tRNS", alpha_chunk(alpha));
      check_blend(made, [&](std::size_t pixel, Depth16) {
        const std::size_t index = made.samples[pixel];
        return index < alpha.size() ? unsigned{alpha[index]} : 255U;
      });
    }
  }
}

TEST_CASE("blend leaves an image without transparency unchanged") {
  Decoder decoder;
  for (const PngColor color : {PngColor::gray, PngColor::rgb, PngColor::palette}) {
    const Made made = make(color, 8, 19, 13, false);
    for (const int channels : {1, 3})
      check_image(decoder, made, {.channels = channels, .blend = kBehind});
  }
}

TEST_CASE("invalid transparency is an error only if it matters") {
  const auto blended = [](const Bytes& file) {
    return Decoder().decode_image(file, {.blend = kBehind}).ok();
  };
  const auto dropped = [](const Bytes& file) { return Decoder().decode_image(file, {}).ok(); };
  const Made rgb = make(PngColor::rgb, 8, 5, 5, false);
  const Bytes keyed = test::with_png_chunk(rgb.file, "tRNS", key_chunk({1, 2, 3}));
  const Bytes palette = make(PngColor::palette, 8, 5, 5, false).file;
  const Bytes early = test::with_png_chunk(palette, "tRNS", Bytes(3), "PLTE");
  REQUIRE(blended(keyed));
  for (const Bytes& spoilt : {test::with_bad_png_checksum(keyed, "tRNS"),
                              test::with_png_chunk(rgb.file, "tRNS", Bytes(5)), early}) {
    CHECK_FALSE(blended(spoilt));
    CHECK(dropped(spoilt));
    Decoder decoder;
    CHECK_THAT(decoder.decode_image(spoilt, {.blend = kBehind}).error().message,
               ContainsSubstring("tRNS"));
  }
}

// The expected label: colors without alpha, or the first sample of each pixel.
Samples expected_label(const Made& made) {
  const auto channels = static_cast<std::size_t>(test::channels_of(made.spec.color));
  Samples expected;
  for (std::size_t i = 0; i < made.samples.size(); ++i) {
    const bool alpha = channels % 2 == 0 && i % channels == channels - 1;
    if (!alpha) expected.push_back(made.samples[i]);
  }
  return expected;
}

TEST_CASE("labels keep their samples as stored") {
  Decoder decoder;
  for_each_kind([&](PngColor color, int depth, bool interlaced) {
    const bool is_color = color == PngColor::rgb || color == PngColor::rgba;
    const bool is_wide = is_color && depth == 16;
    CAPTURE(static_cast<int>(color), depth, interlaced);
    const Made made = make(color, depth, 19, 13, interlaced);
    const auto label = decoder.decode_label(made.file, kMaxPixels);
    REQUIRE(label.ok());
    CHECK(label.value().width == 19);
    CHECK(label.value().height == 13);
    CHECK(label.value().bit_depth == depth);
    CHECK_FALSE(label.value().lossy);
    CHECK(label.value().is_palette == (color == PngColor::palette));
    CHECK(label.value().palette == made.spec.palette);
    CHECK(label.value().alpha_varies == (color == PngColor::gray_alpha || color == PngColor::rgba));
    CHECK((label.value().rgb.data != nullptr) == (is_color && !is_wide));
    CHECK((label.value().wide_rgb.data != nullptr) == is_wide);
    CHECK((label.value().samples.data != nullptr) == !is_color);
    if (is_wide) {
      Samples samples;
      for (int y = 0; y < 13; ++y) {
        const std::uint16_t* const row = label.value().wide_rgb.row(y);
        samples.insert(samples.end(), row, row + std::ptrdiff_t{19} * 3);
      }
      CHECK(samples == expected_label(made));
    } else if (is_color) {
      const auto pixels = pixels_of(label.value().rgb);
      CHECK(Samples(pixels.begin(), pixels.end()) == expected_label(made));
    } else {
      CHECK(ids_of(label.value().samples) == expected_label(made));
    }
  });
}

TEST_CASE("labels have the name of their form") {
  Decoder decoder;
  const auto form = [&](PngColor color, int depth) {
    return decoder.decode_label(make(color, depth, 2, 2, false).file, kMaxPixels).value().form;
  };
  CHECK(form(PngColor::gray, 8) == "8-bit gray PNG");
  CHECK(form(PngColor::palette, 4) == "4-bit palette PNG");
  CHECK(form(PngColor::gray_alpha, 16) == "16-bit gray+alpha PNG");
  CHECK(form(PngColor::rgba, 8) == "8-bit RGBA PNG");
}

TEST_CASE("constant alpha does not vary, and one other value does") {
  Decoder decoder;
  const auto varies = [&](PngColor color, int depth, const Samples& samples) {
    return decoder
        .decode_label(
            test::make_png({.width = 2, .height = 2, .color = color, .bit_depth = depth}, samples),
            kMaxPixels)
        .value()
        .alpha_varies;
  };
  CHECK_FALSE(varies(PngColor::gray_alpha, 8, {1, 9, 2, 9, 3, 9, 4, 9}));
  CHECK(varies(PngColor::gray_alpha, 8, {1, 9, 2, 9, 3, 9, 4, 8}));
  CHECK_FALSE(varies(PngColor::gray_alpha, 16, {1, 999, 2, 999, 3, 999, 4, 999}));
  CHECK(varies(PngColor::gray_alpha, 16, {1, 999, 2, 999, 3, 743, 4, 999}));
  CHECK_FALSE(varies(PngColor::rgba, 8, {1, 1, 1, 0, 2, 2, 2, 0, 3, 3, 3, 0, 4, 4, 4, 0}));
  CHECK(varies(PngColor::rgba, 8, {1, 1, 1, 0, 2, 2, 2, 0, 3, 3, 3, 1, 4, 4, 4, 0}));
}

TEST_CASE("chunks about color and transparency never alter a sample") {
  Decoder decoder;
  const auto byte_chunk = [](std::string_view text) { return test::bytes_of(text); };
  for (const PngColor color : {PngColor::gray, PngColor::palette, PngColor::rgb}) {
    const Made made = make(color, 8, 9, 7, false);
    Bytes dressed = test::with_png_chunk(made.file, "tRNS",
                                         Bytes(color == PngColor::gray  ? 2
                                               : color == PngColor::rgb ? 6
                                                                        : 40));
    const std::string_view before = color == PngColor::palette ? "PLTE" : "IDAT";
    dressed =
        test::with_png_chunk(dressed, "gAMA", byte_chunk({"\0\0\x27\x10", 4}), before);  // 0.1
    dressed = test::with_png_chunk(dressed, "sRGB", byte_chunk({"\0", 1}), before);
    dressed = test::with_png_chunk(dressed, "sBIT",
                                   Bytes(color == PngColor::gray ? 1 : 3, std::byte{3}), before);
    dressed = test::with_png_chunk(dressed, "iCCP", byte_chunk("profile"), before);
    const Made same{made.spec, made.samples, dressed};
    check_image(decoder, same, {});
    const auto label = decoder.decode_label(dressed, kMaxPixels);
    REQUIRE(label.ok());
    if (color != PngColor::rgb) CHECK(ids_of(label.value().samples) == made.samples);
  }
}

TEST_CASE("an index without a color is an error in photos only") {
  const PngSpec spec{.width = 3,
                     .height = 2,
                     .color = PngColor::palette,
                     .bit_depth = 8,
                     .palette = some_palette(2)};
  const Samples samples = {0, 1, 1, 0, 7, 200};
  const Bytes file = test::make_png(spec, samples);
  CHECK_THAT(image_refusal(file),
             ContainsSubstring("pixel 1,1 has palette index 7, but the palette has 2 colors"));
  Decoder decoder;
  const auto label = decoder.decode_label(file, kMaxPixels);
  REQUIRE(label.ok());
  CHECK(ids_of(label.value().samples) == samples);
  CHECK(label.value().palette.size() == 2);
}

struct Plain {
  std::vector<std::uint8_t> pixels = test::smooth_samples(16, 12, 3);
  Bytes file = test::make_rgb_png(16, 12, pixels);
};

TEST_CASE("damaged or huge metadata does not affect a good image") {
  const Plain plain;
  const Bytes text = test::bytes_of("Comment\0some words");
  CHECK(
      image_is(test::with_bad_png_checksum(test::with_png_chunk(plain.file, "tEXt", text), "tEXt"),
               plain.pixels));
  CHECK(image_is(test::with_png_chunk(plain.file, "tRNS", text), plain.pixels));
  CHECK(image_is(test::with_png_chunk(plain.file, "gAMA", text), plain.pixels));
  CHECK(image_is(test::with_png_chunk(plain.file, "zzZz", text), plain.pixels));
  CHECK(image_is(test::with_png_chunk(plain.file, "iTXt", Bytes(std::size_t{9} << 20)),
                 plain.pixels));
  CHECK(image_is(test::with_png_chunk(plain.file, "tEXt", text, "IEND"), plain.pixels));
}

TEST_CASE("compressed metadata is never decompressed") {
  const Plain plain;
  Bytes bomb = test::bytes_of(std::string_view("name\0\0", 6));
  const Bytes zeros = test::deflated_zeros(std::size_t{32} << 20);
  bomb.insert(bomb.end(), zeros.begin(), zeros.end());
  CHECK(image_is(test::with_png_chunk(plain.file, "zTXt", bomb), plain.pixels));
  CHECK(image_is(test::with_png_chunk(plain.file, "iCCP", bomb), plain.pixels));
}

TEST_CASE("bytes after the end of a PNG are ignored") {
  const Plain plain;
  CHECK(image_is(test::with_tail(plain.file, "more bytes"), plain.pixels));
}

TEST_CASE("rows beyond the last one are ignored") {
  const Plain plain;
  const Bytes shorter = test::with_png_byte(plain.file, "IHDR", 7, std::byte{11});  // of 12
  CHECK(image_is(shorter, {plain.pixels.begin(), plain.pixels.begin() + 16 * 11 * 3}));
}

TEST_CASE("a PNG that ends too early is refused wherever it ends") {
  const Plain plain;
  for (std::size_t size = 0; size < plain.file.size(); ++size) {
    CAPTURE(size);
    const std::string message = image_refusal(test::truncated(plain.file, size));
    if (size >= 33) REQUIRE_THAT(message, ContainsSubstring("damaged or truncated"));
  }
  CHECK_THAT(image_refusal(test::without_png_chunk(plain.file, "IEND")),
             ContainsSubstring("ends too early"));
}

TEST_CASE("damaged critical chunks are refused") {
  const Plain plain;
  CHECK_THAT(image_refusal(test::with_bad_png_checksum(plain.file, "IDAT")),
             ContainsSubstring("IDAT: CRC error"));
  CHECK_THAT(image_refusal(test::with_bad_png_checksum(plain.file, "IEND")),
             ContainsSubstring("IEND"));
  const std::size_t last =
      test::png_chunk_data_size(plain.file, "IDAT") - 1;  // in zlib's own checksum
  CHECK_THAT(image_refusal(test::with_png_byte(plain.file, "IDAT", last, std::byte{0x55})),
             ContainsSubstring("incorrect data check"));
  CHECK_THAT(image_refusal(test::with_png_chunk(plain.file, "ABCD", {})),
             ContainsSubstring("ABCD"));
  CHECK_FALSE(image_refusal(test::without_png_chunk(plain.file, "IDAT")).empty());
  CHECK_THAT(image_refusal(test::with_png_byte(plain.file, "IHDR", 7, std::byte{13})),
             ContainsSubstring("Not enough image data"));

  const Made palette = make(PngColor::palette, 8, 4, 4, false);
  CHECK_THAT(image_refusal(test::with_bad_png_checksum(palette.file, "PLTE")),
             ContainsSubstring("PLTE"));
  CHECK_THAT(image_refusal(test::without_png_chunk(palette.file, "PLTE")),
             ContainsSubstring("PLTE"));
}

// Any flipped bit gives an error, or the very same pixels (in bytes that do not matter).
TEST_CASE("no flipped bit changes pixels") {
  const Plain plain;
  Decoder decoder;
  for (std::size_t bit = 0; bit < plain.file.size() * 8; ++bit) {
    const Bytes flipped =
        test::with_byte(plain.file, bit / 8, plain.file[bit / 8] ^ std::byte{1} << (bit % 8));
    const auto image = decoder.decode_image(flipped, {});
    if (image.ok()) REQUIRE(pixels_of(image.value()) == plain.pixels);
  }
}

}  // namespace
}  // namespace hotpack::codecs
