// NumPy arrays over memory of the library.
//
// An array keeps its owner alive, through an object with the buffer protocol: a DLPack capsule
// costs more time, and every batch pays it. Needs the GIL.
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

// Something that must live as long as the arrays over its memory. No Python in it, so that it may
// end in any thread.
using Owner = std::shared_ptr<const void>;

// "uint8", "float32", …; refuses other names with ErrorCode::usage.
[[nodiscard]] ElementType element_of(std::string_view name);
[[nodiscard]] std::string_view dtype_name(ElementType type);
// "NHWC" or "NCHW"
[[nodiscard]] AxisOrder order_of(std::string_view name);

void bind_memory(nb::module_& module);

// A writable array, [shape]. bf16 becomes uint16 with the same bits: NumPy has no such type, and
// Python code views it as one of ml_dtypes.
[[nodiscard]] nb::object array_of(std::byte* data, std::span<const std::int64_t> shape,
                                  ElementType type, Owner owner);
// A read-only array of bytes.
[[nodiscard]] nb::object view_of(const std::uint8_t* data, std::span<const std::int64_t> shape,
                                 std::span<const std::int64_t> strides, Owner owner);
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
[[nodiscard]] nb::object crops_array(std::span<const SampleCrop> crops);

}  // namespace hotpack::python
