// Outputs of more than 2^31 elements, and rows of more than 2^32.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

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
  write_bench_pack(
      folder.path(),
      {.records = kRows, .width = 1024, .height = 1024, .classes = 200, .per_shard = kRows});
  const Dataset dataset = require(Dataset::open(folder.path()));
  const UserStream stream(machine, false);
  DeviceLoaderOptions options;
  options.loader.label.form = LabelForm::one_hot;
  options.loader.global_batch_size = kRows;
  options.outputs = 1;
  for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
    options.loader.label.layout = order;
    DeviceLoader loader = open_device(dataset, options);
    LoaderOptions row_by_row = options.loader;
    row_by_row.global_batch_size = 1;
    Loader host = test::open_loader(dataset, row_by_row);
    const DeviceBatch batch = next_batch(loader, stream.handle());
    check(batch.label().bytes > (std::uint64_t{1} << 31), "the output is large");
    const std::uint64_t row_bytes = batch.label().bytes / kRows;
    for (std::uint64_t row = 0; row < kRows; ++row) {
      const Batch expected = test::next_batch(host);
      const auto* first = static_cast<const std::byte*>(batch.label().data) + row * row_bytes;
      const auto found = machine.download(first, row_bytes, stream.handle());
      check(std::equal(found.begin(), found.end(), expected.label().bytes.begin(),
                       expected.label().bytes.end()),
            "label of row " + std::to_string(row));
    }
  }
}

namespace {

constexpr std::uint64_t kSide = 8192, kPixels = kSide * kSide,
                        kClasses = 80;  // 5.4 · 10^9 elements per row

// Returns one-hot elements of the output from `first` on, computed in the simplest way.
std::vector<std::byte> expected_span(std::span<const std::byte> ids, AxisOrder order,
                                     std::uint64_t first, std::size_t count) {
  std::vector<std::byte> elements(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t at = first + i;
    const bool last = order == AxisOrder::channels_last;
    const std::uint64_t pixel = last ? at / kClasses : at % kPixels,
                        class_id = last ? at % kClasses : at / kPixels;
    elements[i] = std::byte{static_cast<std::uint64_t>(ids[pixel]) == class_id};
  }
  return elements;
}

// Returns where spans begin: at both ends, on both sides of 2^31 and 2^32, and everywhere between.
std::vector<std::uint64_t> span_starts(std::uint64_t elements, std::uint64_t span) {
  std::vector<std::uint64_t> starts{0, elements - span};
  for (const unsigned bits : {31U, 32U})
    for (const std::uint64_t back : {span, span / 2, std::uint64_t{0}})
      starts.push_back((std::uint64_t{1} << bits) - back);
  for (std::uint64_t part = 1; part < 32; ++part)
    starts.push_back(elements / 32 * part + part * 61);
  return starts;
}

}  // namespace

GPU_CASE(large_row) {
  const Machine machine;
  constexpr std::uint64_t kNeeded = std::uint64_t{14} << 30;
  if (stand_in()) throw Skip("a stand-in has no such memory");
  if (machine.free_bytes() < kNeeded) throw Skip("less than 14 GiB of the device are free");
  const TempFolder folder;
  write_bench_pack(
      folder.path(),
      {.records = 1, .width = kSide, .height = kSide, .classes = kClasses, .per_shard = 1});
  const Dataset dataset = require(Dataset::open(folder.path()));
  const UserStream stream(machine, false);
  DeviceLoaderOptions options;
  options.loader.global_batch_size = 1;
  options.loader.prefetch_batches = 2;
  options.outputs = 1;
  Loader host = test::open_loader(dataset, options.loader);  // ids
  const Batch expected = test::next_batch(host);
  options.loader.label.form = LabelForm::one_hot;
  for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
    options.loader.label.layout = order;
    DeviceLoader loader = open_device(dataset, options);
    const DeviceBatch batch = next_batch(loader, stream.handle());
    constexpr std::uint64_t kElements = kPixels * kClasses;
    check_equal(batch.label().bytes, kElements, "bytes of the label");
    constexpr std::size_t kSpan = 1 << 20;
    for (const std::uint64_t first : span_starts(kElements, kSpan)) {
      const auto found = machine.download(static_cast<const std::byte*>(batch.label().data) + first,
                                          kSpan, stream.handle());
      check(found == expected_span(expected.label().bytes, order, first, kSpan),
            std::string(order == AxisOrder::channels_last ? "last" : "first") +
                ": label from element " + std::to_string(first));
    }
  }
}

}  // namespace hotpack::gpu
