#include "codecs/decode_memory.hpp"

#include "support/catch.hpp"

namespace hotpack::codecs {
namespace {

// tests/property/decoder_memory_test.cpp compares the estimates with what decoders allocate.

TEST_CASE("an image that is turned takes its memory twice") {
  const ImageInfo info{.format = FileFormat::jpeg, .width = 10, .height = 10, .orientation = 6};
  CHECK(image_memory(0, info, {}) == 300);
  CHECK(image_memory(0, info, {.apply_orientation = true}) == 600);
}

TEST_CASE("the coefficients of a JPEG of several scans count at any scale") {
  ImageInfo info{.format = FileFormat::jpeg, .width = 16, .height = 16};
  const std::uint64_t one_scan = image_memory(0, info, {.jpeg_denominator = 2});
  CHECK(one_scan == 8 * 8 * 3);
  info.multi_pass = true;
  CHECK(image_memory(0, info, {.jpeg_denominator = 2}) == one_scan + 16 * 16 * 6);
}

TEST_CASE("a label of the most pixels has an estimate that does not overflow") {
  const ImageInfo info{.format = FileFormat::png,
                       .width = kMaxSide,
                       .height = kMaxSide,
                       .kind = PixelKind::rgba,
                       .bit_depth = 16,
                       .multi_pass = true};
  CHECK(label_memory(0, info) >= 11 * (std::uint64_t{1} << 40));
  CHECK(image_memory(0, info, {.channels = 1}) == 4 * (std::uint64_t{1} << 40));
}

}  // namespace
}  // namespace hotpack::codecs
