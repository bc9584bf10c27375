#include "hotpack/loader.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "dataset.hpp"
#include "errors.hpp"
#include "options.hpp"

namespace hotpack::python {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Between two of these, a waiting call looks for signals, so that Ctrl-C works.
constexpr milliseconds kSlice{50};
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
  return array_of(field.bytes.data(), field.shape, field.type, keep(self.held));
}

nb::object index_of(const PyBatch& self) {
  const Held& held = self.get();
  const std::span<const std::int64_t> from =
      held.lease ? held.lease->indices() : std::span<const std::int64_t>(held.info.indices);
  const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(from.size())};
  const NewArray made = new_array(shape, ElementType::i64);
  std::memcpy(made.bytes.data(), from.data(), from.size_bytes());
  return made.array;
}

nb::object boxes_in(const PyBatch& self) {
  const Held& held = self.get();
  return boxes_of(held.lease ? held.lease->crops() : std::span<const SampleCrop>(held.info.crops));
}

nb::list batch_keys(const PyBatch& self) {
  const Held& held = self.get();
  nb::list keys;
  const std::size_t rows = held.lease ? held.lease->batch_size() : held.info.keys.size();
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string_view key =
        held.lease ? held.lease->key(row) : std::string_view(held.info.keys[row]);
    keys.append(nb::str(key.data(), key.size()));
  }
  return keys;
}

// ---- waiting

class PyLoader;

// What must end before Python does: threads that wait in a loader without the GIL.
struct Waiting {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<PyLoader*> loaders;
  int waiters = 0;
  std::atomic<bool> over{false};
};
// Of this process; never destroyed, because a daemon thread may still use it.
std::atomic<Waiting*> waiting_here{new Waiting};
Waiting& waiting() { return *waiting_here; }

class Waiter {
 public:
  Waiter() {
    const std::lock_guard lock(all_.mutex);
    ++all_.waiters;
  }
  ~Waiter() {
    {
      const std::lock_guard lock(all_.mutex);
      --all_.waiters;
    }
    all_.changed.notify_all();
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

 private:
  Waiting& all_ = waiting();
};

// Ends a call while Python exits. Other threads end without a trace, as by sys.exit().
[[noreturn]] void raise_exiting() {
  const nb::module_ threading = nb::module_::import_("threading");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) {
    PyErr_SetNone(PyExc_SystemExit);
    throw nb::python_error();
  }
  raise({ErrorCode::cancelled, "Python is exiting, so no batch can come", {}, {}});
}

class PyLoader {
 public:
  explicit PyLoader(Loader loader) : loader_(std::move(loader)) {
    const std::lock_guard lock(waiting().mutex);
    waiting().loaders.insert(this);
  }
  PyLoader(const PyLoader&) = delete;
  PyLoader& operator=(const PyLoader&) = delete;
  ~PyLoader() {
    {
      const std::lock_guard lock(waiting().mutex);
      waiting().loaders.erase(this);
    }
    const nb::gil_scoped_release release;
    loader_.close();
  }

  [[nodiscard]] Loader& loader() { return loader_; }
  [[nodiscard]] std::uint64_t batches() const { return batches_; }
  [[nodiscard]] std::uint64_t copied() const { return copied_; }
  [[nodiscard]] double waited() const { return waited_; }

  // The next batch, or nothing at the end of an epoch. `seconds`: 0 waits for ever.
  std::optional<PyBatch> next(double seconds) {
    const std::size_t leased = loader_.leased();
    const bool read_ahead_would_stop = leased > 0 && leased + 2 >= loader_.slots();
    auto batch = wait(seconds, [&](milliseconds slice) { return loader_.next(slice); });
    if (!batch) return std::nullopt;
    ++batches_;
    if (!read_ahead_would_stop) return PyBatch{lease_of(std::move(*batch))};
    ++copied_;
    const nb::gil_scoped_release release;
    PyBatch copy{copy_of(*batch, pool_)};
    batch->release();
    return copy;
  }

