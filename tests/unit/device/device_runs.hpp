// Runs a DeviceLoader on a FakeDriver as a program does: with its own streams, copies to the host
// on these streams, and comparisons with the batches of a host Loader with the same options.
//
// Ownership: a Program keeps its copies and allocations; it ends before its FakeDriver and after
// the work on its streams. Not thread-safe. Failure throws std::logic_error with the loader's own
// text; only functions named "check" contain assertions.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/handles.hpp"
#include "device/late_free.hpp"
#include "device/open.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/loader_pack.hpp"
#include "support/own_threads.hpp"
#include "support/sanitizers.hpp"

namespace hotpack::test {

using Streams = std::vector<device::StreamHandle>;

// Tests decide when late frees happen: in check_nothing_left(), or in device::sweep_late().
inline const bool kReaperRests = (device::let_reaper_work(false), true);

inline constexpr std::array<Residency, 3> kResidencies{Residency::page, Residency::device,
                                                       Residency::automatic};
inline constexpr std::chrono::milliseconds kReadyOnly{-1};

// ----------------------------------------------------------------------------------------------------
// opening

inline DeviceLoader open_on(const FakeDriver& fake, const Dataset& dataset,
                            const DeviceLoaderOptions& options) {
  auto loader = device::open_device_loader(dataset, options, fake.driver(), fake.kernels());
  if (!loader.ok()) throw std::logic_error(loader.error().describe());
  return std::move(loader).value();
}

// With calls of the driver that a test has changed.
inline DeviceLoader open_on(const device::DriverTable& calls, const FakeDriver& fake,
                            const Dataset& dataset, const DeviceLoaderOptions& options) {
  auto loader = device::open_device_loader(dataset, options, device::Driver::make(calls).value(),
                                           fake.kernels());
  if (!loader.ok()) throw std::logic_error(loader.error().describe());
  return std::move(loader).value();
}

// The error of an opening that fails.
inline Error open_error(const FakeDriver& fake, const Dataset& dataset,
                        const DeviceLoaderOptions& options) {
  auto loader = device::open_device_loader(dataset, options, fake.driver(), fake.kernels());
  if (loader.ok()) throw std::logic_error("the loader opened");
  return std::move(loader).error();
}

inline DeviceLoaderOptions device_options(const LoaderOptions& loader,
                                          std::vector<int> devices = {0},
                                          Residency residency = Residency::page) {
  DeviceLoaderOptions options;
  options.loader = loader;
  options.devices = std::move(devices);
  options.residency = residency;
  options.loader.prefetch_batches = options.outputs = 2;  // what tests count on
  return options;
}

// Two threads, few slots, odd batches: the smallest setting in which everything can be in flight
// at once.
inline LoaderOptions small_batches(std::uint64_t global_batch_size) {
  LoaderOptions options;
  options.global_batch_size = global_batch_size;
  options.seed = 7;
  options.threads = 2;
  options.prefetch_batches = 2;
  options.image.dtype = ElementType::bf16;
  options.image.layout = AxisOrder::channels_first;
  options.label = {LabelForm::one_hot, ElementType::u8, AxisOrder::channels_last, true, {}};
  return options;
}

inline TinyForm square_form() {
  TinyForm form;
  form.size = Extent{8, 8};
  return form;
}

// ----------------------------------------------------------------------------------------------------
// stepping

// The next batch; throws at an error or the end of an epoch.
inline DeviceBatch next_batch(DeviceLoader& loader, const Streams& streams) {
  auto batch = loader.next(streams, kLong);
  if (!batch.ok()) throw std::logic_error(batch.error().describe());
  if (!*batch) throw std::logic_error("the epoch ended");
  return **std::move(batch);
}

// The error of next(); throws if there is none.
inline Error next_error(DeviceLoader& loader, const Streams& streams,
                        std::chrono::milliseconds timeout = kLong) {
  auto batch = loader.next(streams, timeout);
  if (batch.ok())
    throw std::logic_error(*batch ? "step " + std::to_string((*batch)->step()) + " came"
                                  : "the epoch ended");
  return std::move(batch).error();
}

inline bool at_end_of_epoch(DeviceLoader& loader, const Streams& streams) {
  auto batch = loader.next(streams, kLong);
  if (!batch.ok()) throw std::logic_error(batch.error().describe());
  return !batch->has_value();
}

inline void skip(DeviceLoader& loader, const Streams& streams, std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) next_batch(loader, streams).release();
}

// All batches of these epochs from a host Loader.
inline std::vector<BatchCopy> host_batches(const Dataset& dataset, const LoaderOptions& options,
                                           std::uint64_t epochs = 1) {
  Loader loader = open_loader(dataset, options);
  std::vector<BatchCopy> all;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    for (BatchCopy& batch : rest_of_epoch(loader)) all.push_back(std::move(batch));
  }
  return all;
}

// ----------------------------------------------------------------------------------------------------
// a program

