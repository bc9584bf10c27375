#include "gpu/gpu.hpp"

#include <dlfcn.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "bench/device_stage.hpp"

namespace hotpack::gpu {

namespace {

constexpr std::size_t kBusyBytes = std::size_t{64} << 20;

// Finds a function in the form of this CUDA version. The stand-in has some as symbols only.
void* find(const std::string& name, int version) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return nullptr;
  using Find = int (*)(const char*, void**, int, std::uint64_t, int*);
  static const auto address = reinterpret_cast<Find>(dlsym(library, "cuGetProcAddress_v2"));
  void* found = nullptr;
  if (address != nullptr && address(name.c_str(), &found, version, 0, nullptr) == 0 && found)
    return found;
  void* const second = dlsym(library, (name + "_v2").c_str());
  return second != nullptr ? second : dlsym(library, name.c_str());
}

}  // namespace

const Calls& calls() {
  static const Calls table = [] {
    Calls made;
#define HOTPACK_PROGRAM_FIND(name, version, parameters) \
  made.name = reinterpret_cast<int(*) parameters>(find("cu" #name, version));
    HOTPACK_PROGRAM_CALLS(HOTPACK_PROGRAM_FIND)
#undef HOTPACK_PROGRAM_FIND
    return made;
  }();
  return table;
}

std::optional<std::string> no_device() {
  const auto info = cuda_info();
  if (!info.ok()) return info.error().describe();
  if (info->devices.empty()) return "the driver has no device";
  if (info->kernels.starts_with("none"))
    return "hotpack was built without kernels: " + info->kernels;
  const char* const allowed = std::getenv("HOTPACK_GPU_CHECK_FAKE");
  if (stand_in() && (allowed == nullptr || std::strcmp(allowed, "1") != 0))
    return "device 0 is no GPU but a stand-in: " + info->devices.front().name;
  return std::nullopt;
}

bool stand_in() {
  static const auto info = cuda_info();
  return info.ok() && !info->devices.empty() && !bench::is_real_device(info->devices.front().name);
}

Machine::Machine(int ordinal) : ordinal_(ordinal) {
  if (const auto reason = no_device()) throw Skip(*reason);
  if (require(cuda_info()).devices.size() <= static_cast<std::size_t>(ordinal))
    throw Skip("there is no device " + std::to_string(ordinal));
  CU(DevicePrimaryCtxRetain, &context_, ordinal);
  CU(CtxPushCurrent, context_);
}

Machine::~Machine() {
  scratch_.reset();
  Handle popped = nullptr;
  calls().CtxPopCurrent(&popped);
  calls().DevicePrimaryCtxRelease(ordinal_);
}

Machine::Bytes Machine::bytes() {
  Bytes bytes;
  CU(MemGetInfo, &bytes.free, &bytes.total);
  return bytes;
}

std::vector<std::byte> Machine::download(const void* memory, std::size_t bytes,
                                         Stream stream) const {
  std::vector<std::byte> copy(bytes);
  if (bytes != 0) CU(MemcpyDtoHAsync, copy.data(), memory, bytes, stream);
  CU(StreamSynchronize, stream);
  return copy;
}

void Machine::keep_busy(Stream stream, double milliseconds) {
  if (stand_in()) return;  // its copies take the host's time, and its schedule delays streams
  if (!scratch_) scratch_.emplace(2 * kBusyBytes);
  auto* const to = static_cast<std::byte*>(scratch_->data()) + kBusyBytes;
  // 128 MiB read and written take 0.04 ms on a quick device, 0.5 ms on a slow one.
  for (int copy = 0; copy <= static_cast<int>(milliseconds / 0.04); ++copy)
    CU(MemcpyDtoDAsync, to, scratch_->data(), kBusyBytes, stream);
}

struct Hold::State {
  std::chrono::milliseconds at_most;
  std::mutex mutex = {};
  std::condition_variable changed = {};
  bool let_go = false;
  bool over = false;
};

Hold::Hold(Stream stream, std::chrono::milliseconds at_most)
    : state_(std::make_shared<State>(at_most)) {
  auto shared = std::make_unique<std::shared_ptr<State>>(state_);
  const auto wait = [](void* kept) {
    const std::unique_ptr<std::shared_ptr<State>> own(static_cast<std::shared_ptr<State>*>(kept));
    State& hold = **own;
    std::unique_lock lock(hold.mutex);
    hold.changed.wait_for(lock, hold.at_most, [&] { return hold.let_go; });
    hold.over = true;
  };
  CU(LaunchHostFunc, stream, +wait, shared.get());
  static_cast<void>(shared.release());
}

bool Hold::over() const {
  const std::lock_guard lock(state_->mutex);
  return state_->over;
}

void Hold::let_go() {
  const std::lock_guard lock(state_->mutex);
  state_->let_go = true;
  state_->changed.notify_all();
}

}  // namespace hotpack::gpu
