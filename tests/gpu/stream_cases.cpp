// Batches arrive whole whatever the program's streams are doing, and are not written over before these have read them.

#include <dlfcn.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gpu/compare.hpp"

namespace hotpack::gpu {

namespace {

using test::BatchCopy;
using test::TinyForm;
using test::TinyPack;

constexpr double kBusyMilliseconds = 5;

TinyForm training_form() {
  TinyForm form;
  form.classes = 12;
  form.size = Extent{64, 48};
  return form;
}

LoaderOptions training() {
  LoaderOptions options;
  options.global_batch = 4;
  options.seed = 3;
  options.image = {ElementType::f32, AxisOrder::channels_first, {}, {}};
  options.label.form = LabelForm::one_hot;
  options.label.type = ElementType::f16;
  return options;
}

// Batches as the device had them when the program's stream came to them: copied within the device on that stream, looked at later.
class Keeper {
 public:
  explicit Keeper(const Machine& machine) : machine_(machine) {}

  void keep(const DeviceBatch& batch, StreamHandle stream) {
    Kept kept{batch.info(), machine_.memory(batch.image().bytes), machine_.memory(batch.label().bytes)};
    copy(kept.image, batch.image(), stream);
    copy(kept.label, batch.label(), stream);
    kept_.push_back(std::move(kept));
  }

  // All streams have come to an end.
  void check_against(Loader& host, const std::string& what) const {
    for (const Kept& kept : kept_) {
      auto expected = require(host.next());
      if (!expected) expected = require(host.next());
      check_equal(kept.info.step, expected->step(), what + ": step");
      compare(kept.image, expected->image().bytes, what + ": image of step " + std::to_string(kept.info.step));
      compare(kept.label, expected->label().bytes, what + ": label of step " + std::to_string(kept.info.step));
    }
  }

 private:
  struct Kept {
    DeviceBatchInfo info;
    device::DeviceMemory image;
    device::DeviceMemory label;
  };

  void copy(const device::DeviceMemory& to, const DeviceField& from, StreamHandle stream) const {
    machine_.ok("cuMemcpyDtoDAsync", machine_.api().MemcpyDtoDAsync(to.address(), address(from.data), from.bytes, stream));
  }

  void compare(const device::DeviceMemory& found, std::span<const std::byte> expected, const std::string& what) const {
    check_equal(found.size(), std::uint64_t{expected.size()}, what + ": bytes");
    const auto bytes = machine_.download(pointer(found.address()), expected.size(), nullptr);
    check(std::equal(bytes.begin(), bytes.end(), expected.begin()), what);
  }

  const Machine& machine_;
  std::vector<Kept> kept_;
};

Loader host_of(const Dataset& dataset) { return test::open_loader(dataset, training()); }

void wait_for_all(const Machine& machine, const std::vector<StreamHandle>& streams) {
  for (const StreamHandle stream : streams) machine.synchronize(stream);
}

// The streams take turns, each busy when it gets its batch.
void take_turns(const std::vector<StreamHandle>& streams, Residency residency, const std::string& what, Machine& machine) {
  const TinyPack pack(training_form(), 40, 16);
  const Dataset dataset = pack.open();
  DeviceLoader loader = open_device(dataset, small_options(training(), residency));
  Keeper keeper(machine);
  for (std::size_t step = 0; step < 20; ++step) {
    const StreamHandle stream = streams[step % streams.size()];
    machine.keep_busy(stream, kBusyMilliseconds);
    const DeviceBatch batch = next_batch(loader, stream);
    machine.keep_busy(stream, kBusyMilliseconds);
    keeper.keep(batch, stream);
  }
  wait_for_all(machine, streams);
  Loader host = host_of(dataset);
  keeper.check_against(host, what);
}

}  // namespace

GPU_CASE(streams_of_every_kind) {
  Machine machine;
  const UserStream own(machine, false), blocking(machine, true);
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
    take_turns({own.handle()}, residency, "a non-blocking stream", machine);
    take_turns({blocking.handle()}, residency, "a blocking stream", machine);
    take_turns({nullptr}, residency, "stream 0", machine);
    take_turns({device::kLegacyStream}, residency, "the legacy stream", machine);
    take_turns({device::kPerThreadStream}, residency, "the thread's stream", machine);
  }
}