// A batch on its way to the host.
struct Download {
  struct Part {
    Bytes image;
    Bytes label;
  };
  DeviceBatchInfo info;
  std::vector<Part> parts;
  std::size_t ran = 0;  // parts whose stream has come to the copy
};

class Program {
 public:
  explicit Program(FakeDriver& fake, int devices = 1) : fake_(fake) {
    for (int ordinal = 0; ordinal < devices; ++ordinal)
      contexts_.push_back(device::Context::retain(fake.driver(), ordinal).value());
  }

  // Queues a copy on each part's stream.
  const Download& download(const DeviceBatchInfo& info, const Streams& streams) {
    Download& to = downloads_.emplace_back();
    to.info = info;
    to.parts.resize(info.parts.size());
    for (std::size_t part = 0; part < info.parts.size(); ++part) {
      const device::CurrentContext current(
          *contexts_.at(static_cast<std::size_t>(info.parts[part].device)));
      fake_.enqueue(streams.at(part), [this, &to, part] {
        to.parts[part].image = bytes(to.info.parts[part].image);
        to.parts[part].label = bytes(to.info.parts[part].label);
        ++to.ran;
      });
    }
    return to;
  }
  const Download& download(const DeviceBatch& batch, const Streams& streams) {
    return download(batch.info(), streams);
  }

  void synchronize(device::StreamHandle stream, int device = 0) {
    const device::CurrentContext current(context(device));
    fake_.synchronize(stream);
  }
  void synchronize(const Streams& streams) {  // of devices 0, 1, …
    for (std::size_t part = 0; part < streams.size(); ++part)
      synchronize(streams[part], static_cast<int>(part));
  }

  [[nodiscard]] const device::Context& context(int device) const {
    return *contexts_.at(static_cast<std::size_t>(device));
  }
  [[nodiscard]] const std::deque<Download>& downloads() const { return downloads_; }

  // Memory for next_into() on devices 0, 1, …
  std::vector<DeviceBuffers> buffers(const DeviceLoader& loader) {
    std::vector<DeviceBuffers> all;
    for (std::size_t part = 0; part < loader.devices(); ++part) {
      DeviceBuffers& into = all.emplace_back();
      into.image_bytes = loader.image_batch_bytes(part);
      into.label_bytes = loader.label_batch_bytes(part);
      into.image = allocate(part, into.image_bytes);
      into.label = allocate(part, into.label_bytes);
    }
    return all;
  }

  // Overwrites memory in stream order.
  void scribble(void* memory, std::uint64_t bytes, device::StreamHandle stream, int device = 0) {
    const device::CurrentContext current(context(device));
    const int code =
        fake_.table().MemsetD8Async(reinterpret_cast<std::uintptr_t>(memory), 0xEE, bytes, stream);
    if (code != 0) throw std::logic_error("memset failed: " + std::to_string(code));
  }

 private:
  [[nodiscard]] Bytes bytes(const DeviceField& field) const {
    if (field.bytes == 0) return {};
    return fake_.bytes(reinterpret_cast<std::uintptr_t>(field.data), field.bytes);
  }
  void* allocate(std::size_t part, std::uint64_t bytes) {
    memory_.push_back(device::DeviceMemory::take(contexts_.at(part), bytes).value());
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory_.back().address()));
  }

  FakeDriver& fake_;
  std::vector<std::shared_ptr<const device::Context>> contexts_;
  std::vector<device::DeviceMemory> memory_;
  std::deque<Download> downloads_;
};

// ----------------------------------------------------------------------------------------------------
// comparing

inline std::vector<std::int64_t> with_rows(std::vector<std::int64_t> shape, std::size_t rows) {
  if (!shape.empty()) shape[0] = static_cast<std::int64_t>(rows);
  return shape;
}

inline Bytes row_of(const Bytes& bytes, std::size_t row, std::size_t rows) {
  const std::size_t each = bytes.size() / rows;
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(row * each);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(each));
}

// All parts of a batch as one, as a host Loader of this rank returns it.
inline BatchCopy copy_of(const Download& from) {
  if (from.ran != from.parts.size()) throw std::logic_error("the copy has not run");
  const DeviceBatchInfo& info = from.info;
  BatchCopy copy{info.epoch, info.step, info.num_valid, {}, {}, {}};
  std::size_t valid = 0;
  for (std::size_t number = 0; number < info.parts.size(); ++number) {
    const DevicePart& part = info.parts[number];
    if (part.first_row != copy.rows.size())
      throw std::logic_error("parts do not follow each other");
    valid += part.num_valid;
    copy.image_shape = with_rows(part.image.shape, info.batch_size);
    copy.label_shape = with_rows(part.label.shape, info.batch_size);
    const auto first_is_rows = [&](const DeviceField& field) {
      return field.shape.empty() || field.shape[0] == static_cast<std::int64_t>(part.batch_size);
    };
    if (!first_is_rows(part.image) || !first_is_rows(part.label))
      throw std::logic_error("a part's shape has another number of rows");
    for (std::size_t row = 0; row < part.batch_size; ++row) {
      const std::size_t all = part.first_row + row;
      copy.rows.push_back({info.indices.at(all), info.keys.at(all), info.crops.at(all),
                           row_of(from.parts[number].image, row, part.batch_size),
                           row_of(from.parts[number].label, row, part.batch_size)});
    }
  }
  if (copy.rows.size() != info.batch_size || valid != info.num_valid)
    throw std::logic_error("the parts are not the batch");
  return copy;
}

