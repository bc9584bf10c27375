#include "device/cuda_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/try.hpp"
#include "device/handles.hpp"

namespace hotpack {
namespace device {
namespace {

constexpr std::uint64_t kBusBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostMemoryBytes = std::uint64_t{256}
                                           << 20;  // more than the cache of a device
constexpr std::size_t kRounds = 5;
constexpr std::uint64_t kCopiesAtOnce = 8;  // several, so that waiting for their end matters little

class Copies {
 public:
  explicit Copies(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  ~Copies() {
    if (stream_.handle() != nullptr)
      static_cast<void>(stream_.synchronize());  // copies may still run after an error
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  Status take_memory() {
    HOTPACK_ASSIGN(const auto memory, context_->memory());
    memory_bytes_ = std::clamp<std::uint64_t>(memory.free / 8, 1 << 20, kMostMemoryBytes);
    HOTPACK_ASSIGN(stream_, Stream::create(context_));
    HOTPACK_ASSIGN(pinned_, PinnedMemory::take(context_, kBusBytes));
    HOTPACK_ASSIGN(from_, DeviceMemory::take(context_, std::max(kBusBytes, memory_bytes_)));
    HOTPACK_ASSIGN(to_, DeviceMemory::take(context_, memory_bytes_));
    std::memset(pinned_.data(), 0x55, kBusBytes);
    HOTPACK_TRY(HOTPACK_DRIVER(context_->driver(), MemsetD8Async, from_.address(), 0x55,
                               from_.size(), stream_.handle()));
    return stream_.synchronize();
  }

  Result<double> bus(double seconds) {
    return rate(seconds, kBusBytes, [this] {
      return HOTPACK_DRIVER(context_->driver(), MemcpyHtoDAsync, from_.address(), pinned_.data(),
                            kBusBytes, stream_.handle());
    });
  }

  Result<double> memory(double seconds) {
    return rate(seconds, 2 * memory_bytes_, [this] {
      return HOTPACK_DRIVER(context_->driver(), MemcpyDtoDAsync, to_.address(), from_.address(),
                            memory_bytes_, stream_.handle());
    });
  }

 private:
  // Returns the bytes per second of copies that move `bytes` bytes each.
  template <class Copy>
  Result<double> rate(double seconds, std::uint64_t bytes, const Copy& copy) {
    const auto began = std::chrono::steady_clock::now();
    std::chrono::duration<double> spent{};
    std::uint64_t copied = 0;
    do {
      for (std::uint64_t number = 0; number < kCopiesAtOnce; ++number) HOTPACK_TRY(copy());
      HOTPACK_TRY(stream_.synchronize());
      copied += kCopiesAtOnce * bytes;
      spent = std::chrono::steady_clock::now() - began;
    } while (spent.count() < seconds);
    return static_cast<double>(copied) / std::max(spent.count(), 1e-9);
  }

  std::shared_ptr<const Context> context_;
  std::uint64_t memory_bytes_ = 0;
  PinnedMemory pinned_;
  DeviceMemory from_;
  DeviceMemory to_;
  Stream stream_;
};

double median(std::array<double, kRounds> rates) {
  std::sort(rates.begin(), rates.end());
  return rates[kRounds / 2];
}

}  // namespace

Result<CudaBandwidth> bandwidth_of(const std::shared_ptr<const Driver>& driver, int ordinal,
                                   double seconds) {
  HOTPACK_ASSIGN(const auto context, Context::retain(driver, ordinal));
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  Copies copies(context);
  HOTPACK_TRY(copies.take_memory());
  std::array<double, kRounds> bus{}, memory{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    HOTPACK_ASSIGN(bus[round], copies.bus(seconds / (2 * kRounds)));
    HOTPACK_ASSIGN(memory[round], copies.memory(seconds / (2 * kRounds)));
  }
  return CudaBandwidth{median(bus), median(memory)};
}

}  // namespace device

Result<CudaBandwidth> measure_cuda_bandwidth(int device, double seconds) {
  HOTPACK_ASSIGN(const auto driver, device::Driver::load());
  return device::bandwidth_of(driver, device, seconds);
}

}  // namespace hotpack
