#include "bench/cuda_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "base/try.hpp"
#include "device/context.hpp"

namespace hotpack::bench {
namespace {

using namespace device;

constexpr std::uint64_t kBusBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostMemoryBytes = std::uint64_t{256} << 20;  // more than a cache has
constexpr std::size_t kRounds = 5;
constexpr std::uint64_t kCopiesAtOnce = 8;  // several, so that waiting for their end matters little

// Memory and a stream for copies. The context must be current.
struct Copies {
  explicit Copies(const Context& of) : context(of) {}
  ~Copies() {
    const DriverTable& api = context.api();
    if (stream != nullptr) static_cast<void>(api.StreamSynchronize(stream));  // after an error
    if (stream != nullptr) static_cast<void>(api.StreamDestroy(stream));
    if (pinned != nullptr) static_cast<void>(api.MemFreeHost(pinned));
    for (const Pointer memory : {from, to})
      if (memory != 0) static_cast<void>(api.MemFree(memory));
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  Status take() {
    const Driver& driver = context.driver();
    HOTPACK_ASSIGN(const auto memory, context.memory());
    bytes = std::clamp<std::uint64_t>(memory.first / 8, 1 << 20, kMostMemoryBytes);
    const std::uint64_t most = std::max(kBusBytes, bytes);
    HOTPACK_TRY(HOTPACK_DRIVER(driver, StreamCreate, &stream, kStreamNonBlocking));
    HOTPACK_TRY(HOTPACK_DRIVER(driver, MemHostAlloc, &pinned, kBusBytes, kHostAllocPortable));
    HOTPACK_TRY(HOTPACK_DRIVER(driver, MemAlloc, &from, most));
    HOTPACK_TRY(HOTPACK_DRIVER(driver, MemAlloc, &to, bytes));
    std::memset(pinned, 0x55, kBusBytes);
    HOTPACK_TRY(HOTPACK_DRIVER(driver, MemsetD8Async, from, 0x55, most, stream));
    return HOTPACK_DRIVER(driver, StreamSynchronize, stream);
  }

  Status copy(bool on_bus) const {
    if (on_bus)
      return HOTPACK_DRIVER(context.driver(), MemcpyHtoDAsync, from, pinned, kBusBytes, stream);
    return HOTPACK_DRIVER(context.driver(), MemcpyDtoDAsync, to, from, bytes, stream);
  }

  // Bytes per second; of copies within the device, bytes read and bytes written both count.
  Result<double> rate(double seconds, bool on_bus) const {
    const auto began = std::chrono::steady_clock::now();
    std::chrono::duration<double> spent{};
    std::uint64_t copied = 0;
    do {
      for (std::uint64_t number = 0; number < kCopiesAtOnce; ++number) HOTPACK_TRY(copy(on_bus));
      HOTPACK_TRY(HOTPACK_DRIVER(context.driver(), StreamSynchronize, stream));
      copied += kCopiesAtOnce * (on_bus ? kBusBytes : 2 * bytes);
      spent = std::chrono::steady_clock::now() - began;
    } while (spent.count() < seconds);
    return static_cast<double>(copied) / std::max(spent.count(), 1e-9);
  }

  const Context& context;
  StreamHandle stream = nullptr;
  void* pinned = nullptr;
  Pointer from = 0;
  Pointer to = 0;
  std::uint64_t bytes = 0;
};

double median(std::array<double, kRounds> rates) {
  std::sort(rates.begin(), rates.end());
  return rates[kRounds / 2];
}

}  // namespace

Result<CudaBandwidth> measure_cuda_bandwidth(const std::shared_ptr<const Driver>& driver,
                                             int ordinal, double seconds) {
  HOTPACK_ASSIGN(const auto context, Context::retain(driver, ordinal));
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  Copies copies(*context);
  HOTPACK_TRY(copies.take());
  std::array<double, kRounds> bus{}, memory{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    HOTPACK_ASSIGN(bus[round], copies.rate(seconds / (2 * kRounds), true));
    HOTPACK_ASSIGN(memory[round], copies.rate(seconds / (2 * kRounds), false));
  }
  return CudaBandwidth{median(bus), median(memory)};
}

}  // namespace hotpack::bench