  // Calls attempt(slice) until it gives something else than a time-out.
  template <class Attempt>
  auto wait(double seconds, const Attempt& attempt) -> decltype(take(attempt(kSlice))) {
    if (waiting().over) raise_exiting();
    auto result = attempt(milliseconds(-1));  // what is ready needs no giving up of the GIL
    if (!timed_out(result)) return take(std::move(result));
    const Clock::time_point begin = Clock::now();
    do {
      const double left = seconds - seconds_since(begin);
      if (seconds > 0 && left <= 0) raise(late(seconds));
      const auto slice =
          seconds > 0
              ? std::min(kSlice, milliseconds(1 + static_cast<int>(std::min(left, 1.0) * 1000)))
              : kSlice;
      const Waiter waiter;
      {
        const nb::gil_scoped_release release;
        result = attempt(slice);
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (waiting().over) raise_exiting();
    } while (timed_out(result));
    waited_ = waited_ + seconds_since(begin);
    return take(std::move(result));
  }

 private:
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  template <class T>
  static bool timed_out(const Result<T>& result) {
    return !result.ok() && result.error().code == ErrorCode::timeout;
  }
  Error late(double seconds) const {
    const LoaderPosition at = loader_.position();
    std::string text = std::to_string(seconds);
    text.resize(std::min(text.size(), text.find('.') + 4));
    return {ErrorCode::timeout,
            "step " + std::to_string(at.step) + " of epoch " + std::to_string(at.epoch) +
                " was not ready after " + text +
                " s; nothing is lost: call again, or use a longer timeout",
            {},
            {}};
  }

  Loader loader_;
  std::shared_ptr<BlockPool> pool_ = std::make_shared<BlockPool>();
  std::uint64_t batches_ = 0;  // these change with the GIL
  std::uint64_t copied_ = 0;
  double waited_ = 0;
};

// Ends all waiting before Python's threads are killed; see pitfalls of daemon threads in Python's
// documentation of Py_FinalizeEx.
void end_waiting() {
  Waiting& all = waiting();
  all.over = true;
  const nb::gil_scoped_release release;
  std::unique_lock lock(all.mutex);
  for (PyLoader* const loader : all.loaders) loader->loader().cancel();
  all.changed.wait_for(lock, std::chrono::seconds(10), [&] { return all.waiters == 0; });
}

// In a forked child: its parent's waiting threads do not exist there, and may hold the lock.
void forget_waiting() { waiting_here = new Waiting; }

// ---- opening

Shuffle shuffle_of(const std::string& name) {
  if (name == "full") return Shuffle::full;
  return name == "block" ? Shuffle::block : Shuffle::none;
}

LastBatch last_batch_of(const std::string& name) {
  if (name == "drop") return LastBatch::drop;
  return name == "pad" ? LastBatch::pad : LastBatch::wrap;
}

LoaderOptions options_of(const nb::dict& given) {
  const auto number = [&](const char* name) { return nb::cast<std::uint64_t>(given[name]); };
  const auto text = [&](const char* name) { return nb::cast<std::string>(given[name]); };
  LoaderOptions options;
  options.global_batch_size = number("global_batch_size");
  options.seed = number("seed");
  options.epoch = number("epoch");
  options.rank = number("rank");
  options.world_size = number("world");
  options.last_batch = last_batch_of(text("tail"));
  options.shuffle = shuffle_of(text("shuffle"));
  options.block_samples = number("block_samples");
  options.window_blocks = number("window_blocks");
  options.image = image_output(nb::cast<nb::tuple>(given["image"]));
  options.label = label_output(given["label"]);
  options.augment = augment_of(given["augment"]);
  options.pad_to = pixel_size(given["pad_to"]);
  options.threads = static_cast<unsigned>(number("threads"));
  options.prefetch_batches = static_cast<unsigned>(number("slots"));
  options.verify_checksums = verify_of(text("check"));
  options.access = text("access") == "read" ? FileAccess::read : FileAccess::map;
  options.timeout = kSlice;  // of next_into(); the whole wait is a loop of these
  const nb::object resume = given["resume"];
  if (!resume.is_none()) options.resume = take(LoaderState::parse(nb::cast<std::string>(resume)));
  return options;
}

std::unique_ptr<PyLoader> open_loader(const PyDataset& dataset, const nb::dict& given) {
  if (waiting().over) raise_exiting();
  const LoaderOptions options = options_of(given);
  Result<Loader> opened = [&] {
    const nb::gil_scoped_release release;
    return Loader::open(*dataset.data, options);
  }();
  return std::make_unique<PyLoader>(take(std::move(opened)));
}

using Out = nb::ndarray<nb::c_contig, nb::device::cpu>;

std::span<std::byte> bytes_of(const nb::object& array) {
  if (array.is_none()) return {};
  const auto out = nb::cast<Out>(array);
  return {static_cast<std::byte*>(out.data()), out.nbytes()};
}

// (epoch, step, valid, index list, keys) or None
nb::object next_into(PyLoader& self, const nb::object& image, const nb::object& label,
                     double seconds) {
  const BatchBuffers into{bytes_of(image), bytes_of(label)};
  const auto info = self.wait(seconds, [&](milliseconds) { return self.loader().next_into(into); });
  if (!info) return nb::none();
  nb::list indices;
  for (const std::int64_t index : info->indices) indices.append(index);
  nb::list keys;
  for (const std::string& key : info->keys) keys.append(nb::str(key.data(), key.size()));
  return nb::make_tuple(info->epoch, info->step, info->num_valid, indices, keys);
}

nb::tuple shapes_of(PyLoader& self) {
  return nb::make_tuple(self.loader().image_batch_bytes(), self.loader().label_batch_bytes(),
                        self.loader().slot_bytes());
}

void bind_batch(nb::module_& module) {
  nb::class_<PyBatch>(module, "Batch")
      .def("image", [](const PyBatch& self) { return array_in(self, self.get().image); })
      .def("label", [](const PyBatch& self) { return array_in(self, self.get().label); })
      .def("types",
           [](const PyBatch& self) {
             const Held& held = self.get();
             return nb::make_tuple(nb::str(dtype_name(held.image.type).data()),
                                   nb::str(dtype_name(held.label.type).data()));
           })
      .def("index", &index_of)
      .def("boxes", &boxes_in)
      .def("keys", &batch_keys)
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
      .def_prop_ro("valid",
                   [](const PyBatch& self) {
                     const Held& held = self.get();
                     return held.lease ? held.lease->num_valid() : held.info.num_valid;
                   })
      .def_prop_ro("rows", [](const PyBatch& self) {
        const Held& held = self.get();
        return held.lease ? held.lease->batch_size() : held.info.batch_size;
      });
}

}  // namespace

