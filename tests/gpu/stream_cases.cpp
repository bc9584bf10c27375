// Batches arrive whole, whatever the program's streams are doing. They are not overwritten before
// these streams have read them.

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpu/bench_pack.hpp"
#include "gpu/compare.hpp"
#include "support/temp_folder.hpp"

namespace hotpack::gpu {

namespace {

using test::BatchCopy;

constexpr double kBusyMilliseconds = 5;

// Keeps batches as a stream of the program sees them: copies them within the device on that stream,
// and checks them later.
class Keeper {
 public:
  explicit Keeper(const Machine& machine) : machine_(machine) {}

  void keep(const DeviceBatch& batch, StreamHandle stream) {
    Kept kept{batch.info(), machine_.memory(batch.image().bytes),
              machine_.memory(batch.label().bytes)};
    copy(kept.image, batch.image(), stream);
    copy(kept.label, batch.label(), stream);
    kept_.push_back(std::move(kept));
  }

  // Precondition: all streams have finished their work.
  void check_against(Loader& host, const std::string& what) const {
    for (const Kept& kept : kept_) {
      auto expected = require(host.next());
      if (!expected) expected = require(host.next());
      check_equal(kept.info.step, expected->step(), what + ": step");
      compare(kept.image, expected->image().bytes,
              what + ": image of step " + std::to_string(kept.info.step));
      compare(kept.label, expected->label().bytes,
              what + ": label of step " + std::to_string(kept.info.step));
    }
  }

 private:
  struct Kept {
    DeviceBatchInfo info;
    device::DeviceMemory image;
    device::DeviceMemory label;
  };

  void copy(const device::DeviceMemory& to, const DeviceField& from, StreamHandle stream) const {
    machine_.ok("cuMemcpyDtoDAsync", machine_.api().MemcpyDtoDAsync(
                                         to.address(), address(from.data), from.bytes, stream));
  }

  void compare(const device::DeviceMemory& found, std::span<const std::byte> expected,
               const std::string& what) const {
    check_equal(found.size(), std::uint64_t{expected.size()}, what + ": bytes");
    const auto bytes = machine_.download(pointer(found.address()), expected.size(), nullptr);
    check(std::equal(bytes.begin(), bytes.end(), expected.begin()), what);
  }

