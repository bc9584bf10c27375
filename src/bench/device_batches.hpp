// The steady rate of a DeviceLoader.
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
  // Goes through epochs; of each only the first `steps` where that is less than all.
  [[nodiscard]] static Result<DeviceBatches> open(const Dataset& dataset,
                                                  const DeviceLoaderOptions& options,
                                                  std::uint64_t steps = UINT64_MAX);

  // Batches of about `seconds`, at least one; bytes are those of the tensors. The clock of the host
  // suffices: a loader stays a fixed number of batches ahead of its device, at the beginning as at
  // the end.
  [[nodiscard]] Result<Work> take(double seconds);

 private:
  DeviceBatches(DeviceLoader loader, unsigned ahead, std::uint64_t steps)
      : loader_(std::move(loader)), ahead_(ahead), steps_(steps) {}
  // Over the ends of epochs, on the default stream.
  [[nodiscard]] Result<DeviceBatch> next();

  DeviceLoader loader_;
  unsigned ahead_;       // batches that may be ready before they are asked for
  std::uint64_t steps_;  // of an epoch to go through
  std::uint64_t taken_ = 0;
};

}  // namespace hotpack::bench