// The first difference in short words, or "".
inline std::string difference(const BatchCopy& ours, const BatchCopy& wanted) {
  const std::string at =
      "step " + std::to_string(wanted.step) + " of epoch " + std::to_string(wanted.epoch) + ": ";
  if (ours.epoch != wanted.epoch || ours.step != wanted.step) {
    return at + "is step " + std::to_string(ours.step) + " of epoch " + std::to_string(ours.epoch);
  }
  if (ours.valid != wanted.valid) return at + "valid";
  if (ours.image_shape != wanted.image_shape || ours.label_shape != wanted.label_shape)
    return at + "shape";
  if (ours.rows.size() != wanted.rows.size()) return at + "rows";
  for (std::size_t row = 0; row < ours.rows.size(); ++row) {
    const Row &one = ours.rows[row], &other = wanted.rows[row];
    const std::string where = at + "row " + std::to_string(row) + ": ";
    if (one.sample != other.sample) return where + "sample";
    if (one.key != other.key) return where + "key";
    if (!(one.box == other.box)) return where + "box";
    if (one.image != other.image) return where + "image";
    if (one.label != other.label) return where + "label";
  }
  return {};
}

// Checks that downloads from `first` on are these batches.
inline void check_batches(const Program& program, const std::vector<BatchCopy>& wanted,
                          std::size_t first = 0) {
  REQUIRE(program.downloads().size() >= first + wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    REQUIRE(difference(copy_of(program.downloads()[first + i]), wanted[i]) == "");
}

// ----------------------------------------------------------------------------------------------------
// the end

inline void check_no_violations(const FakeDriver& fake) {
  REQUIRE(fake.violations() == std::vector<std::string>());
}

// Sweeps until `over`, at most ten times: the fake lets work wait for some looks.
template <class Over>
void sweep_until(const Over& over) {
  for (int looks = 0; looks < 10 && !over(); ++looks) device::sweep_late();
}

// Precondition: loaders, leases and programs are gone, and the streams are idle.
inline void check_nothing_left(const FakeDriver& fake) {
  sweep_until([] { return device::late_count() == 0; });
  CHECK(device::late_count() == 0);
  const FakeDriver::Held held = fake.held();
  CAPTURE(held.device_blocks, held.pinned_blocks, held.streams, held.events, held.modules,
          held.retained);
  REQUIRE(held == FakeDriver::Held());
  check_no_violations(fake);
}

// Runs a scenario as late as possible, then in this many random orders.
template <class Scenario>
void in_all_orders(FakeOptions options, const Scenario& scenario, std::uint64_t orders = 1000) {
  for (std::uint64_t seed = 0; seed <= orders; ++seed) {
    CAPTURE(seed);
    options.schedule = seed == 0 ? Schedule::late : Schedule::random;
    options.seed = seed;
    FakeDriver fake(options);
    {
      Program program(fake, options.devices);
      scenario(fake, program);
      fake.run_all();
    }
    check_nothing_left(fake);
  }
}

// ----------------------------------------------------------------------------------------------------
// this process

inline std::size_t entries_of(const char* folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    count += entry.path().empty() ? 0u : 1u;
  return count;
}

// The threads of this process with this name, by their folders.
inline std::vector<std::filesystem::path> threads_named(const std::string& name) {
  std::vector<std::filesystem::path> tasks;
  for (const OwnThread& thread : own_threads()) {
    std::string found;
    std::ifstream(thread.folder / "comm") >> found;
    if (found == name) tasks.push_back(thread.folder);
  }
  return tasks;
}

// The signals that the thread with this name blocks, one bit each; empty if there is none.
inline std::optional<unsigned long long> blocked_signals_of(const std::string& thread) {
  for (const auto& task : threads_named(thread)) {
    std::ifstream status(task / "status");
    std::string word;
    while (status >> word && word != "SigBlk:") continue;
    if (status >> word) return std::stoull(word, nullptr, 16);
  }
  return std::nullopt;
}

// The system resources of this process.
struct Holdings {
  std::size_t threads = own_threads().size();
  std::size_t descriptors = entries_of("/proc/self/fd");
  std::size_t resident = resident_kib();
};

inline void check_flat(const Holdings& before) {
  CHECK(threads_settled(before.threads) == before.threads);
  const Holdings after;
  CHECK(after.descriptors == before.descriptors);
  if (!kSanitized)
    CHECK(after.resident <=
          before.resident +
              8192);  // 8 MiB, 1,000 times 8 KiB; the sanitizers keep memory of their own
}

}  // namespace hotpack::test
