// Runs a DeviceLoader on a FakeDriver as a program does: with its own streams, copies to the host
// on these streams, and comparisons with the batches of a host Loader with the same options.
//
// Ownership: a Program keeps its copies and memory; it ends before its FakeDriver and after the
// work on its streams. Not thread-safe. Failure throws std::logic_error with the loader's own text;
// only functions named "check" contain assertions.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/context.hpp"
#include "device/open.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/loader_pack.hpp"

namespace hotpack::test {

inline Result<DeviceLoader> try_open(const FakeDriver& fake, const Dataset& dataset,
                                     const DeviceLoaderOptions& options) {
  return device::open_device_loader(dataset, options, fake.driver(), fake.kernels());
}

inline DeviceLoader open_on(const FakeDriver& fake, const Dataset& dataset,
                            const DeviceLoaderOptions& options) {
  auto loader = try_open(fake, dataset, options);
  if (!loader.ok()) throw std::logic_error(loader.error().describe());
  return std::move(loader).value();
}

// Two threads, few slots, odd batches: the smallest setting in which everything can be in flight.
inline DeviceLoaderOptions small_batches(std::uint64_t global_batch_size,
                                         Residency residency = Residency::page) {
  DeviceLoaderOptions options;
  options.residency = residency;
  LoaderOptions& loader = options.loader;
  loader.global_batch_size = global_batch_size;
  loader.seed = 7;
  loader.threads = 2;
  loader.prefetch_batches = 2;
  loader.image.dtype = ElementType::bf16;
  loader.image.layout = AxisOrder::channels_first;
  loader.label = {LabelForm::one_hot, ElementType::u8, AxisOrder::channels_last, true, {}};
  return options;
}

inline std::optional<DeviceBatch> next_or_end(DeviceLoader& loader, device::StreamHandle stream) {
  auto batch = loader.next(stream, kLong);
  if (!batch.ok()) throw std::logic_error(batch.error().describe());
  return std::move(batch).value();
}

inline DeviceBatch next_batch(DeviceLoader& loader, device::StreamHandle stream) {
  auto batch = next_or_end(loader, stream);
  if (!batch) throw std::logic_error("the epoch ended");
  return std::move(*batch);
}

inline Error next_error(DeviceLoader& loader, device::StreamHandle stream) {
  auto batch = loader.next(stream, kLong);
  if (batch.ok()) throw std::logic_error("a batch or the end of the epoch came");
  return std::move(batch).error();
}

// All batches of these epochs from a host Loader.
inline std::vector<BatchCopy> host_batches(const Dataset& dataset, const LoaderOptions& options,
                                           std::uint64_t epochs = 1) {
  Loader loader = open_loader(dataset, options);
  std::vector<BatchCopy> all;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch)
    for (BatchCopy& batch : rest_of_epoch(loader)) all.push_back(std::move(batch));
  return all;
}

// A batch on its way to the host.
struct Download {
  DeviceBatchInfo info;
  Bytes image;
  Bytes label;
  bool ran = false;  // the stream has come to the copy
};

class Program {
 public:
  explicit Program(FakeDriver& fake, int device = 0)
      : fake_(fake), context_(device::Context::retain(fake.driver(), device).value()) {}
  ~Program() {
    const device::CurrentContext current(*context_);
    for (const device::Pointer memory : memory_) (void)fake_.table().MemFree(memory);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Queues a copy on the batch's stream, or on another one.
  const Download& download(const DeviceBatchInfo& info) { return download(info, info.stream); }
  const Download& download(const DeviceBatchInfo& info, device::StreamHandle stream) {
    Download& to = downloads_.emplace_back();
    to.info = info;
    const device::CurrentContext current(*context_);
    fake_.enqueue(stream, [&to] {
      to.image = bytes(to.info.image);
      to.label = bytes(to.info.label);
      to.ran = true;
    });
    return to;
  }
  void synchronize(device::StreamHandle stream) {
    const device::CurrentContext current(*context_);
    fake_.synchronize(stream);
  }
  [[nodiscard]] std::deque<Download>& downloads() { return downloads_; }

  // Memory for next_into().
  DeviceBuffers buffers(const DeviceLoader& loader) {
    DeviceBuffers into;
    into.image_bytes = loader.image_batch_bytes();
    into.label_bytes = loader.label_batch_bytes();
    into.image = allocate(into.image_bytes);
    into.label = allocate(into.label_bytes);
    return into;
  }
  void* allocate(std::uint64_t bytes) {
    if (bytes == 0) return nullptr;
    const device::CurrentContext current(*context_);
    device::Pointer memory = 0;
    if (fake_.table().MemAlloc(&memory, bytes) != 0) throw std::logic_error("no memory");
    memory_.push_back(memory);
    return device::device_pointer<void>(memory);
  }

 private:
  // As work that was queued before the memory is freed sees it.
  [[nodiscard]] static Bytes bytes(const DeviceField& field) {
    const auto* const begin = static_cast<const std::byte*>(field.data);
    return begin == nullptr ? Bytes() : Bytes(begin, begin + field.bytes);
  }

  FakeDriver& fake_;
  std::shared_ptr<const device::Context> context_;
  std::vector<device::Pointer> memory_;
  std::deque<Download> downloads_;
};

inline BatchCopy copy_of(const Download& from) {
  if (!from.ran) throw std::logic_error("the copy has not run");
  const DeviceBatchInfo& info = from.info;
  BatchCopy copy{info.epoch, info.step, info.num_valid, info.image.shape, info.label.shape, {}};
  const auto row_of = [&info](const Bytes& bytes, std::size_t row) {
    const auto each = static_cast<std::ptrdiff_t>(bytes.size() / info.batch_size);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(row) * each;
    return Bytes(first, first + each);
  };
  for (std::size_t row = 0; row < info.batch_size; ++row) {
    copy.rows.push_back({info.indices.at(row), info.keys.at(row), info.crops.at(row),
                         row_of(from.image, row), row_of(from.label, row)});
  }
  return copy;
}

inline void check_batches(Program& program, const std::vector<BatchCopy>& wanted) {
  REQUIRE(program.downloads().size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(wanted[i].epoch, wanted[i].step);
    const bool equal = copy_of(program.downloads()[i]) == wanted[i];
    REQUIRE(equal);
  }
}

// Precondition: loaders, batches and programs are gone, and the streams are idle.
inline void check_nothing_left(const FakeDriver& fake) {
  REQUIRE(fake.violations() == std::vector<std::string>());
  const FakeDriver::Held held = fake.held();
  CAPTURE(held.device_blocks, held.pinned_blocks, held.pools, held.streams, held.events,
          held.modules, held.retained);
  REQUIRE(held == FakeDriver::Held());
}

// Runs a scenario as late as possible, then in this many random orders.
template <class Scenario>
void in_all_orders(const Scenario& scenario, std::uint64_t orders = 200) {
  for (std::uint64_t seed = 0; seed <= orders; ++seed) {
    CAPTURE(seed);
    FakeDriver fake({.schedule = seed == 0 ? Schedule::late : Schedule::random, .seed = seed});
    {
      Program program(fake);
      scenario(fake, program);
      fake.run_all();
    }
    check_nothing_left(fake);
  }
}

}  // namespace hotpack::test
