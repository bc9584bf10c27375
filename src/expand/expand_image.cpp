#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "expand/image_expander.hpp"
#include "hotpack/expand.hpp"

namespace hotpack {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 30;  // along one axis

// From here on the output is larger than what a core keeps in its caches while it is written.
constexpr std::uint64_t kStreamingBytes = std::uint64_t{1} << 20;

Status check_record(const ImageView& image) {
  const ImageShape& shape = image.shape;
  if (shape.height < 1 || shape.width < 1 || shape.height > kMostPixels || shape.width > kMostPixels) {
    return usage_error("an image of " + std::to_string(shape.width) + "x" + std::to_string(shape.height) +
                       " pixels cannot be expanded: both sizes are from 1 to " + std::to_string(kMostPixels));
  }
  const std::uint64_t needed = image_bytes(shape, ElementType::u8);
  if (image.bytes.size() >= needed) return {};
  return usage_error("the image has " + std::to_string(image.bytes.size()) + " bytes, its shape needs " + std::to_string(needed));
}

Status check_buffer(const ImageShape& shape, ElementType type, std::span<std::byte> out) {
  const std::uint64_t needed = image_bytes(shape, type);
  if (out.size() < needed) {
    return usage_error("the buffer has " + std::to_string(out.size()) + " bytes, the expanded image needs " + std::to_string(needed));
  }
  if (reinterpret_cast<std::uintptr_t>(out.data()) % element_bytes(type) == 0) return {};
  return usage_error("the buffer is not aligned to elements of type " + std::string(element_name(type)));
}

}  // namespace

std::uint64_t image_bytes(const ImageShape& shape, ElementType type) {
  const auto axis = [](std::int64_t size) { return static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)); };
  const auto pixels = checked_mul(axis(shape.height), axis(shape.width));
  const auto elements = pixels ? checked_mul(*pixels, axis(shape.channels)) : pixels;
  const auto bytes = elements ? checked_mul(*elements, element_bytes(type)) : elements;
  return bytes.value_or(std::numeric_limits<std::uint64_t>::max());
}

Status expand_image(const ImageView& image, const ImageOutput& output, std::span<std::byte> out) try {
  const auto channels = std::clamp<std::int64_t>(image.shape.channels, 0, std::numeric_limits<int>::max());
  HOTPACK_ASSIGN(const expand::ImageExpander expander, expand::ImageExpander::make(output, static_cast<int>(channels)));
  HOTPACK_TRY(check_record(image));
  HOTPACK_TRY(check_buffer(image.shape, output.type, out));
  const PixelSize size{image.shape.width, image.shape.height};
  expand::Scratch scratch;
  scratch.reserve(expander.scratch_bytes(size, size));
  const bool streaming = expander.row_bytes(size) >= kStreamingBytes;
  expander.expand(image, expand::identity(size), scratch, out.data(), streaming ? expand::Stores::streaming : expand::Stores::cached);
  if (streaming) expand::store_fence();
  return {};
} catch (const std::bad_alloc&) {
  return internal_error("no memory to expand an image of " + std::to_string(image.shape.width) + "x" + std::to_string(image.shape.height));
}

}  // namespace hotpack
