// Errors are reported at their step and again later, and never delay close().

#include <chrono>
#include <filesystem>
#include <string>

#include "device/image_launch.hpp"
#include "gpu/compare.hpp"

namespace hotpack::gpu {

namespace {

using test::TinyForm;
using test::TinyPack;
using Clock = std::chrono::steady_clock;

DeviceLoaderOptions in_order(Residency residency = Residency::page) {
  return small_options(test::in_file_order(2), residency);
}

TinyForm larger_form() {
  TinyForm form;
  form.size = Extent{128, 96};
  return form;
}

std::string error_text(DeviceLoader& loader, StreamHandle stream, ErrorCode code) {
  return require_error(loader.next(stream), code).describe();
}

}  // namespace

GPU_CASE(failures_damaged_record) {
  const Machine machine;
  const UserStream stream(machine, false);
  for (const Residency residency : kPlaces) {
    const TinyPack pack(larger_form(), 12, 4);
    pack.damage_image(5);
    DeviceLoader loader = open_device(pack.open(), in_order(residency));
    for (std::uint64_t step = 0; step < 2; ++step)
      check_equal(next_batch(loader, stream.handle()).step(), step,
                  "steps before the damaged record come");
    const std::string text = error_text(loader, stream.handle(), ErrorCode::damaged);
    check(text.find("record 1 ") != std::string::npos &&
              text.find("shard-00001") != std::string::npos,
          "file and record are named: " + text);
    check_equal(error_text(loader, stream.handle(), ErrorCode::damaged), text,
                "the error comes again");
    require(loader.seek(0, 3));
    check_equal(next_batch(loader, stream.handle()).step(), std::uint64_t{3},
                "seek goes past it: step");
  }
}

GPU_CASE(failures_shrunk_file) {
  const Machine machine;
  const UserStream stream(machine, false);
  const TinyPack pack(larger_form(), 64, 64);
  DeviceLoaderOptions options = in_order();
  options.loader.prefetch_batches = 2;
  DeviceLoader loader = open_device(pack.open(), options);
  static_cast<void>(next_batch(loader, stream.handle()));
  std::filesystem::resize_file(pack.shard_path(0), 4096 * 8);
  std::string text;
  for (unsigned step = 0; step < 32 && text.empty(); ++step) {
    auto batch = loader.next(stream.handle());
    if (!batch.ok()) text = batch.error().describe();
  }
  check(text.find("record") != std::string::npos,
        "a file that shrinks is an error of its record: " + text);
  close_quickly(loader);
}

GPU_CASE(failures_budgets) {
  const Machine machine;
  const TinyPack pack(larger_form(), 12, 4);
  const Dataset dataset = pack.open();
  DeviceLoaderOptions options = in_order();
  options.pinned_budget_bytes = 1000;
  const Error pinned = require_error(DeviceLoader::open(dataset, options), ErrorCode::usage);
  check(pinned.message.find("1000") != std::string::npos ||
            pinned.message.find("1,000") != std::string::npos,
        "the budget is named: " + pinned.message);
  options = in_order(Residency::device);
  options.device_budget_bytes = 1000;
  static_cast<void>(require_error(DeviceLoader::open(dataset, options), ErrorCode::usage));
  options.residency = Residency::automatic;
  options.device_budget_bytes.reset();
  const DeviceLoader chosen = open_device(dataset, options);
  check(chosen.residency().residency == Residency::device,
        "a small set goes to the device: " + chosen.residency().reason);
}

GPU_CASE(failures_no_such_device) {
  const Machine machine;
  const TinyPack pack;
  DeviceLoaderOptions options = in_order();
  options.devices = {77};
  const Error refused = require_error(DeviceLoader::open(pack.open(), options), ErrorCode::usage);
  check(refused.message.find("77") != std::string::npos, "the device is named: " + refused.message);
}

// A kernel of the program reads memory that does not exist, so the context fails. close() does not
// wait for it.
GPU_CASE(failures_context_error) {
  const Machine machine;
  if (stand_in()) throw Skip("a stand-in cannot fail so");
  const TinyPack pack(larger_form(), 40, 16);
  StreamHandle stream = nullptr;
  machine.ok("cuStreamCreate", machine.api().StreamCreate(&stream, device::kStreamNonBlocking));
  DeviceLoader loader = open_device(pack.open(), in_order());
  static_cast<void>(next_batch(loader, stream));
  const auto launch = require(device::ImageLaunch::make(machine.context(), machine.kernels(), {}, 3,
                                                        AxisOrder::channels_last));
  const device::DeviceMemory out = machine.memory(1 << 20);
  static_cast<void>(launch.launch({0x100, 0x100, 4, {64, 48}}, out.address(), stream));
  check(machine.api().StreamSynchronize(stream) != device::code::kSuccess,
        "the context has failed");
  const auto began = Clock::now();
  std::string text;
  for (unsigned step = 0; step < 50 && text.empty(); ++step) {
    auto batch = loader.next(stream);
    if (!batch.ok()) text = batch.error().describe();
  }
  check(text.find("CUDA_ERROR") != std::string::npos, "the driver's error is reported: " + text);
  loader.close();
  check(Clock::now() - began < std::chrono::seconds(1),
        "error and close() take less than a second");
}

}  // namespace hotpack::gpu
