#include "hotpack/loader.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "controls.hpp"
#include "dataset.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "waiting.hpp"

namespace hotpack::python {

namespace {

using std::chrono::milliseconds;

constexpr std::align_val_t kPage{4096};

// ---- memory for batches that are copied

struct Block {
  struct Delete {
    void operator()(std::byte* memory) const { ::operator delete[](memory, kPage); }
  };
  std::unique_ptr<std::byte[], Delete> memory;
  std::size_t bytes = 0;
};

// Blocks that were used before: fresh memory costs more than the copy. Thread-safe.
class BlockPool {
 public:
  Block take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      for (Block& block : free_) {
        if (block.bytes < bytes) continue;
        std::swap(block, free_.back());
        Block found = std::move(free_.back());
        free_.pop_back();
        return found;
      }
    }
    return {decltype(Block::memory)(new (kPage) std::byte[bytes]), bytes};
  }
  void give_back(Block block) noexcept {
    const std::lock_guard lock(mutex_);
    if (free_.size() < kMost) free_.push_back(std::move(block));
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::vector<Block> free_ = [] {
    std::vector<Block> blocks;
    blocks.reserve(kMost);  // so that give_back() never allocates
    return blocks;
  }();
};

// ---- batches

// One batch: a lease, or a copy. Shared by the Python batch and its arrays; no Python in it, so
// that it may end in any thread.
struct Held {
  std::optional<Batch> lease;
  BatchInfo info;  // of a copy
  Block block;
  std::shared_ptr<BlockPool> pool;
  BatchField image;
  BatchField label;

  ~Held() {
    if (pool) pool->give_back(std::move(block));
  }
};
using SharedHeld = std::shared_ptr<const Held>;

SharedHeld lease_of(Batch batch) {
  auto held = std::make_shared<Held>();
  held->image = batch.image();
  held->label = batch.label();
  held->lease = std::move(batch);
  return held;
}

SharedHeld copy_of(const Batch& batch, const std::shared_ptr<BlockPool>& pool) {
  auto held = std::make_shared<Held>();
  const std::size_t image_bytes = (batch.image().bytes.size() + 4095) / 4096 * 4096;
  held->block = pool->take(image_bytes + batch.label().bytes.size());
  held->pool = pool;
  held->image = batch.image();
  held->label = batch.label();
  std::byte* const memory = held->block.memory.get();
  held->image.bytes = {memory, batch.image().bytes.size()};
  held->label.bytes = {memory + image_bytes, batch.label().bytes.size()};
  std::ranges::copy(batch.image().bytes, held->image.bytes.begin());
  std::ranges::copy(batch.label().bytes, held->label.bytes.begin());
  BatchInfo& info = held->info;
  info.epoch = batch.epoch();
  info.step = batch.step();
  info.num_valid = batch.num_valid();
  info.batch_size = batch.batch_size();
  info.indices.assign(batch.indices().begin(), batch.indices().end());
  for (std::size_t row = 0; row < batch.batch_size(); ++row) info.keys.emplace_back(batch.key(row));
  info.crops.assign(batch.crops().begin(), batch.crops().end());
  return held;
}

struct PyBatch {
  SharedHeld held;

  [[nodiscard]] const Held& get() const {
    if (held) return *held;
    raise(
        {ErrorCode::usage, "the batch was released; take what you need before release()", {}, {}});
  }
};

nb::object array_in(const PyBatch& self, const BatchField& field) {
  if (field.shape.empty()) return nb::none();
  return array_of(field.bytes.data(), field.shape, field.dtype, self.held);
}

nb::object indices_of(const PyBatch& self) {
  const Held& held = self.get();
  return index_array(held.lease ? held.lease->indices()
                                : std::span<const std::int64_t>(held.info.indices));
}

nb::object crops_in(const PyBatch& self) {
  const Held& held = self.get();
  return crops_array(held.lease ? held.lease->crops()
                                : std::span<const SampleCrop>(held.info.crops));
}

nb::list batch_keys(const PyBatch& self) {
  const Held& held = self.get();
  nb::list keys;
  const std::size_t rows = held.lease ? held.lease->batch_size() : held.info.keys.size();
  for (std::size_t row = 0; row < rows; ++row) {
    keys.append(text_of(held.lease ? held.lease->key(row) : std::string_view(held.info.keys[row])));
  }
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
  [[nodiscard]] std::uint64_t copied() const { return copied_; }

  // The next batch, or nothing at the end of an epoch. `seconds`: 0 waits for ever.
  std::optional<PyBatch> next(double seconds) {
    const std::size_t leased = loader_.leased();
    const bool read_ahead_would_stop = leased > 0 && leased + 2 >= loader_.slots();
    auto batch = wait(seconds, true, [&](milliseconds slice) { return loader_.next(slice); });
    if (!batch) return std::nullopt;
    ++batches_;
    if (!read_ahead_would_stop) return PyBatch{lease_of(std::move(*batch))};
    ++copied_;
    return unlocked([&] {
      PyBatch copy{copy_of(*batch, pool_)};
      batch->release();
      return copy;
    });
  }

 private:
  Loader loader_;
  std::shared_ptr<BlockPool> pool_ = std::make_shared<BlockPool>();
  std::uint64_t batches_ = 0;  // these change with the GIL
  std::uint64_t copied_ = 0;
};

// ---- opening

std::unique_ptr<PyLoader> open_loader(const PyDataset& dataset, const nb::dict& given) {
  const LoaderOptions options = loader_options(given);
  Result<Loader> opened = unlocked([&] { return Loader::open(*dataset.data, options); });
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
  stats["copied"] = self.copied();
  stats["wait_seconds"] = self.waited();
  stats["slots"] = loader.slots();
  stats["leased"] = loader.leased();
  stats["slot_bytes"] = loader.slot_bytes();
  stats["threads"] = loader.threads();
  return stats;
}

void bind_batch(nb::module_& module) {
  nb::class_<PyBatch>(module, "Batch")
      .def("image", [](const PyBatch& self) { return array_in(self, self.get().image); })
      .def("label", [](const PyBatch& self) { return array_in(self, self.get().label); })
      .def("types",
           [](const PyBatch& self) {
             const Held& held = self.get();
             return nb::make_tuple(nb::str(dtype_name(held.image.dtype).data()),
                                   nb::str(dtype_name(held.label.dtype).data()));
           })
      .def_prop_ro("indices", &indices_of)
      .def_prop_ro("crops", &crops_in)
      .def_prop_ro("keys", &batch_keys)
      .def("release", [](PyBatch& self) { self.held.reset(); })
      .def_prop_ro("copied", [](const PyBatch& self) { return !self.get().lease; })
      .def_prop_ro("epoch",
                   [](const PyBatch& self) {
                     const Held& held = self.get();
                     return held.lease ? held.lease->epoch() : held.info.epoch;
                   })
      .def_prop_ro("step",
                   [](const PyBatch& self) {
                     const Held& held = self.get();
                     return held.lease ? held.lease->step() : held.info.step;
                   })
      .def_prop_ro("num_valid",
                   [](const PyBatch& self) {
                     const Held& held = self.get();
                     return held.lease ? held.lease->num_valid() : held.info.num_valid;
                   })
      .def_prop_ro("batch_size", [](const PyBatch& self) {
        const Held& held = self.get();
        return held.lease ? held.lease->batch_size() : held.info.batch_size;
      });
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