void bind_loader(nb::module_& module) {
  bind_batch(module);
  nb::class_<PyLoader>(module, "Loader")
      .def("next",
           [](PyLoader& self, double seconds) -> nb::object {
             auto batch = self.next(seconds);
             return batch ? nb::cast(std::move(*batch)) : nb::none();
           })
      .def("next_into", &next_into, nb::arg("image").none(), nb::arg("label").none(),
           nb::arg("seconds"))
      .def("begin_epoch",
           [](PyLoader& self, std::uint64_t epoch) { check(self.loader().begin_epoch(epoch)); })
      .def("seek", [](PyLoader& self, std::uint64_t epoch,
                      std::uint64_t step) { check(self.loader().seek(epoch, step)); })
      .def("restore",
           [](PyLoader& self, const std::string& state) {
             check(self.loader().restore(take(LoaderState::parse(state))));
           })
      .def("state", [](PyLoader& self) { return self.loader().state().text(); })
      .def("position",
           [](PyLoader& self) {
             const LoaderPosition at = self.loader().position();
             return nb::make_tuple(at.epoch, at.step);
           })
      .def("cancel", [](PyLoader& self) { self.loader().cancel(); })
      .def("close",
           [](PyLoader& self) {
             const nb::gil_scoped_release release;
             self.loader().close();
           })
      .def("bytes", &shapes_of)
      .def_prop_ro("steps", [](PyLoader& self) { return self.loader().steps_per_epoch(); })
      .def_prop_ro("rows", [](PyLoader& self) { return self.loader().batch_size(); })
      .def_prop_ro("threads", [](PyLoader& self) { return self.loader().threads(); })
      .def_prop_ro("slots", [](PyLoader& self) { return self.loader().slots(); })
      .def_prop_ro("leased", [](PyLoader& self) { return self.loader().leased(); })
      .def_prop_ro("batches", &PyLoader::batches)
      .def_prop_ro("copied", &PyLoader::copied)
      .def_prop_ro("waited", &PyLoader::waited);
  module.def("open_loader", &open_loader);
  module.def("end_waiting", &end_waiting);
  module.def("forget_waiting", &forget_waiting);
}

}  // namespace hotpack::python
