// A stored label to the one-hot tensor of a model, or to class ids, in the caller's buffer.
//
// Pure functions over the caller's memory; thread-safe. Failure: code `usage` for a buffer that is too small or not aligned to its element.
// An ignored pixel is a vector of zeros. Values that a label must not have (bits beyond the last class, ids without a class, bytes other
// than 0 and 1) never write outside the buffer: a bit or an id without a class counts as no class, a byte that is not 0 as 1; `verify`
// reports them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hotpack/result.hpp"
#include "hotpack/shard.hpp"

namespace hotpack {

enum class ElementType { u8, f16, f32 };                 // 1 is 0x01, 0x3C00 (IEEE half), 1.0f
enum class AxisOrder { channels_last, channels_first };  // [H,W,C] or [C,H,W]; one sample of an NHWC or NCHW batch

[[nodiscard]] std::size_t element_bytes(ElementType type);

// Bytes of one expanded label: height · width · classes elements. A label of a whole image has `classes` elements in both orders.
[[nodiscard]] std::uint64_t one_hot_bytes(const LabelShape& label, ElementType type);

// The same as a number of elements.
[[nodiscard]] inline std::uint64_t one_hot_elements(const LabelShape& label) { return one_hot_bytes(label, ElementType::u8); }

// Writes one_hot_bytes(label.shape, type) bytes at the start of `out`.
[[nodiscard]] Status expand_one_hot(const LabelView& label, ElementType type, AxisOrder order, std::span<std::byte> out);

// The same for typed buffers.
[[nodiscard]] inline Status expand_one_hot(const LabelView& label, AxisOrder order, std::span<float> out) {
  return expand_one_hot(label, ElementType::f32, order, std::as_writable_bytes(out));
}
[[nodiscard]] inline Status expand_one_hot(const LabelView& label, AxisOrder order, std::span<std::uint8_t> out) {
  return expand_one_hot(label, ElementType::u8, order, std::as_writable_bytes(out));
}

// What expand_ids writes where there is no class.
inline constexpr std::uint16_t kIgnoredId = 65535;

// One class id a vector, label.shape.vectors() of them. Where several classes are set (`multi`) the lowest is taken.
[[nodiscard]] Status expand_ids(const LabelView& label, std::span<std::uint16_t> out);

}  // namespace hotpack
