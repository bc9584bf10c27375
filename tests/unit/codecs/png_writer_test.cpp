#include "codecs/png_writer.hpp"

#include <array>

#include "codecs/decoder.hpp"
#include "support/catch.hpp"
#include "support/test_images.hpp"

namespace hotpack::codecs {
namespace {

constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

template <class Sample>
PixelView<const Sample> view_of(const std::vector<Sample>& samples, int width, int height,
                                int channels) {
  return {samples.data(), width, height, channels,
          static_cast<std::size_t>(width * channels) * sizeof(Sample)};
}

template <class Sample>
bool holds(const PixelView<const Sample>& image, const std::vector<Sample>& samples) {
  return image.packed() && std::equal(samples.begin(), samples.end(), image.data);
}

TEST_CASE("gray and RGB images read back equal") {
  Decoder decoder;
  for (const int channels : {1, 3}) {
    const auto samples = test::smooth_samples(37, 21, channels);
    const auto file = encode_png(view_of(samples, 37, 21, channels));
    REQUIRE(file.ok());
    const auto image = decoder.decode_image(file.value(), {.channels = channels});
    REQUIRE(image.ok());
    CHECK(image.value().width == 37);
    CHECK(image.value().height == 21);
    CHECK(holds(image.value(), samples));
  }
}

TEST_CASE("rows may have gaps between them") {
  const auto samples = test::smooth_samples(10, 4, 3);
  ConstPixels left_half = view_of(samples, 10, 4, 3);
  left_half.width = 5;
  Decoder decoder;
  const auto file = encode_png(left_half);
  REQUIRE(file.ok());
  const auto image = decoder.decode_image(file.value(), {});
  REQUIRE(image.ok());
  for (int y = 0; y < 4; ++y)
    CHECK(std::equal(left_half.row(y), left_half.row(y) + 15, image.value().row(y)));
}

TEST_CASE("16-bit ids read back equal") {
  const auto ids = test::noise_samples(13, 7, 1, 65535);
  const auto file = encode_png16(view_of(ids, 13, 7, 1));
  REQUIRE(file.ok());
  Decoder decoder;
  const auto label = decoder.decode_label(file.value(), kMaxPixels);
  REQUIRE(label.ok());
  CHECK(label.value().bit_depth == 16);
  CHECK(holds(label.value().samples, ids));
}

TEST_CASE("palette images read back with their colors") {
  const std::vector<RgbColor> palette = {{0, 0, 0}, {255, 0, 0}, {1, 2, 3}};
  const std::vector<std::uint8_t> indices = {0, 1, 2, 2, 1, 0};
  const auto file = encode_png_palette(view_of(indices, 3, 2, 1), palette);
  REQUIRE(file.ok());
  Decoder decoder;
  const auto label = decoder.decode_label(file.value(), kMaxPixels);
  REQUIRE(label.ok());
  CHECK(label.value().palette == palette);
  CHECK(label.value().bit_depth == 8);
  CHECK(holds(label.value().samples, std::vector<std::uint16_t>{0, 1, 2, 2, 1, 0}));
}

TEST_CASE("the same pixels make the same bytes") {
  const auto samples = test::smooth_samples(30, 30, 3);
  CHECK(encode_png(view_of(samples, 30, 30, 3)).value() ==
        encode_png(view_of(samples, 30, 30, 3)).value());
}

TEST_CASE("bad arguments are a bug of the caller") {
  const std::vector<std::uint8_t> samples(12);
  const std::vector<RgbColor> palette(300);
  const auto code = [](const auto& result) { return result.error().code; };
  CHECK(code(encode_png({})) == ErrorCode::internal);
  CHECK(code(encode_png(view_of(samples, 6, 1, 2))) == ErrorCode::internal);
  CHECK(code(encode_png16({})) == ErrorCode::internal);
  CHECK(code(encode_png_palette(view_of(samples, 4, 1, 3), std::span(palette).first(2))) ==
        ErrorCode::internal);
  CHECK(code(encode_png_palette(view_of(samples, 12, 1, 1), palette)) == ErrorCode::internal);
  CHECK(code(encode_png_palette(view_of(samples, 12, 1, 1), {})) == ErrorCode::internal);
  const std::vector<std::uint8_t> stray = {0, 5};
  CHECK(code(encode_png_palette(view_of(stray, 2, 1, 1), std::span(palette).first(5))) ==
        ErrorCode::internal);
}

}  // namespace
}  // namespace hotpack::codecs
