// NumPy arrays over memory of the library.
//
// An array keeps its owner alive, a capsule. Needs the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "hotpack/augment.hpp"
#include "hotpack/expand.hpp"

namespace hotpack::python {

namespace nb = nanobind;

// A capsule that keeps `owner` until it is collected.
template <class T>
nb::capsule keep(T owner) {
  auto kept = std::make_unique<T>(std::move(owner));
  nb::capsule capsule(kept.get(), [](void* pointer) noexcept { delete static_cast<T*>(pointer); });
  (void)kept.release();
  return capsule;
}

// "uint8", "float32", …; refuses other names with ErrorCode::usage.
[[nodiscard]] ElementType element_of(std::string_view name);
[[nodiscard]] std::string_view dtype_name(ElementType type);
// "NHWC" or "NCHW"
[[nodiscard]] AxisOrder order_of(std::string_view name);

// A writable array, [shape]. bf16 becomes uint16 with the same bits: NumPy has no such type, and
// Python code views it as one of ml_dtypes.
[[nodiscard]] nb::object array_of(std::byte* data, std::span<const std::int64_t> shape,
                                  ElementType type, const nb::capsule& owner);
// A read-only array of bytes.
[[nodiscard]] nb::object view_of(const std::uint8_t* data, std::span<const std::int64_t> shape,
                                 std::span<const std::int64_t> strides, const nb::capsule& owner);
// A new array that owns its memory, and where that memory is.
struct NewArray {
  nb::object array;
  std::span<std::byte> bytes;
};
[[nodiscard]] NewArray new_array(std::span<const std::int64_t> shape, ElementType type);

[[nodiscard]] inline nb::str text_of(std::string_view text) {
  return nb::str(text.data(), text.size());
}

// Numbers of samples, i64 [N].
[[nodiscard]] nb::object index_array(std::span<const std::int64_t> numbers);
// What augmentation chose for each row, i32 [N,6]: x, y, width, height, flipped horizontally,
// flipped vertically.
[[nodiscard]] nb::object boxes_of(std::span<const SampleCrop> crops);

}  // namespace hotpack::python
