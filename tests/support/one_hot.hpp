// One-hot labels in typed buffers, for tests that compare them with a formula.
//
// Pure functions; thread-safe. Failure: as expand_label().
#pragma once

#include <cstdint>
#include <span>

#include "hotpack/expand.hpp"

namespace hotpack::test {

inline LabelOutput one_hot(ElementType type, AxisOrder order) {
  LabelOutput output;
  output.form = LabelForm::one_hot;
  output.dtype = type;
  output.layout = order;
  return output;
}

inline std::size_t one_hot_elements(const LabelShape& label) {
  return label.vectors() * label.class_count;
}

inline Status expand_one_hot(const LabelView& label, ElementType type, AxisOrder order,
                             std::span<std::byte> out) {
  return expand_label(label, one_hot(type, order), out);
}
inline Status expand_one_hot(const LabelView& label, AxisOrder order, std::span<float> out) {
  return expand_one_hot(label, ElementType::f32, order, std::as_writable_bytes(out));
}
inline Status expand_one_hot(const LabelView& label, AxisOrder order, std::span<std::uint8_t> out) {
  return expand_one_hot(label, ElementType::u8, order, std::as_writable_bytes(out));
}

}  // namespace hotpack::test
