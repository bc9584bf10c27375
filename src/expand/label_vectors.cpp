#include "expand/label_vectors.hpp"

#include <algorithm>
#include <cstring>

namespace hotpack::expand {

namespace {

constexpr std::int64_t kPadding = -1;

// Returns which source pixel belongs at position `at` of an output line (or column) of `wanted`
// pixels; the source has `given` pixels. With `resample`, this is ⌊(2·at + 1) · given / (2 ·
// wanted)⌋. Otherwise it is `at` itself, or a negative number if that is padding. With `flip`, the
// output is mirrored.
std::int64_t source_place(std::int64_t at, std::int64_t given, std::int64_t wanted, bool resample,
                          bool flip) {
  if (flip) at = wanted - 1 - at;
  if (resample) return (2 * at + 1) * given / (2 * wanted);
  return at < given ? at : kPadding;
}

// Copies the vectors of these columns. The compiler knows their size.
template <std::size_t kBytes>
void pick(const std::uint8_t* row, const std::int32_t* columns, std::size_t count,
          std::uint8_t* into) {
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(into + i * kBytes, row + static_cast<std::size_t>(columns[i]) * kBytes, kBytes);
}

void pick_any(const std::uint8_t* row, const std::int32_t* columns, std::size_t count,
              std::size_t bytes, std::uint8_t* into) {
  for (std::size_t i = 0; i < count; ++i, into += bytes)
    std::memcpy(into, row + static_cast<std::size_t>(columns[i]) * bytes, bytes);
}

// Copies the `count` bytes before `end` in reverse order.
void reverse_bytes(const std::uint8_t* end, std::size_t count, std::uint8_t* into) {
  for (; count >= 8; count -= 8, into += 8) {
    std::uint64_t word;
    end -= 8;
    std::memcpy(&word, end, sizeof word);
    word = __builtin_bswap64(word);
    std::memcpy(into, &word, sizeof word);
  }
  for (; count > 0; --count) *into++ = *--end;
}

bool fills(const Placement& placement) {
  return placement.box.width == placement.output.width &&
         placement.box.height == placement.output.height;
}

}  // namespace

LabelVectors::LabelVectors(const std::uint8_t* record, std::size_t vector_bytes,
                           std::int64_t record_width, const Placement& placement,
                           std::uint8_t padding, const VectorBuffers& buffers)
    : vector_bytes_(vector_bytes),
      row_bytes_(static_cast<std::size_t>(record_width) * vector_bytes),
      placement_(placement),
      width_(static_cast<std::size_t>(placement.output.width)),
      padding_(padding),
      buffers_(buffers) {
  const SampleCrop& box = placement.box;
  window_ = record + static_cast<std::size_t>(box.y) * row_bytes_ +
            static_cast<std::size_t>(box.x) * vector_bytes_;
  if (fills(placement)) placement_.resample = false;
  spread_ = placement_.resample && box.width != placement.output.width;
  straight_ = !box.flip_horizontal && !spread_;
  in_place_ = straight_ && !box.flip_vertical && fills(placement) &&
              (box.width == record_width || box.height == 1);
  if (!straight_) fill_columns();
}

void LabelVectors::fill_columns() const {
  const SampleCrop& box = placement_.box;
  for (std::int64_t x = 0; x < placement_.output.width; ++x) {
    const std::int64_t column = source_place(x, box.width, placement_.output.width,
                                             placement_.resample, box.flip_horizontal);
    buffers_.columns[x] = static_cast<std::int32_t>(column);
  }
}

const std::uint8_t* LabelVectors::take(std::size_t first, std::size_t count) const {
  if (in_place_) return window_ + first * vector_bytes_;
  std::uint8_t* into = buffers_.vectors;
  std::size_t y = first / width_;
  for (std::size_t x = first % width_; count > 0; x = 0, ++y) {
    const std::size_t end = std::min(width_, x + count);
    gather(y, x, end, into);
    into += (end - x) * vector_bytes_;
    count -= end - x;
  }
  return buffers_.vectors;
}

const std::uint8_t* LabelVectors::record_row(std::size_t y) const {
  const SampleCrop& box = placement_.box;
  const std::int64_t row =
      source_place(static_cast<std::int64_t>(y), box.height, placement_.output.height,
                   placement_.resample, box.flip_vertical);
  return row == kPadding ? nullptr : window_ + static_cast<std::size_t>(row) * row_bytes_;
}

void LabelVectors::gather(std::size_t y, std::size_t x, std::size_t end, std::uint8_t* into) const {
  const std::uint8_t* const row = record_row(y);
  const SampleCrop& box = placement_.box;
  // The record has pixels for output columns begin … finish − 1; the rest is padding.
  const std::size_t shown = row == nullptr ? 0
                            : spread_      ? width_
                                           : static_cast<std::size_t>(box.width);
  const std::size_t begin = std::clamp(box.flip_horizontal ? width_ - shown : 0, x, end);
  const std::size_t finish = std::clamp(box.flip_horizontal ? width_ : shown, begin, end);
  std::memset(into, padding_, (begin - x) * vector_bytes_);
  if (begin < finish) gather_inside(row, begin, finish, into + (begin - x) * vector_bytes_);
  std::memset(into + (finish - x) * vector_bytes_, padding_, (end - finish) * vector_bytes_);
}

void LabelVectors::gather_inside(const std::uint8_t* row, std::size_t x, std::size_t end,
                                 std::uint8_t* into) const {
  if (straight_) {
    std::memcpy(into, row + x * vector_bytes_, (end - x) * vector_bytes_);
  } else if (vector_bytes_ == 1 && !spread_) {
    reverse_bytes(row + width_ - x, end - x, into);
  } else {
    gather_columns(row, x, end, into);
  }
}

void LabelVectors::gather_columns(const std::uint8_t* row, std::size_t x, std::size_t end,
                                  std::uint8_t* into) const {
  const std::int32_t* const columns = buffers_.columns + x;
  switch (vector_bytes_) {
    case 1:
      return pick<1>(row, columns, end - x, into);
    case 2:
      return pick<2>(row, columns, end - x, into);
    case 3:
      return pick<3>(row, columns, end - x, into);
    case 4:
      return pick<4>(row, columns, end - x, into);
    default:
      return pick_any(row, columns, end - x, vector_bytes_, into);
  }
}

}  // namespace hotpack::expand
