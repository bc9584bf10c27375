#include "hotpack/device_loader.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "controls.hpp"
#include "dataset.hpp"
#include "errors.hpp"
#include "hotpack/dlpack.hpp"
#include "options.hpp"
#include "waiting.hpp"

namespace hotpack::python {

namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kLegacyStream = 1;  // as the protocols of DLPack and CUDA arrays number it

// NOLINTBEGIN(performance-no-int-to-ptr): frameworks give addresses and handles as integers
void* pointer_of(std::uintptr_t address) { return reinterpret_cast<void*>(address); }
CUstream_st* stream_of(std::uint64_t handle) { return reinterpret_cast<CUstream_st*>(handle); }
// NOLINTEND(performance-no-int-to-ptr)

// ---- arrays

// A field of a batch in device memory. Shares the batch.
struct DeviceArray {
  DeviceBatch batch;
  Field field = Field::image;

  [[nodiscard]] const DeviceField& get() const {
    return field == Field::image ? batch.image() : batch.label();
  }
};

nb::tuple shape_of(const DeviceField& field) {
  nb::list shape;
  for (const std::int64_t size : field.shape) shape.append(size);
  return nb::tuple(shape);
}

[[noreturn]] void raise_buffer_error(const std::string& text) {
  PyErr_SetString(PyExc_BufferError, text.c_str());
  throw nb::python_error();
}

// A capsule of the protocol. The consumer renames it and calls the tensor's deleter; otherwise the
// capsule does. Neither needs the GIL for the memory itself.
template <class Managed>
nb::object capsule_of(DlpackPointer<Managed> tensor, const char* name) {
  PyObject* const capsule = PyCapsule_New(tensor.get(), name, [](PyObject* ended) {
    for (const char* const unused : {"dltensor", "dltensor_versioned"}) {
      if (PyCapsule_IsValid(ended, unused) == 0) continue;
      auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(ended, unused));
      managed->deleter(managed);
    }
  });
  if (capsule == nullptr) throw nb::python_error();
  static_cast<void>(tensor.release());
  return nb::steal(capsule);
}

// As Python's array API says; None as stream means the legacy default stream.
nb::object dlpack_of(const DeviceArray& self, const nb::object& stream,
                     const nb::object& max_version, const nb::object& device,
                     const nb::object& copy) {
  if (!copy.is_none() && nb::cast<bool>(copy))
    raise_buffer_error("hotpack shares device memory and makes no copies of it");
  const nb::tuple own = nb::make_tuple(static_cast<int>(kDLCUDA), self.batch.device());
  if (!device.is_none() && !device.equal(own))
    raise_buffer_error("hotpack moves no arrays between devices");
  const auto number = stream.is_none() ? kLegacyStream : nb::cast<std::int64_t>(stream);
  const bool is_new = !max_version.is_none() && nb::cast<int>(max_version[nb::int_(0)]) >= 1;
  if (is_new)
    return capsule_of(take(to_dlpack(self.batch, self.field, number)), "dltensor_versioned");
  return capsule_of(take(to_dlpack_legacy(self.batch, self.field, number)), "dltensor");
}

// The type of NumPy's array interface; empty for bf16, which it has not.
std::string type_text(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "|u1";
    case ElementType::u16:
      return "<u2";
    case ElementType::i32:
      return "<i4";
    case ElementType::i64:
      return "<i8";
    case ElementType::f16:
      return "<f2";
    case ElementType::f32:
      return "<f4";
    case ElementType::bf16:
      break;
  }
  return {};
}

nb::dict cuda_interface(const DeviceArray& self) {
  const DeviceField& field = self.get();
  const std::string type = type_text(field.dtype);
  if (type.empty()) {
    PyErr_SetString(PyExc_AttributeError,
                    "__cuda_array_interface__ has no bfloat16; use __dlpack__");
    throw nb::python_error();
  }
  const auto stream = reinterpret_cast<std::uintptr_t>(self.batch.stream());
  nb::dict interface;
  interface["version"] = 3;
  interface["shape"] = shape_of(field);
  interface["typestr"] = type;
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(field.data), false);
  interface["strides"] = nb::none();
  interface["stream"] = stream == 0 ? std::uintptr_t{kLegacyStream} : stream;
  return interface;
}

