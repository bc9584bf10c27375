// Measures the steady rate of a DeviceLoader.
//
// Ownership: owns its loader. Thread-safety: none. Failure: as DeviceLoader's functions.
#pragma once

#include <cstdint>

#include "bench/measure.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::bench {

class DeviceBatches {
 public:
  // Opens a loader that delivers epoch after epoch. If an epoch has more than `steps` steps, the
  // loader repeats the first `steps` steps of the first epoch instead.
  [[nodiscard]] static Result<DeviceBatches> open(const Dataset& dataset,
                                                  const DeviceLoaderOptions& options,
                                                  std::uint64_t steps = UINT64_MAX);

  // Takes batches for about `seconds`, at least one. Work.bytes counts the bytes of the tensors.
  // The host's clock is exact enough although the device works later: when the measurement begins
  // and when it ends, the loader is the same number of batches ahead of the device.
  [[nodiscard]] Result<Work> take(double seconds);

 private:
  DeviceBatches(DeviceLoader loader, unsigned ahead, std::uint64_t steps)
      : loader_(std::move(loader)), ahead_(ahead), steps_(steps) {}
  // Returns the next batch on the default stream, also if an epoch ends before it.
  [[nodiscard]] Result<DeviceBatch> next();

  DeviceLoader loader_;
  unsigned ahead_;       // batches that may be ready before they are asked for
  std::uint64_t steps_;  // of an epoch that are used
  std::uint64_t taken_ = 0;
};

}  // namespace hotpack::bench
