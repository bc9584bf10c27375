#include "gpu/machine.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "bench/device_report.hpp"

namespace hotpack::gpu {

using device::Context;
using device::Driver;

namespace {

bool stand_in_allowed() {
  const char* value = std::getenv("HOTPACK_GPU_CHECK_FAKE");
  return value != nullptr && std::strcmp(value, "1") == 0;
}

constexpr std::uint64_t kBusyBytes = std::uint64_t{64} << 20;

}  // namespace

std::optional<std::string> no_device() {
  const auto info = cuda_info();
  if (!info.ok()) return info.error().describe();
  if (info->devices.empty()) return "the driver has no device";
  if (device::embedded_kernels().empty()) return "hotpack was built without CUDA kernels (" + device::embedded_kernels_text() + ")";
  if (stand_in() && !stand_in_allowed()) return "device 0 is no GPU but a stand-in: " + info->devices.front().name;
  return std::nullopt;
}

bool stand_in() {
  const auto info = cuda_info();
  return info.ok() && !info->devices.empty() && !bench::is_real_device(info->devices.front().name);
}

Machine::Machine(int ordinal) {
  if (const auto reason = no_device()) throw Skip(*reason);
  context_ = require(Context::retain(require(Driver::load()), ordinal));
  current_ = std::make_shared<device::CurrentContext>(*context_);
  require(current_->status());
}

std::shared_ptr<const device::KernelModules> Machine::kernels() const {
  return require(device::KernelModules::load(context_, device::embedded_kernels()));
}

std::uint64_t Machine::free_bytes() const { return require(context_->memory()).free; }

void Machine::synchronize(StreamHandle stream) const { ok("cuStreamSynchronize", api().StreamSynchronize(stream)); }

std::vector<std::byte> Machine::download(const void* memory, std::size_t bytes, StreamHandle stream) const {
  std::vector<std::byte> copy(bytes);
  if (bytes != 0) ok("cuMemcpyDtoHAsync", api().MemcpyDtoHAsync(copy.data(), address(memory), bytes, stream));
  synchronize(stream);
  return copy;
}

std::vector<std::byte> Machine::download(const DeviceField& field, StreamHandle stream) const {
  return download(field.data, field.data == nullptr ? 0 : field.bytes, stream);
}

device::DeviceMemory Machine::memory(std::uint64_t bytes) const { return require(device::DeviceMemory::take(context_, bytes)); }

device::DeviceMemory Machine::upload(const std::vector<std::byte>& bytes) const {
  device::DeviceMemory made = memory(bytes.size());
  if (!bytes.empty()) ok("cuMemcpyHtoDAsync", api().MemcpyHtoDAsync(made.address(), bytes.data(), bytes.size(), nullptr));
  synchronize(nullptr);
  return made;
}

void Machine::keep_busy(StreamHandle stream, double milliseconds) {
  if (!scratch_) scratch_ = std::make_shared<device::DeviceMemory>(memory(2 * kBusyBytes));
  if (stand_in()) milliseconds = 0;  // its copies take the host's time
  // 128 MiB read and written take 0.04 ms on a quick device, 0.5 ms on a slow one.
  for (int copy = 0; copy <= static_cast<int>(milliseconds / 0.04); ++copy)
    ok("cuMemcpyDtoDAsync", api().MemcpyDtoDAsync(scratch_->address() + kBusyBytes, scratch_->address(), kBusyBytes, stream));
}

void Machine::hold_up(StreamHandle stream, std::chrono::milliseconds time) const {
  using LaunchHostFunction = int (*)(StreamHandle, void (*)(void*), void*);
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto launch = reinterpret_cast<LaunchHostFunction>(library != nullptr ? dlsym(library, "cuLaunchHostFunc") : nullptr);
  if (stand_in() || launch == nullptr) return;
  const auto sleep = [](void* milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(reinterpret_cast<std::intptr_t>(milliseconds)));
  };
  ok("cuLaunchHostFunc", launch(stream, sleep, reinterpret_cast<void*>(static_cast<std::intptr_t>(time.count()))));
}

UserStream::UserStream(const Machine& machine, bool blocking) : machine_(machine) {
  machine_.ok("cuStreamCreate", machine_.api().StreamCreate(&handle_, blocking ? 0 : device::kStreamNonBlocking));
}

UserStream::~UserStream() {
  machine_.api().StreamSynchronize(handle_);
  machine_.api().StreamDestroy(handle_);
}

}  // namespace hotpack::gpu
