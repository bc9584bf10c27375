#include "gpu/machine.hpp"

#include <dlfcn.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "bench/device_stage.hpp"

namespace hotpack::gpu {

using device::Context;
using device::Driver;

namespace {

bool stand_in_allowed() {
  const char* value = std::getenv("HOTPACK_GPU_CHECK_FAKE");
  return value != nullptr && std::strcmp(value, "1") == 0;
}

constexpr std::uint64_t kBusyBytes = std::uint64_t{64} << 20;

std::shared_ptr<const Context> context_of(int ordinal) {
  if (const auto reason = no_device()) throw Skip(*reason);
  return require(Context::retain(require(Driver::load()), ordinal));
}

}  // namespace

std::optional<std::string> no_device() {
  const auto info = cuda_info();
  if (!info.ok()) return info.error().describe();
  if (info->devices.empty()) return "the driver has no device";
  if (device::embedded_kernels().empty())
    return "hotpack was built without CUDA kernels (" + device::embedded_kernels_text() + ")";
  if (stand_in() && !stand_in_allowed())
    return "device 0 is no GPU but a stand-in: " + info->devices.front().name;
  return std::nullopt;
}

bool stand_in() {
  const auto info = cuda_info();
  return info.ok() && !info->devices.empty() && !bench::is_real_device(info->devices.front().name);
}

MadeCurrent::MadeCurrent(std::shared_ptr<const Context> context) : context_(std::move(context)) {
  require(context_->driver().check("cuCtxPushCurrent",
                                   context_->api().CtxPushCurrent(context_->handle())));
}

MadeCurrent::~MadeCurrent() {
  device::ContextHandle popped = nullptr;
  static_cast<void>(context_->api().CtxPopCurrent(&popped));
}

Machine::Machine(int ordinal) : context_(context_of(ordinal)), current_(context_) {}

std::shared_ptr<const device::KernelModules> Machine::kernels() const {
  return require(device::KernelModules::load(context_, device::embedded_kernels()));
}

std::uint64_t Machine::free_bytes() const { return require(context_->memory()).free; }

void Machine::synchronize(StreamHandle stream) const {
  ok("cuStreamSynchronize", api().StreamSynchronize(stream));
}

std::vector<std::byte> Machine::download(const void* memory, std::size_t bytes,
                                         StreamHandle stream) const {
  std::vector<std::byte> copy(bytes);
  if (bytes != 0)
    ok("cuMemcpyDtoHAsync", api().MemcpyDtoHAsync(copy.data(), address(memory), bytes, stream));
  synchronize(stream);
  return copy;
}

std::vector<std::byte> Machine::download(const DeviceField& field, StreamHandle stream) const {
  return download(field.data, field.data == nullptr ? 0 : field.bytes, stream);
}

device::DeviceMemory Machine::memory(std::uint64_t bytes) const {
  return require(device::DeviceMemory::take(context_, bytes));
}

device::DeviceMemory Machine::upload(const std::vector<std::byte>& bytes) const {
  device::DeviceMemory made = memory(bytes.size());
  if (!bytes.empty())
    ok("cuMemcpyHtoDAsync",
       api().MemcpyHtoDAsync(made.address(), bytes.data(), bytes.size(), nullptr));
  synchronize(nullptr);
  return made;
}

void Machine::keep_busy(StreamHandle stream, double milliseconds) {
  if (stand_in())
    return;  // its copies take the host's time, and its schedule delays streams instead
  if (scratch_.size() == 0) scratch_ = memory(2 * kBusyBytes);
  // 128 MiB read and written take 0.04 ms on a quick device, 0.5 ms on a slow one.
  for (int copy = 0; copy <= static_cast<int>(milliseconds / 0.04); ++copy)
    ok("cuMemcpyDtoDAsync", api().MemcpyDtoDAsync(scratch_.address() + kBusyBytes,
                                                  scratch_.address(), kBusyBytes, stream));
}

struct Hold::State {
  explicit State(std::chrono::milliseconds time) : at_most(time) {}
  const std::chrono::milliseconds at_most;
  std::mutex mutex;
  std::condition_variable changed;
  bool let_go = false;
  bool over = false;
};

void Hold::wait(void* state) {
  const std::unique_ptr<const std::shared_ptr<State>> own(
      static_cast<const std::shared_ptr<State>*>(state));
  State& hold = **own;
  std::unique_lock lock(hold.mutex);
  hold.changed.wait_for(lock, hold.at_most, [&] { return hold.let_go; });
  hold.over = true;
}

Hold::Hold(const Machine& machine, StreamHandle stream, std::chrono::milliseconds at_most) {
  using LaunchHostFunction = int (*)(StreamHandle, void (*)(void*), void*);
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto launch = reinterpret_cast<LaunchHostFunction>(
      library != nullptr ? dlsym(library, "cuLaunchHostFunc") : nullptr);
  if (launch == nullptr) return;
  state_ = std::make_shared<State>(at_most);
  auto shared = std::make_unique<std::shared_ptr<State>>(state_);
  machine.ok("cuLaunchHostFunc", launch(stream, &Hold::wait, shared.get()));
  static_cast<void>(shared.release());
}

bool Hold::over() const {
  if (state_ == nullptr) return false;
  const std::lock_guard lock(state_->mutex);
  return state_->over;
}

void Hold::let_go() {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->let_go = true;
  state_->changed.notify_all();
}

UserStream::UserStream(const Machine& machine, bool blocking) : machine_(machine) {
  machine_.ok("cuStreamCreate",
              machine_.api().StreamCreate(&handle_, blocking ? 0 : device::kStreamNonBlocking));
}

UserStream::~UserStream() {
  machine_.api().StreamSynchronize(handle_);
  machine_.api().StreamDestroy(handle_);
}

}  // namespace hotpack::gpu
