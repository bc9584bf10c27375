// Batches arrive whole, whatever the program's streams are doing. They are not overwritten before
// these streams have read them.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"

namespace hotpack::gpu {

namespace {

constexpr double kBusy = 5;  // milliseconds

void check_copies(const Training& training, const std::vector<Copy>& copies,
                  const std::string& what) {
  Loader host = training.open_host();
  for (const Copy& copy : copies)
    check_same(training.machine, copy.info, next_batch(host), nullptr, what);
}

// Uses the streams in turn. Each is busy when it gets its batch, and reads it late. With `into`,
// all batches come into one place, so there may be one stream only.
void take_turns(Training& training, const std::vector<Stream>& streams, bool into) {
  for (const Residency residency : kPlaces) {
    DeviceLoader loader = training.open(residency);
    const Buffers buffers(loader);
    std::vector<Copy> copies;
    for (std::size_t step = 0; step < 10; ++step) {
      const Stream stream = streams[step % streams.size()];
      training.machine.keep_busy(stream, kBusy);
      std::optional<DeviceBatch> batch;
      if (!into) batch = next_batch(loader, stream);
      const DeviceBatchInfo info =
          into ? *require(loader.next_into(buffers.all(), stream, kLongest)) : batch->info();
      training.machine.keep_busy(stream, kBusy);
      copies.push_back(copy_on(stream, info));
    }
    for (const Stream stream : streams) CU(StreamSynchronize, stream);
    check_copies(training, copies, std::string(residency_name(residency)));
  }
}

}  // namespace

GPU_CASE(streams_next_into) {
  Training training;
  const UserStream blocking(true);
  for (const Stream stream :
       {Stream{training.stream}, Stream{blocking}, Stream{nullptr}, kLegacy, kPerThread})
    take_turns(training, {stream}, true);
}

GPU_CASE(streams_of_every_kind) {
  Training training;
  const UserStream blocking(true), second;
  for (const Stream stream :
       {Stream{training.stream}, Stream{blocking}, Stream{nullptr}, kLegacy, kPerThread})
    take_turns(training, {stream}, false);
  take_turns(training, {training.stream, second, nullptr, blocking, kPerThread}, false);
}

// Another stream, which is behind, reads the batch after it was released.
GPU_CASE(streams_record_stream) {
  Training training;
  const UserStream reader;
  DeviceLoader loader = training.open();
  std::vector<Copy> copies;
  for (unsigned step = 0; step < 20; ++step) {
    DeviceBatch batch = next_batch(loader, training.stream);
    training.machine.keep_busy(reader, kBusy);
    require(batch.record_stream(reader));
    copies.push_back(copy_on(reader, batch.info()));
    batch.release();
  }
  CU(StreamSynchronize, reader);
  check_copies(training, copies, "read on another stream");
}

// The consumer's stream stands still while the loader runs ahead: no call waits for it, and no
// packed batch is overwritten before its kernel has run.
GPU_CASE(streams_held_consumer) {
  const Training training(64);
  for (const Residency residency : kPlaces) {
    DeviceLoaderOptions options = Training::options(residency);
    options.loader.prefetch_batches = 12;
    DeviceLoader loader = require(DeviceLoader::open(training.dataset, options));
    std::vector<Memory> images, labels;
    for (unsigned step = 0; step < 30; ++step) {  // an allocation may wait for the device
      images.emplace_back(loader.image_batch_bytes());
      labels.emplace_back(loader.label_batch_bytes());
    }
    std::vector<Copy> copies;
    Hold hold(training.stream, kLongest);
    for (unsigned step = 0; step < 30; ++step) {
      const auto batch = require(loader.next_into(
          {images[step].data(), images[step].size(), labels[step].data(), labels[step].size()},
          training.stream, kLongest));
      if (step == 10) {
        check(!hold.over(), "ten calls do not wait for the stream");
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        hold.let_go();
      }
      if (batch) copies.push_back({*batch, std::move(images[step]), std::move(labels[step])});
    }
    CU(StreamSynchronize, training.stream);
    check_copies(training, copies, "a consumer held up");
  }
}

// One loader per device, each with its own rank, in one process and on one thread.
GPU_CASE(streams_several_devices) {
  struct Part {
    Machine machine;
    UserStream stream = UserStream();
    std::optional<DeviceLoader> device = {};
    std::optional<Loader> host = {};
  };
  const Training training;
  const std::size_t count = std::min<std::size_t>(4, require(cuda_info()).devices.size());
  if (count < 2) throw Skip("there is one device only");
  std::vector<std::unique_ptr<Part>> parts;
  for (std::size_t number = 0; number < count; ++number) {
    DeviceLoaderOptions options = Training::options(kPlaces[number % 2]);
    options.device = static_cast<int>(number);
    options.loader.rank = number;
    options.loader.world_size = count;
    options.loader.global_batch_size = 4 * count - 1;
    Part& part = *parts.emplace_back(new Part{Machine(options.device)});
    part.device = require(DeviceLoader::open(training.dataset, options));
    part.host = require(Loader::open(training.dataset, options.loader));
  }
  for (unsigned step = 0; step < 6; ++step) {
    for (const auto& part : parts) {
      const DeviceBatch batch = next_batch(*part->device, part->stream);
      check(parts.at(static_cast<std::size_t>(batch.device())) == part, "the device of a batch");
      CU(CtxPushCurrent, part->machine.context());
      check_same(part->machine, batch.info(), next_batch(*part->host), part->stream, "devices");
      Handle popped = nullptr;
      CU(CtxPopCurrent, &popped);
    }
  }
  while (!parts.empty()) parts.pop_back();  // contexts are popped in the opposite order
}

// A stream under capture is refused, and no batch is lost. Batches arrive on other streams, and the
// capture stays good. The modes are global (that of torch.cuda.graph), thread-local and relaxed.
GPU_CASE(streams_capture) {
  const Training training(80);
  const UserStream captured;
  const Memory memory(1 << 20);
  for (const Residency residency : kPlaces) {
    for (const int mode : {0, 1, 2}) {
      DeviceLoader loader = training.open(residency);
      Loader host = training.open_host();
      const Buffers buffers(loader);
      std::vector<DeviceBatch> batches;
      Handle graph = nullptr;
      CU(StreamBeginCapture, captured, mode);
      CU(MemsetD8Async, memory.data(), std::uint8_t{1}, memory.size(), captured);
      const auto refused = loader.next(captured);
      const auto refused_into = loader.next_into(buffers.all(), captured);
      for (unsigned number = 0; number < 8; ++number)
        batches.push_back(next_batch(loader, training.stream));
      const auto last = require(loader.next_into(buffers.all(), training.stream));
      CU(StreamEndCapture, captured, &graph);
      CU(GraphDestroy, graph);
      check(!refused.ok() && refused.error().code == ErrorCode::usage, "next refuses");
      check(!refused_into.ok() && refused_into.error().code == ErrorCode::usage,
            "next_into refuses");
      for (const DeviceBatch& batch : batches)
        check_same(training.machine, batch.info(), next_batch(host), training.stream, "capture");
      check_same(training.machine, *last, next_batch(host), training.stream, "capture, next_into");
    }
  }
}

}  // namespace hotpack::gpu
