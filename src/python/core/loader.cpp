#include "hotpack/loader.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "controls.hpp"
#include "dataset.hpp"
#include "errors.hpp"
#include "loader/strided_loader.hpp"
#include "options.hpp"
#include "waiting.hpp"

namespace hotpack::python {

namespace {

using std::chrono::milliseconds;

// ---- batches

// Shared by the Python batch and its arrays; no Python in it, so that it may end in any thread.
using SharedBatch = std::shared_ptr<const Batch>;

struct PyBatch {
  SharedBatch batch;

  [[nodiscard]] const Batch& get() const {
    if (batch) return *batch;
    raise(
        {ErrorCode::usage, "the batch was released; take what you need before release()", {}, {}});
  }
};

nb::object array_in(const PyBatch& self, const BatchField& field) {
  if (field.shape.empty()) return nb::none();
  return array_of(field.bytes.data(), field.shape, field.dtype, self.batch);
}

nb::list batch_keys(const PyBatch& self) {
  const Batch& batch = self.get();
  nb::list keys;
  for (std::size_t row = 0; row < batch.batch_size(); ++row) keys.append(text_of(batch.key(row)));
  return keys;
}

// ---- loaders

class PyLoader final : public Awaited {
 public:
  explicit PyLoader(Loader loader) : loader_(std::move(loader)) {}
  PyLoader(const PyLoader&) = delete;
  PyLoader& operator=(const PyLoader&) = delete;
  ~PyLoader() override {
    forget();
    unlocked_unless_exiting([&] { loader_.close(); });
  }

  void cancel() noexcept override { loader_.cancel(); }
  [[nodiscard]] LoaderPosition position() const override { return loader_.position(); }

  [[nodiscard]] Loader& loader() { return loader_; }
  [[nodiscard]] const Loader& loader() const { return loader_; }
  [[nodiscard]] std::uint64_t batches() const { return batches_; }

  // The next batch, or nothing at the end of an epoch. `seconds`: 0 waits for ever.
  std::optional<PyBatch> next(double seconds) {
    auto batch = wait(seconds, true, [&](milliseconds slice) { return loader_.next(slice); });
    if (!batch) return std::nullopt;
    ++batches_;
    return PyBatch{std::make_shared<const Batch>(std::move(*batch))};
  }

 private:
  Loader loader_;
  std::uint64_t batches_ = 0;  // changes with the GIL
};

// ---- opening

// `stride`: see loader/strided_loader.hpp
std::unique_ptr<PyLoader> open_loader(const PyDataset& dataset, const nb::dict& given,
                                      std::uint64_t stride) {
  const LoaderOptions options = loader_options(given);
  Result<Loader> opened =
      unlocked([&] { return StridedLoader::open(*dataset.data, options, stride); });
  return std::make_unique<PyLoader>(take(std::move(opened)));
}

using Out = nb::ndarray<nb::c_contig, nb::device::cpu>;

// `name`: of the field, for the error. A copy of the array would be filled in vain, so none is
// made.
std::span<std::byte> bytes_of(const char* name, const nb::object& array) {
  if (array.is_none()) return {};
  Out out;
  if (!nb::try_cast(array, out, false))
    raise({ErrorCode::usage,
           std::string("the ") + name +
               " array must be writable and contiguous, in host memory; give for example "
               "numpy.empty(shape, dtype)",
           {},
           {},
           {},
           {},
           name});
  return {static_cast<std::byte*>(out.data()), out.nbytes()};
}

// (epoch, step, num_valid, indices, keys, crops) or None
nb::object next_into(PyLoader& self, const nb::object& image, const nb::object& label,
                     double seconds) {
  const BatchBuffers into{bytes_of("image", image), bytes_of("label", label)};
  const auto info =
      self.wait(seconds, false, [&](milliseconds) { return self.loader().next_into(into); });
  if (!info) return nb::none();
  nb::list keys;
  for (const std::string& key : info->keys) keys.append(text_of(key));
  return nb::make_tuple(info->epoch, info->step, info->num_valid, index_array(info->indices), keys,
                        crops_array(info->crops));
}

nb::dict stats_of(const PyLoader& self) {
  const Loader& loader = self.loader();
  nb::dict stats;
  stats["batches"] = self.batches();
  stats["wait_seconds"] = self.waited();
  stats["slots"] = loader.slots();
  stats["leased"] = loader.leased();
  stats["slot_bytes"] = loader.slot_bytes();
  stats["threads"] = loader.threads();
  return stats;
}

void bind_batch(nb::module_& module) {
  nb::class_<PyBatch>(module, "Batch")
      .def("image", [](const PyBatch& self) { return array_in(self, self.get().image()); })
      .def("label", [](const PyBatch& self) { return array_in(self, self.get().label()); })
      .def_prop_ro("indices", [](const PyBatch& self) { return index_array(self.get().indices()); })
      .def_prop_ro("crops", [](const PyBatch& self) { return crops_array(self.get().crops()); })
      .def_prop_ro("keys", &batch_keys)
      .def("release", [](PyBatch& self) { self.batch.reset(); })
      .def_prop_ro("epoch", [](const PyBatch& self) { return self.get().epoch(); })
      .def_prop_ro("step", [](const PyBatch& self) { return self.get().step(); })
      .def_prop_ro("num_valid", [](const PyBatch& self) { return self.get().num_valid(); })
      .def_prop_ro("batch_size", [](const PyBatch& self) { return self.get().batch_size(); });
}

}  // namespace

void bind_loader(nb::module_& module) {
  bind_batch(module);
  nb::class_<PyLoader> bound(module, "Loader");
  bind_controls(bound);
  bound
      .def("next",
           [](PyLoader& self, double seconds) -> nb::object {
             auto batch = self.next(seconds);
             return batch ? nb::cast(std::move(*batch)) : nb::none();
           })
      .def("next_into", &next_into, nb::arg("image").none(), nb::arg("label").none(),
           nb::arg("seconds"))
      .def("stats", &stats_of);
  module.def("open_loader", &open_loader);
}

}  // namespace hotpack::python
