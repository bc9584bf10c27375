#include "arrays.hpp"

#include <array>
#include <cstring>
#include <new>
#include <string>

#include "errors.hpp"

namespace hotpack::python {

namespace {

struct Name {
  ElementType type;
  std::string_view text;
};
constexpr std::array<Name, 7> kNames{{{ElementType::u8, "uint8"},
                                      {ElementType::f16, "float16"},
                                      {ElementType::f32, "float32"},
                                      {ElementType::bf16, "bfloat16"},
                                      {ElementType::u16, "uint16"},
                                      {ElementType::i32, "int32"},
                                      {ElementType::i64, "int64"}}};
constexpr std::align_val_t kAlignment{64};

nb::dlpack::dtype dlpack_type(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return nb::dtype<std::uint8_t>();
    case ElementType::f16:
      return {static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16, 1};
    case ElementType::f32:
      return nb::dtype<float>();
    case ElementType::bf16:
    case ElementType::u16:
      return nb::dtype<std::uint16_t>();
    case ElementType::i32:
      return nb::dtype<std::int32_t>();
    case ElementType::i64:
      return nb::dtype<std::int64_t>();
  }
  return {};
}

std::vector<std::size_t> sizes_of(std::span<const std::int64_t> shape) {
  return {shape.begin(), shape.end()};
}

struct AlignedDelete {
  void operator()(std::byte* memory) const { ::operator delete[](memory, kAlignment); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

}  // namespace

ElementType element_of(std::string_view name) {
  for (const Name& known : kNames) {
    if (known.text == name) return known.type;
  }
  raise({ErrorCode::usage,
         "dtype " + std::string(name) +
             " is unknown; choose one of uint8, uint16, int32, int64, float16, float32, bfloat16",
         {},
         {},
         {},
         {},
         "dtype"});
}

std::string_view dtype_name(ElementType type) {
  for (const Name& known : kNames) {
    if (known.type == type) return known.text;
  }
  return {};
}

AxisOrder order_of(std::string_view name) {
  if (name == "NHWC") return AxisOrder::channels_last;
  if (name == "NCHW") return AxisOrder::channels_first;
  raise({ErrorCode::usage,
         "layout '" + std::string(name) + "' is neither NHWC nor NCHW",
         {},
         {},
         {},
         {},
         "layout"});
}

nb::object array_of(std::byte* data, std::span<const std::int64_t> shape, ElementType type,
                    const nb::capsule& owner) {
  const std::vector<std::size_t> sizes = sizes_of(shape);
  return nb::cast(
      nb::ndarray<nb::numpy>(data, sizes.size(), sizes.data(), owner, nullptr, dlpack_type(type)));
}

nb::object view_of(const std::uint8_t* data, std::span<const std::int64_t> shape,
                   std::span<const std::int64_t> strides, const nb::capsule& owner) {
  const std::vector<std::size_t> sizes = sizes_of(shape);
  return nb::cast(nb::ndarray<nb::numpy, const std::uint8_t>(data, sizes.size(), sizes.data(),
                                                             owner, strides.data()));
}

nb::object index_array(std::span<const std::int64_t> numbers) {
  const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(numbers.size())};
  const NewArray made = new_array(shape, ElementType::i64);
  std::memcpy(made.bytes.data(), numbers.data(), numbers.size_bytes());
  return made.array;
}

nb::object boxes_of(std::span<const SampleCrop> crops) {
  const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(crops.size()), 6};
  const NewArray made = new_array(shape, ElementType::i32);
  auto* out = reinterpret_cast<std::int32_t*>(made.bytes.data());
  for (const SampleCrop& crop : crops) {
    for (const std::int32_t value :
         {crop.x, crop.y, crop.width, crop.height, std::int32_t{crop.flip_horizontal},
          std::int32_t{crop.flip_vertical}})
      *out++ = value;
  }
  return made.array;
}

NewArray new_array(std::span<const std::int64_t> shape, ElementType type) {
  std::size_t bytes = element_bytes(type);
  for (const std::int64_t size : shape) bytes *= static_cast<std::size_t>(size);
  AlignedBytes memory(new (kAlignment) std::byte[bytes == 0 ? 1 : bytes]);
  std::byte* const data = memory.get();
  return {array_of(data, shape, type, keep(std::move(memory))), {data, bytes}};
}

}  // namespace hotpack::python
