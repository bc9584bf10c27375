#include <cstring>
#include <vector>

#include "hotpack/expand.hpp"
#include "support/catch.hpp"

using namespace hotpack;

namespace {

struct Stored {
  std::vector<std::uint8_t> bytes;
  ImageShape shape;
  [[nodiscard]] ImageView view() const { return {bytes, shape}; }
};

Stored stored(ImageShape shape) {
  Stored image{std::vector<std::uint8_t>(shape.size_bytes()), shape};
  for (std::size_t i = 0; i < image.bytes.size(); ++i)
    image.bytes[i] = static_cast<std::uint8_t>(i * 37 + i / 251);
  return image;
}

}  // namespace

TEST_CASE("expand_image writes the tensor into the caller's buffer", "[expand]") {
  const auto shape =
      GENERATE(ImageShape{3, 5, 3, AxisOrder::channels_last},
               ImageShape{512, 300, 3, AxisOrder::channels_last});  // cached, streaming
  const Stored image = stored(shape);
  const ImageOutput output{
      ElementType::f32, AxisOrder::channels_first, {0.1f, 0.2f, 0.3f}, {0.4f, 0.5f, 0.6f}};
  std::vector<float> out(image_bytes(shape, ElementType::f32) / 4 + 1, -7.0f);
  const auto bytes = std::as_writable_bytes(std::span(out));
  REQUIRE(expand_image(image.view(), output, bytes.first(bytes.size() - 4)).ok());
  CHECK(out.back() == -7.0f);
  const std::size_t pixels = static_cast<std::size_t>(shape.height * shape.width);
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t p = 0; p < pixels; ++p) {
      const float wanted =
          (static_cast<float>(image.bytes[3 * p + c]) / 255.0f - output.mean[c]) / output.std[c];
      wrong += std::memcmp(&wanted, &out[c * pixels + p], 4) != 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("expand_image without a change is a copy", "[expand]") {
  const Stored image = stored({4, 6, 3, AxisOrder::channels_first});
  std::vector<std::uint8_t> out(image.bytes.size());
  REQUIRE(expand_image(image.view(), {ElementType::u8, AxisOrder::channels_first, {}, {}},
                       std::as_writable_bytes(std::span(out)))
              .ok());
  CHECK(out == image.bytes);
}

TEST_CASE("expand_image refuses buffers and images that do not fit", "[expand]") {
  const Stored image = stored({4, 6, 3, AxisOrder::channels_last});
  const ImageOutput halves{ElementType::f16, AxisOrder::channels_last, {}, {}};
  std::vector<std::uint16_t> memory(image.bytes.size() + 1);
  const std::span<std::byte> out = std::as_writable_bytes(std::span(memory));
  const auto refusal = [](const Status& status) {
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::usage);
    return status.error().message;
  };
  CHECK_THAT(refusal(expand_image(image.view(), halves, out.first(143))),
             ContainsSubstring("143 bytes, but the expanded image needs 144"));
  CHECK_THAT(refusal(expand_image(image.view(), halves, out.subspan(1))),
             ContainsSubstring("not aligned to elements of type f16"));
  ImageView view = image.view();
  view.bytes = view.bytes.first(71);
  CHECK_THAT(refusal(expand_image(view, halves, out)),
             ContainsSubstring("71 bytes, but its shape needs 72"));
  view.shape.channels = 2;
  CHECK_THAT(refusal(expand_image(view, halves, out)), ContainsSubstring("1 or 3 channels"));
  view.shape = {0, 6, 3, AxisOrder::channels_last};
  CHECK_THAT(refusal(expand_image(view, halves, out)), ContainsSubstring("6x0"));
}

TEST_CASE("image_bytes counts elements, and never wraps around", "[expand]") {
  CHECK(image_bytes({4, 6, 3, AxisOrder::channels_last}, ElementType::u8) == 72);
  CHECK(image_bytes({4, 6, 1, AxisOrder::channels_first}, ElementType::f32) == 96);
  CHECK(image_bytes({1, 1, 3, AxisOrder::channels_last}, ElementType::bf16) == 6);
  CHECK(image_bytes({std::int64_t{1} << 40, std::int64_t{1} << 40, 3, AxisOrder::channels_last},
                    ElementType::f32) == UINT64_MAX);
}