// ---- batches

struct PyDeviceBatch {
  std::optional<DeviceBatch> batch;     // of next()
  std::optional<DeviceBatchInfo> info;  // of next_into()

  [[nodiscard]] const DeviceBatchInfo& get() const {
    if (batch) return batch->info();
    if (info) return *info;
    raise(
        {ErrorCode::usage, "the batch was released; take what you need before release()", {}, {}});
  }
  void release() {
    batch.reset();
    info.reset();
  }
};

nb::object array_in(const PyDeviceBatch& self, Field field) {
  const DeviceBatchInfo& info = self.get();
  if (!self.batch || (field == Field::image ? info.image : info.label).data == nullptr)
    return nb::none();
  return nb::cast(DeviceArray{*self.batch, field});
}

// (shape, dtype) of a field that next_into() has written, or None
nb::object form_of(const DeviceField& field) {
  if (field.data == nullptr) return nb::none();
  return nb::make_tuple(shape_of(field), text_of(dtype_name(field.dtype)));
}

// ---- loaders

class PyDeviceLoader final : public Awaited {
 public:
  explicit PyDeviceLoader(DeviceLoader loader) : loader_(std::move(loader)) {}
  PyDeviceLoader(const PyDeviceLoader&) = delete;
  PyDeviceLoader& operator=(const PyDeviceLoader&) = delete;
  ~PyDeviceLoader() override {
    forget();
    unlocked_unless_exiting([&] { const DeviceLoader closing = std::move(loader_); });
  }

  void cancel() noexcept override { loader_.cancel(); }
  [[nodiscard]] LoaderPosition position() const override { return loader_.position(); }
  [[nodiscard]] DeviceLoader& loader() { return loader_; }

  // Both give up the GIL at once: the driver may wait for work of the program that needs the GIL.
  nb::object next(double seconds, std::uint64_t stream) {
    auto batch = wait(seconds, false,
                      [&](milliseconds slice) { return loader_.next(stream_of(stream), slice); });
    return batch ? nb::cast(PyDeviceBatch{std::move(*batch), {}}) : nb::none();
  }
  nb::object next_into(std::uintptr_t image, std::uint64_t image_bytes, std::uintptr_t label,
                       std::uint64_t label_bytes, double seconds, std::uint64_t stream) {
    const DeviceBuffers into{pointer_of(image), image_bytes, pointer_of(label), label_bytes};
    auto info = wait(seconds, false, [&](milliseconds slice) {
      return loader_.next_into(into, stream_of(stream), slice);
    });
    return info ? nb::cast(PyDeviceBatch{{}, std::move(*info)}) : nb::none();
  }

 private:
  DeviceLoader loader_;
};

// Calls listener(records done, of, bytes done, of), or nothing if it is None, and looks for
// signals. Keeps what either of them raises, to be thrown when open() has ended.
class Listener {
 public:
  explicit Listener(nb::object listener) : listener_(std::move(listener)) {}

  bool operator()(const LoadProgress& at) noexcept {
    if (is_exiting()) return false;
    const nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!listener_.is_none())
        listener_(at.records_done, at.records_total, at.bytes_done, at.bytes_total);
      return true;
    } catch (nb::python_error&) {
      raised_ = std::current_exception();
    } catch (...) {
      raised_ = std::current_exception();
    }
    return false;
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  nb::object listener_;
  std::exception_ptr raised_;
};

std::unique_ptr<PyDeviceLoader> open_device_loader(const PyDataset& dataset, const nb::dict& given,
                                                   const nb::object& progress) {
  DeviceLoaderOptions options = device_options(given);
  Listener listener(progress);
  options.progress = [&listener](const LoadProgress& at) { return listener(at); };
  auto opened = unlocked([&] { return DeviceLoader::open(*dataset.data, options); });
  listener.rethrow();
  return std::make_unique<PyDeviceLoader>(take(std::move(opened)));
}