  const Machine& machine_;
  std::vector<Kept> kept_;
};

void wait_for_all(const Machine& machine, const std::vector<StreamHandle>& streams) {
  for (const StreamHandle stream : streams) machine.synchronize(stream);
}

// Uses the streams in turn. Each is busy when it gets its batch.
void take_turns(Training& training, const std::vector<StreamHandle>& streams, Residency residency,
                const std::string& what) {
  DeviceLoader loader = training.open(residency);
  Keeper keeper(training.machine);
  for (std::size_t step = 0; step < 20; ++step) {
    const StreamHandle stream = streams[step % streams.size()];
    training.machine.keep_busy(stream, kBusyMilliseconds);
    const DeviceBatch batch = next_batch(loader, stream);
    training.machine.keep_busy(stream, kBusyMilliseconds);
    keeper.keep(batch, stream);
  }
  wait_for_all(training.machine, streams);
  Loader host = training.open_host();
  keeper.check_against(host, what);
}

}  // namespace

GPU_CASE(streams_of_every_kind) {
  Training training;
  const UserStream blocking(training.machine, true);
  for (const Residency residency : kPlaces) {
    take_turns(training, {training.stream}, residency, "a non-blocking stream");
    take_turns(training, {blocking.handle()}, residency, "a blocking stream");
    take_turns(training, {nullptr}, residency, "stream 0");
    take_turns(training, {device::kLegacyStream}, residency, "the legacy stream");
    take_turns(training, {device::kPerThreadStream}, residency, "the thread's stream");
  }
}

GPU_CASE(streams_switched) {
  Training training;
  const UserStream second(training.machine, true), third(training.machine, false);
  for (const Residency residency : kPlaces)
    take_turns(
        training,
        {training.stream, second.handle(), third.handle(), nullptr, device::kPerThreadStream},
        residency, "streams in turn");
}

// Another stream, which is behind, reads the batch.
GPU_CASE(streams_use_on) {
  Training training;
  const UserStream reader(training.machine, false);
  DeviceLoader loader = training.open();
  Keeper keeper(training.machine);
  for (unsigned step = 0; step < 20; ++step) {
    DeviceBatch batch = next_batch(loader, training.stream);
    training.machine.keep_busy(reader.handle(), kBusyMilliseconds);
    require(batch.record_stream(reader.handle()));
    keeper.keep(batch, reader.handle());
    batch.release();
  }
  wait_for_all(training.machine, {training.stream, reader.handle()});
  Loader host = training.open_host();
  keeper.check_against(host, "read on another stream");
}

// The producer is far ahead of a slow consumer.
GPU_CASE(streams_slow_consumer) {
  Training training(64);
  DeviceLoaderOptions options = small_options(Training::batches());
  options.loader.prefetch_batches = 16;
  DeviceLoader loader = open_device(training.dataset, options);
  Keeper keeper(training.machine);
  const Hold hold(training.machine, training.stream, std::chrono::milliseconds(100));
  for (unsigned step = 0; step < 48; ++step) {
    const DeviceBatch batch = next_batch(loader, training.stream);
    if (step % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    keeper.keep(batch, training.stream);
    training.machine.keep_busy(training.stream, kBusyMilliseconds);
  }
  training.machine.synchronize(training.stream);
  Loader host = training.open_host();
  keeper.check_against(host, "a consumer held up");
}

namespace {

// Outputs that a stream copied. The memory is allocated before, because allocation may wait for the
// device.
struct Copies {
  std::vector<device::DeviceMemory> images, labels;
  std::vector<std::uint64_t> steps;
};

// Takes batches as fast as they come, and copies them on their stream, which has nothing else to
// do.
Copies copies_of_batches(const Machine& machine, DeviceLoader& loader, StreamHandle stream,
                         std::size_t count) {
  Copies copies;
  for (std::size_t batch = 0; batch < count; ++batch) {
    copies.images.push_back(machine.memory(loader.image_batch_bytes()));
    copies.labels.push_back(machine.memory(loader.label_batch_bytes()));
  }
  for (std::size_t number = 0; number < count; ++number) {
    const DeviceBatch batch = next_batch(loader, stream);
    const DeviceField &image = batch.image(), &label = batch.label();
    machine.ok("cuMemcpyDtoDAsync",
               machine.api().MemcpyDtoDAsync(copies.images[number].address(), address(image.data),
                                             image.bytes, stream));
    machine.ok("cuMemcpyDtoDAsync",
               machine.api().MemcpyDtoDAsync(copies.labels[number].address(), address(label.data),
                                             label.bytes, stream));
    copies.steps.push_back(batch.step());
    machine.synchronize(stream);  // idle when the next batch comes
  }
  return copies;
}

void check_rows(const Machine& machine, const device::DeviceMemory& found,
                std::span<const std::byte> expected, std::size_t rows, const std::string& what) {
  check_equal(found.size(), std::uint64_t{expected.size()}, what + ": bytes");
  const auto bytes = machine.download(pointer(found.address()), expected.size(), nullptr);
  const std::size_t size = expected.size() / rows;
  for (std::size_t row = 0; row < rows; ++row)
    check(std::equal(expected.begin() + static_cast<std::ptrdiff_t>(row * size),
                     expected.begin() + static_cast<std::ptrdiff_t>((row + 1) * size),
                     bytes.begin() + static_cast<std::ptrdiff_t>(row * size)),
          what + ", row " + std::to_string(row));
}

}  // namespace

// Copies to the device last milliseconds. A kernel that does not wait for them would find the rows
// of another batch.
GPU_CASE(streams_idle_consumer_of_large_batches) {
  Machine machine;
  const UserStream stream(machine, false);
  const TempFolder folder;
  constexpr std::size_t kRows = 96;
  const int side = stand_in() ? 64 : 512;  // 512: 1 MiB a record, 96 MiB a batch
  write_bench_pack(folder.path(), {.records = 4 * kRows, .width = side, .height = side});
  const Dataset dataset = require(Dataset::open(folder.path()));
  DeviceLoaderOptions options;
  options.loader.global_batch_size = kRows;
  options.loader.seed = 5;
  options.loader.prefetch_batches = 2;
  DeviceLoader loader = open_device(dataset, options);
  const Copies copies = copies_of_batches(machine, loader, stream.handle(), 12);
  Loader host = test::open_loader(dataset, options.loader);
  for (std::size_t number = 0; number < copies.steps.size(); ++number) {
    auto expected = require(host.next());
    if (!expected) expected = require(host.next());
    check_equal(copies.steps[number], expected->step(), "step");
    const std::string what = "batch " + std::to_string(number);
    check_rows(machine, copies.images[number], expected->image().bytes, kRows, what + ": image");
    check_rows(machine, copies.labels[number], expected->label().bytes, kRows, what + ": label");
  }
}

GPU_CASE(streams_next_into) {
  Training training;
  for (const Residency residency : kPlaces) {
    DeviceLoader loader = training.open(residency);
    Loader host = training.open_host();
    const device::DeviceMemory image = training.machine.memory(loader.image_batch_bytes()),
                               label = training.machine.memory(loader.label_batch_bytes());
    const StreamHandle handle = training.stream;
    for (unsigned step = 0; step < 10; ++step) {
      const bool skip_image = step % 3 == 1, skip_label = step % 3 == 2;
      DeviceBuffers buffers;
      if (!skip_image) buffers.image = pointer(image.address()), buffers.image_bytes = image.size();
      if (!skip_label) buffers.label = pointer(label.address()), buffers.label_bytes = label.size();
      training.machine.keep_busy(handle, kBusyMilliseconds);
      const auto info = require(loader.next_into({&buffers, 1}, {&handle, 1}));
      const auto expected = require(host.next());
      check(info.has_value() && expected.has_value(), "a batch comes");
      check_equal(info->step, expected->step(), "step");
      check((info->parts[0].image.data == nullptr) == skip_image, "a skipped image has no data");
      check((info->parts[0].label.data == nullptr) == skip_label, "a skipped label has no data");
      for (const bool labels : {false, true}) {
        if (labels ? skip_label : skip_image) continue;
        const auto bytes = labels ? expected->label().bytes : expected->image().bytes;
        const auto found = training.machine.download(
            labels ? pointer(label.address()) : pointer(image.address()), bytes.size(), handle);
        check(std::equal(found.begin(), found.end(), bytes.begin()),
              std::string(labels ? "label" : "image") + " of the caller's memory");
      }
    }
  }
}

// If the program keeps too many leases, the next call fails at once.
GPU_CASE(streams_all_outputs_leased) {
  Training training;
  DeviceLoaderOptions options = small_options(Training::batches());
  options.outputs = 2;
  DeviceLoader loader = open_device(training.dataset, options);
  const DeviceBatch first = next_batch(loader, training.stream);
  DeviceBatch second = next_batch(loader, training.stream);
  const auto began = std::chrono::steady_clock::now();
  const Error refused = require_error(loader.next(training.stream), ErrorCode::busy);
  check(std::chrono::steady_clock::now() - began < std::chrono::seconds(1),
        "the error comes at once");
  check(!refused.message.empty(), "the error has a text");
  second.release();
  check_equal(next_batch(loader, training.stream).step(), std::uint64_t{2},
              "nothing is lost: step");
}

// A thread without a context has none afterwards; one with another context keeps it.
GPU_CASE(streams_current_context) {
  Training training;
  device::ContextHandle before = nullptr, after = training.machine.context()->handle(),
                        here = nullptr;
  std::string problem;
  std::thread([&] {
    training.machine.api().CtxGetCurrent(&before);
    try {
      DeviceLoader loader = training.open();
      for (unsigned step = 0; step < 5; ++step)
        static_cast<void>(next_batch(loader, training.stream));
      loader.close();
    } catch (const std::exception& failed) {
      problem = failed.what();
    }
    training.machine.api().CtxGetCurrent(&after);
  }).join();
  check(problem.empty(), problem);
  check(before == nullptr && after == nullptr, "a thread without a context has none afterwards");
  training.machine.api().CtxGetCurrent(&here);
  check(here == training.machine.context()->handle(), "this thread's context is the same");
}

namespace {

// A capture of a stream, with functions of the driver that hotpack does not call.
class Capture {
 public:
  Capture() {
    if (begin_ == nullptr || end_ == nullptr || destroy_ == nullptr)
      throw Skip("this driver cannot capture streams");
  }
  void begin(const Machine& machine, StreamHandle stream, int mode) const {
    machine.ok("cuStreamBeginCapture", begin_(stream, mode));
  }
  // Ends the capture. Checks that it was not disturbed: it gives a graph.
  void end(const Machine& machine, StreamHandle stream) const {
    void* graph = nullptr;
    machine.ok("cuStreamEndCapture", end_(stream, &graph));
    check(graph != nullptr, "a graph was captured");
    destroy_(graph);
  }

 private:
  template <class Function>
  static Function find(const char* name) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<Function>(library != nullptr ? dlsym(library, name) : nullptr);
  }
  int (*begin_)(StreamHandle, int) = find<int (*)(StreamHandle, int)>("cuStreamBeginCapture_v2");
  int (*end_)(StreamHandle, void**) = find<int (*)(StreamHandle, void**)>("cuStreamEndCapture");
  int (*destroy_)(void*) = find<int (*)(void*)>("cuGraphDestroy");
};

struct CaptureMode {
  int code;  // CUstreamCaptureMode
  const char* name;
};
constexpr CaptureMode kCaptureModes[] = {
    {0, "global"}, {1, "thread-local"}, {2, "relaxed"}};  // global: that of torch.cuda.graph

}  // namespace

// A stream under capture is refused, the capture stays good, and nothing is lost.
GPU_CASE(streams_capture_refused) {
  Training training;
  const Capture capture;
  const device::DeviceMemory memory = training.machine.memory(4096);
  for (const CaptureMode& mode : kCaptureModes) {
    DeviceLoader loader = training.open();
    capture.begin(training.machine, training.stream, mode.code);
    training.machine.ok(
        "cuMemsetD8Async",
        training.machine.api().MemsetD8Async(memory.address(), 1, memory.size(), training.stream));
    const auto refused = loader.next(training.stream);
    capture.end(training.machine, training.stream);
    check(!refused.ok() && refused.error().code == ErrorCode::usage,
          std::string(mode.name) + ": a stream under capture is refused");
    check_equal(next_batch(loader, training.stream).step(), std::uint64_t{0},
                std::string(mode.name) + ": nothing is lost: step");
  }
}

// While one stream is being captured, the loader works on another one: its threads read ahead, copy
// and query events, and batches arrive.
GPU_CASE(streams_capture_beside_loader) {
  Training training(80);
  const Capture capture;
  const UserStream captured(training.machine, false);
  const device::DeviceMemory memory = training.machine.memory(1 << 20);
  constexpr unsigned kBatches = 12;
  for (const Residency residency : kPlaces) {
    for (const CaptureMode& mode : kCaptureModes) {
      const std::string what =
          std::string(mode.name) + " capture next to " + std::string(residency_name(residency));
      DeviceLoaderOptions options = small_options(Training::batches(), residency);
      options.outputs = kBatches;
      DeviceLoader loader = open_device(training.dataset, options);
      std::vector<DeviceBatch> batches;
      capture.begin(training.machine, captured.handle(), mode.code);
      for (unsigned number = 0; number < kBatches; ++number) {  // for 100 ms
        training.machine.ok("cuMemsetD8Async",
                            training.machine.api().MemsetD8Async(memory.address(), 1, memory.size(),
                                                                 captured.handle()));
        batches.push_back(next_batch(loader, training.stream));
        std::this_thread::sleep_for(std::chrono::milliseconds(9));
      }
      capture.end(training.machine, captured.handle());
      Loader host = training.open_host();
      for (const DeviceBatch& batch : batches)
        check_same(copy_of(training.machine, batch, training.stream),
                   test::copy_of(test::next_batch(host)), what);
    }
  }
}

// Two devices of a process share a batch as two ranks do.
GPU_CASE(streams_two_devices) {
  const Training training;
  if (require(cuda_info()).devices.size() < 2) throw Skip("there is one device only");
  const Machine second(1);
  const UserStream other(second, false);
  const MadeCurrent current(training.machine.context());
  for (const Residency residency : kPlaces) {
    DeviceLoaderOptions options = small_options(Training::batches(), residency);
    options.loader.global_batch_size = 7;
    options.devices = {0, 1};
    DeviceLoader loader = open_device(training.dataset, options);
    const std::vector<StreamHandle> streams{training.stream, other.handle()};
    std::vector<Loader> hosts;
    for (const std::uint64_t rank : {0U, 1U}) {
      LoaderOptions host = options.loader;
      host.rank = rank;
      host.world_size = 2;
      hosts.push_back(test::open_loader(training.dataset, host));
    }
    for (unsigned step = 0; step < 5; ++step) {
      const auto batch = require(loader.next(streams));
      check(batch.has_value(), "a batch comes");
      for (std::size_t part = 0; part < 2; ++part) {
        const auto expected = require(hosts[part].next());
        const Machine& own = part == 0 ? training.machine : second;
        const MadeCurrent mine(own.context());
        const auto image = own.download(batch->image(part), streams[part]),
                   label = own.download(batch->label(part), streams[part]);
        const std::string what =
            "device " + std::to_string(part) + ", step " + std::to_string(step);
        check(std::equal(image.begin(), image.end(), expected->image().bytes.begin(),
                         expected->image().bytes.end()),
              what + ": image");
        check(std::equal(label.begin(), label.end(), expected->label().bytes.begin(),
                         expected->label().bytes.end()),
              what + ": label");
      }
    }
  }
}

}  // namespace hotpack::gpu
