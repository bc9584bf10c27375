// Outputs of more than 2^31 elements.

#include <algorithm>
#include <string>

#include "gpu/bench_pack.hpp"
#include "gpu/compare.hpp"
#include "support/temp_folder.hpp"

namespace hotpack::gpu {

GPU_CASE(large_output) {
  const Machine machine;
  constexpr std::uint64_t kNeeded = std::uint64_t{9} << 30;
  constexpr std::uint64_t kRows = 12;  // × 1024 × 1024 × 200 classes: 2.5 · 10^9 elements
  if (stand_in()) throw Skip("a stand-in has no such memory");
  if (machine.free_bytes() < kNeeded) throw Skip("less than 9 GiB of the device are free");
  const TempFolder folder;
  write_bench_pack(folder.path(), {.records = kRows, .width = 1024, .height = 1024, .classes = 200, .per_shard = kRows});
  const Dataset dataset = require(Dataset::open(folder.path()));
  const UserStream stream(machine, false);
  DeviceLoaderOptions options;
  options.loader.label.form = LabelForm::one_hot;
  options.loader.global_batch = kRows;
  options.outputs = 1;
  for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
    options.loader.label.order = order;
    DeviceLoader loader = open_device(dataset, options);
    LoaderOptions row_by_row = options.loader;
    row_by_row.global_batch = 1;
    Loader host = test::open_loader(dataset, row_by_row);
    const DeviceBatch batch = next_batch(loader, stream.handle());
    check(batch.label().bytes > (std::uint64_t{1} << 31), "the output is large");
    const std::uint64_t row_bytes = batch.label().bytes / kRows;
    for (std::uint64_t row = 0; row < kRows; ++row) {
      const Batch expected = test::next_batch(host);
      const auto* first = static_cast<const std::byte*>(batch.label().data) + row * row_bytes;
      const auto found = machine.download(first, row_bytes, stream.handle());
      check(std::equal(found.begin(), found.end(), expected.label().bytes.begin(), expected.label().bytes.end()),
            "label of row " + std::to_string(row));
    }
  }
}

}  // namespace hotpack::gpu