nb::dict stats_of(PyDeviceLoader& self) {
  const DeviceLoaderStatistics all = self.loader().statistics();
  nb::dict stats;
  stats["batches"] = all.batches;
  stats["wait_seconds"] = all.wait_seconds;
  stats["copied_bytes"] = all.copied_bytes;
  stats["pinned_bytes"] = all.pinned_bytes;
  stats["device_bytes"] = all.device_bytes;
  stats["load_seconds"] = all.load_seconds;
  stats["threads"] = self.loader().threads();
  return stats;
}

void bind_arrays(nb::module_& module) {
  nb::class_<DeviceArray>(module, "DeviceArray")
      .def("__dlpack__", &dlpack_of, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
           nb::arg("copy") = nb::none())
      .def("__dlpack_device__",
           [](const DeviceArray& self) {
             return nb::make_tuple(static_cast<int>(kDLCUDA), self.batch.device());
           })
      .def_prop_ro("__cuda_array_interface__", &cuda_interface)
      .def_prop_ro("shape", [](const DeviceArray& self) { return shape_of(self.get()); })
      .def_prop_ro("dtype",
                   [](const DeviceArray& self) { return text_of(dtype_name(self.get().dtype)); })
      .def_prop_ro("nbytes", [](const DeviceArray& self) { return self.get().bytes; })
      .def_prop_ro("pointer", [](const DeviceArray& self) {
        return reinterpret_cast<std::uintptr_t>(self.get().data);
      });
}

void bind_batch(nb::module_& module) {
  nb::class_<PyDeviceBatch>(module, "DeviceBatch")
      .def("image", [](const PyDeviceBatch& self) { return array_in(self, Field::image); })
      .def("label", [](const PyDeviceBatch& self) { return array_in(self, Field::label); })
      .def("forms",
           [](const PyDeviceBatch& self) {
             const DeviceBatchInfo& info = self.get();
             return nb::make_tuple(form_of(info.image), form_of(info.label));
           })
      .def_prop_ro("indices",
                   [](const PyDeviceBatch& self) { return index_array(self.get().indices); })
      .def_prop_ro("crops", [](const PyDeviceBatch& self) { return crops_array(self.get().crops); })
      .def_prop_ro("keys",
                   [](const PyDeviceBatch& self) {
                     nb::list keys;
                     for (const std::string& key : self.get().keys) keys.append(text_of(key));
                     return keys;
                   })
      .def("release", &PyDeviceBatch::release)
      .def_prop_ro("epoch", [](const PyDeviceBatch& self) { return self.get().epoch; })
      .def_prop_ro("step", [](const PyDeviceBatch& self) { return self.get().step; })
      .def_prop_ro("num_valid", [](const PyDeviceBatch& self) { return self.get().num_valid; })
      .def_prop_ro("batch_size", [](const PyDeviceBatch& self) { return self.get().batch_size; });
}

}  // namespace

void bind_device_loader(nb::module_& module) {
  bind_arrays(module);
  bind_batch(module);
  nb::class_<PyDeviceLoader> bound(module, "DeviceLoader");
  bind_controls(bound);
  bound.def("next", &PyDeviceLoader::next)
      .def("next_into", &PyDeviceLoader::next_into)
      .def("bytes",
           [](PyDeviceLoader& self) {
             return nb::make_tuple(self.loader().image_batch_bytes(),
                                   self.loader().label_batch_bytes());
           })
      .def("residency",
           [](PyDeviceLoader& self) {
             const ResidencyChoice& choice = self.loader().residency();
             return nb::make_tuple(text_of(residency_name(choice.residency)), choice.packed_bytes,
                                   text_of(choice.reason));
           })
      .def("stats", &stats_of);
  module.def("open_device_loader", &open_device_loader, nb::arg("dataset"), nb::arg("given"),
             nb::arg("progress").none());
}

}  // namespace hotpack::python
