#include "bench/device_batches.hpp"

#include <optional>
#include <utility>

#include "base/try.hpp"

namespace hotpack::bench {

Result<DeviceBatches> DeviceBatches::open(const Dataset& dataset,
                                          const DeviceLoaderOptions& options, std::uint64_t steps) {
  HOTPACK_ASSIGN(DeviceLoader loader, DeviceLoader::open(dataset, options));
  const std::uint64_t all = loader.steps_per_epoch();
  const unsigned ahead = 2 * options.loader.prefetch_batches;
  return DeviceBatches(std::move(loader), ahead, steps < all ? steps : UINT64_MAX);
}

Result<DeviceBatch> DeviceBatches::next() {
  if (taken_ == steps_) {
    HOTPACK_TRY(loader_.seek(0, 0));
    taken_ = 0;
  }
  std::optional<DeviceBatch> batch;
  while (!batch) {  // empty at the end of an epoch
    HOTPACK_ASSIGN(batch, loader_.next(nullptr));
  }
  ++taken_;
  return std::move(*batch);
}

Result<Work> DeviceBatches::take(double seconds) {
  for (unsigned batch = 0; batch <= 2 * ahead_; ++batch)
    HOTPACK_TRY(next());  // all batches that were read ahead, and as many more
  Work work;
  const double began = now_seconds();
  do {
    HOTPACK_ASSIGN(const DeviceBatch batch, next());
    work.samples += batch.num_valid();
    work.bytes += batch.image().bytes + batch.label().bytes;
    work.seconds = now_seconds() - began;
  } while (work.seconds < seconds);
  return work;
}

}  // namespace hotpack::bench
