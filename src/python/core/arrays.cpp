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

// A span of memory, as Python's buffer protocol gives it.
struct Memory {
  Owner owner;
  std::byte* data;
  std::size_t bytes;
  bool read_only;
};

int fill_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Memory& memory = *nb::inst_ptr<Memory>(self);
  return PyBuffer_FillInfo(view, self, memory.data, static_cast<Py_ssize_t>(memory.bytes),
                           memory.read_only ? 1 : 0, flags);
}

// What every array asks of NumPy. Never destroyed: arrays are made until Python ends.
struct Numpy {
  nb::handle array;
  std::array<nb::handle, kNames.size()> types;

  Numpy() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    array = nb::object(numpy.attr("ndarray")).release();
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const std::string_view name = kNames[i].type == ElementType::bf16 ? "uint16" : kNames[i].text;
      types[i] = nb::object(numpy.attr("dtype")(nb::str(name.data(), name.size()))).release();
    }
  }
};

const Numpy& numpy() {
  static const Numpy* const kNumpy = new Numpy;
  return *kNumpy;
}

nb::handle numpy_type(ElementType type) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].type == type) return numpy().types[i];
  }
  return {};
}

nb::tuple tuple_of(std::span<const std::int64_t> numbers) {
  auto tuple = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  if (!tuple.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    PyObject* const number = PyLong_FromLongLong(numbers[i]);
    if (number == nullptr) throw nb::python_error();
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), number);
  }
  return tuple;
}

std::size_t product(std::span<const std::int64_t> shape) {
  std::size_t elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<std::size_t>(size);
  return elements;
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

void bind_memory(nb::module_& module) {
  static std::array<PyType_Slot, 2> slots{
      {{Py_bf_getbuffer, reinterpret_cast<void*>(fill_buffer)}, {0, nullptr}}};
  nb::class_<Memory>(module, "Memory", nb::type_slots(slots.data()));
}

nb::object array_of(std::byte* data, std::span<const std::int64_t> shape, ElementType type,
                    Owner owner) {
  const std::size_t bytes = product(shape) * element_bytes(type);
  return numpy().array(tuple_of(shape), numpy_type(type),
                       Memory{std::move(owner), data, bytes, false});
}

nb::object view_of(const std::uint8_t* data, std::span<const std::int64_t> shape,
                   std::span<const std::int64_t> strides, Owner owner) {
  // NumPy does not write to memory that is read-only.
  auto* const bytes = reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(data));
  return numpy().array(tuple_of(shape), numpy_type(ElementType::u8),
                       Memory{std::move(owner), bytes, product(shape), true}, 0, tuple_of(strides));
}

nb::object index_array(std::span<const std::int64_t> numbers) {
  const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(numbers.size())};
  const NewArray made = new_array(shape, ElementType::i64);
  std::memcpy(made.bytes.data(), numbers.data(), numbers.size_bytes());
  return made.array;
}

nb::object crops_array(std::span<const SampleCrop> crops) {
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
  const std::size_t bytes = product(shape) * element_bytes(type);
  AlignedBytes memory(new (kAlignment) std::byte[bytes == 0 ? 1 : bytes]);
  std::byte* const data = memory.get();
  return {array_of(data, shape, type, std::shared_ptr<const std::byte[]>(std::move(memory))),
          {data, bytes}};
}

}  // namespace hotpack::python