GPU_CASE(streams_switched) {
  Machine machine;
  const UserStream first(machine, false), second(machine, true), third(machine, false);
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device})
    take_turns({first.handle(), second.handle(), third.handle(), nullptr, device::kPerThreadStream}, residency, "streams in turn", machine);
}

// Another stream reads the batch, and is behind.
GPU_CASE(streams_use_on) {
  Machine machine;
  const UserStream writer(machine, false), reader(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  const Dataset dataset = pack.open();
  DeviceLoader loader = open_device(dataset, small_options(training()));
  Keeper keeper(machine);
  for (unsigned step = 0; step < 20; ++step) {
    DeviceBatch batch = next_batch(loader, writer.handle());
    machine.keep_busy(reader.handle(), kBusyMilliseconds);
    require(batch.use_on(reader.handle()));
    keeper.keep(batch, reader.handle());
    batch.release();
  }
  wait_for_all(machine, {writer.handle(), reader.handle()});
  Loader host = host_of(dataset);
  keeper.check_against(host, "read on another stream");
}

// The producer is far ahead of a consumer that is held up.
GPU_CASE(streams_slow_consumer) {
  Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 64, 16);
  const Dataset dataset = pack.open();
  DeviceLoaderOptions options = small_options(training());
  options.prefetch = 16;
  options.loader.slots = 8;
  DeviceLoader loader = open_device(dataset, options);
  Keeper keeper(machine);
  machine.keep_busy(stream.handle(), 20 * kBusyMilliseconds);
  for (unsigned step = 0; step < 48; ++step) {
    const DeviceBatch batch = next_batch(loader, stream.handle());
    if (step % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    keeper.keep(batch, stream.handle());
    machine.keep_busy(stream.handle(), kBusyMilliseconds);
  }
  machine.synchronize(stream.handle());
  Loader host = host_of(dataset);
  keeper.check_against(host, "a consumer held up");
}

GPU_CASE(streams_next_into) {
  Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  const Dataset dataset = pack.open();
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
    DeviceLoader loader = open_device(dataset, small_options(training(), residency));
    Loader host = host_of(dataset);
    const device::DeviceMemory image = machine.memory(loader.image_batch_bytes()), label = machine.memory(loader.label_batch_bytes());
    const StreamHandle handle = stream.handle();
    for (unsigned step = 0; step < 10; ++step) {
      const bool skip_image = step % 3 == 1, skip_label = step % 3 == 2;
      const DeviceBuffers buffers{skip_image ? nullptr : pointer(image.address()), image.size(),
                                  skip_label ? nullptr : pointer(label.address()), label.size()};
      machine.keep_busy(handle, kBusyMilliseconds);
      const auto info = require(loader.next_into({&buffers, 1}, {&handle, 1}));
      const auto expected = require(host.next());
      check(info.has_value() && expected.has_value(), "a batch comes");
      check_equal(info->step, expected->step(), "step");
      check((info->parts[0].image.data == nullptr) == skip_image, "a skipped image has no data");
      check((info->parts[0].label.data == nullptr) == skip_label, "a skipped label has no data");
      for (const bool labels : {false, true}) {
        if (labels ? skip_label : skip_image) continue;
        const auto bytes = labels ? expected->label().bytes : expected->image().bytes;
        const auto found = machine.download(labels ? pointer(label.address()) : pointer(image.address()), bytes.size(), handle);
        check(std::equal(found.begin(), found.end(), bytes.begin()), std::string(labels ? "label" : "image") + " of the caller's memory");
      }
    }
  }
}

// Leases of which the program keeps too many are an error at once.
GPU_CASE(streams_all_outputs_leased) {
  Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  DeviceLoaderOptions options = small_options(training());
  options.outputs = 2;
  DeviceLoader loader = open_device(pack.open(), options);
  const DeviceBatch first = next_batch(loader, stream.handle());
  DeviceBatch second = next_batch(loader, stream.handle());
  const auto began = std::chrono::steady_clock::now();
  const Error refused = require_error(loader.next(stream.handle()), ErrorCode::usage);
  check(std::chrono::steady_clock::now() - began < std::chrono::seconds(1), "the error comes at once");
  check(!refused.message.empty(), "the error has a text");
  second.release();
  check_equal(next_batch(loader, stream.handle()).step(), std::uint64_t{2}, "nothing is lost: step");
}

