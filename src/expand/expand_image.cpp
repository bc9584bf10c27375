#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "expand/default_floats.hpp"
#include "expand/image_expander.hpp"
#include "expand/whole_records.hpp"
#include "hotpack/expand.hpp"

namespace hotpack {
namespace {

Status check_record(const ImageView& image) {
  const ImageShape& shape = image.shape;
  if (!expand::has_possible_size(shape.width, shape.height))
    return expand::impossible_size("an image", shape.width, shape.height);
  return expand::check_record_bytes("image", image.bytes.size(),
                                    image_bytes(shape, ElementType::u8));
}

}  // namespace

std::uint64_t image_bytes(const ImageShape& shape, ElementType type) {
  const auto axis = [](std::int64_t size) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
  };
  const auto pixels = checked_mul(axis(shape.height), axis(shape.width));
  const auto elements = pixels ? checked_mul(*pixels, axis(shape.channels)) : pixels;
  const auto bytes = elements ? checked_mul(*elements, element_bytes(type)) : elements;
  return bytes.value_or(std::numeric_limits<std::uint64_t>::max());
}

Status expand_image(const ImageView& image, const ImageOutput& output,
                    std::span<std::byte> out) try {
  const expand::DefaultFloats floats;
  const auto channels =
      std::clamp<std::int64_t>(image.shape.channels, 0, std::numeric_limits<int>::max());
  HOTPACK_ASSIGN(const expand::ImageExpander expander,
                 expand::ImageExpander::make(output, static_cast<int>(channels)));
  HOTPACK_TRY(check_record(image));
  HOTPACK_TRY(
      expand::check_buffer("image", out, image_bytes(image.shape, output.dtype), output.dtype));
  const PixelSize size{image.shape.width, image.shape.height};
  expand::Scratch scratch;
  scratch.reserve(expander.scratch_bytes(size, size));
  const expand::Stores stores = expand::stores_for(expander.row_bytes(size));
  expander.expand(image, expand::identity(size), scratch, out.data(), stores);
  if (stores == expand::Stores::streaming) expand::store_fence();
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::io,
               "no memory to expand an image of " + std::to_string(image.shape.width) + "x" +
                   std::to_string(image.shape.height),
               {},
               {}};
}

}  // namespace hotpack