// A thread without a context has none afterwards; one with another context keeps it.
GPU_CASE(streams_current_context) {
  Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(training_form(), 40, 16);
  const Dataset dataset = pack.open();
  device::ContextHandle before = nullptr, after = machine.context()->handle(), here = nullptr;
  std::string problem;
  std::thread([&] {
    machine.api().CtxGetCurrent(&before);
    try {
      DeviceLoader loader = open_device(dataset, small_options(training()));
      for (unsigned step = 0; step < 5; ++step) static_cast<void>(next_batch(loader, stream.handle()));
      loader.close();
    } catch (const std::exception& failed) {
      problem = failed.what();
    }
    machine.api().CtxGetCurrent(&after);
  }).join();
  check(problem.empty(), problem);
  check(before == nullptr && after == nullptr, "a thread without a context has none afterwards");
  machine.api().CtxGetCurrent(&here);
  check(here == machine.context()->handle(), "this thread's context is the same");
}

// A stream under capture is refused, the capture stays good, and nothing is lost.
GPU_CASE(streams_capture_refused) {
  Machine machine;
  using Begin = int (*)(StreamHandle, int);
  using End = int (*)(StreamHandle, void**);
  using Destroy = int (*)(void*);
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto begin = reinterpret_cast<Begin>(library != nullptr ? dlsym(library, "cuStreamBeginCapture_v2") : nullptr);
  const auto end = reinterpret_cast<End>(library != nullptr ? dlsym(library, "cuStreamEndCapture") : nullptr);
  const auto destroy = reinterpret_cast<Destroy>(library != nullptr ? dlsym(library, "cuGraphDestroy") : nullptr);
  if (begin == nullptr || end == nullptr || destroy == nullptr) throw Skip("this driver cannot capture streams");
  const TinyPack pack(training_form(), 40, 16);
  const Dataset dataset = pack.open();
  DeviceLoader loader = open_device(dataset, small_options(training()));
  const UserStream stream(machine, false);
  constexpr int kRelaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
  machine.ok("cuStreamBeginCapture", begin(stream.handle(), kRelaxed));
  const auto refused = loader.next(stream.handle());
  void* graph = nullptr;
  machine.ok("cuStreamEndCapture", end(stream.handle(), &graph));
  if (graph != nullptr) destroy(graph);
  check(!refused.ok() && refused.error().code == ErrorCode::usage, "a stream under capture is refused");
  check_equal(next_batch(loader, stream.handle()).step(), std::uint64_t{0}, "nothing is lost: step");
}

// Two devices of a process share a batch as ranks do.
GPU_CASE(streams_two_devices) {
  Machine first(0);
  if (require(cuda_info()).devices.size() < 2) throw Skip("there is one device only");
  const Machine second(1);
  const UserStream other(second, false);
  const device::CurrentContext current(*first.context());
  const UserStream own(first, false);
  const TinyPack pack(training_form(), 40, 16);
  const Dataset dataset = pack.open();
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
    DeviceLoaderOptions options = small_options(training(), residency);
    options.loader.global_batch = 7;
    options.devices = {0, 1};
    DeviceLoader loader = open_device(dataset, options);
    const std::vector<StreamHandle> streams{own.handle(), other.handle()};
    std::vector<Loader> hosts;
    for (const std::uint64_t rank : {0U, 1U}) {
      LoaderOptions host = options.loader;
      host.rank = rank;
      host.world = 2;
      hosts.push_back(test::open_loader(dataset, host));
    }
    for (unsigned step = 0; step < 5; ++step) {
      const auto batch = require(loader.next(streams));
      check(batch.has_value(), "a batch comes");
      for (std::size_t part = 0; part < 2; ++part) {
        const auto expected = require(hosts[part].next());
        const Machine& machine = part == 0 ? first : second;
        const device::CurrentContext mine(*machine.context());
        const auto image = machine.download(batch->image(part), streams[part]), label = machine.download(batch->label(part), streams[part]);
        const std::string what = "device " + std::to_string(part) + ", step " + std::to_string(step);
        check(std::equal(image.begin(), image.end(), expected->image().bytes.begin(), expected->image().bytes.end()), what + ": image");
        check(std::equal(label.begin(), label.end(), expected->label().bytes.begin(), expected->label().bytes.end()), what + ": label");
      }
    }
  }
}

}  // namespace hotpack::gpu
