#include "gpu/gpu.hpp"

#include <algorithm>

namespace hotpack::gpu {

namespace {

void check_field(const Machine& machine, const DeviceField& found, const BatchField& expected,
                 std::size_t rows, Stream stream, const std::string& what) {
  check(found.shape == expected.shape, what + ": shape");
  check(found.dtype == expected.dtype, what + ": element type");
  check(found.bytes == expected.bytes.size(), what + ": bytes");
  const auto bytes = machine.download(found.data, found.bytes, stream);
  const auto differs = std::mismatch(bytes.begin(), bytes.end(), expected.bytes.begin()).first;
  if (differs == bytes.end()) return;
  const auto at = static_cast<std::size_t>(differs - bytes.begin());
  const std::size_t row_bytes = bytes.size() / rows;
  throw Failure(what + ": row " + std::to_string(at / row_bytes) + " differs from byte " +
                std::to_string(at % row_bytes) + " of " + std::to_string(row_bytes));
}

}  // namespace

Copy copy_on(Stream stream, const DeviceBatchInfo& batch) {
  Copy copy{batch, Memory(batch.image.bytes), Memory(batch.label.bytes)};
  for (auto [field, memory] :
       {std::pair{&copy.info.image, &copy.image}, std::pair{&copy.info.label, &copy.label}}) {
    if (field->bytes != 0) CU(MemcpyDtoDAsync, memory->data(), field->data, field->bytes, stream);
    field->data = memory->data();
  }
  return copy;
}

void check_same(const Machine& machine, const DeviceBatchInfo& found, const Batch& expected,
                Stream stream, const std::string& what) {
  const std::string where = what + ", epoch " + std::to_string(expected.epoch()) + " step " +
                            std::to_string(expected.step());
  check(found.epoch == expected.epoch() && found.step == expected.step(), where + ": position");
  check(found.batch_size == expected.batch_size(), where + ": rows");
  check(found.num_valid == expected.num_valid(), where + ": valid rows");
  check(std::ranges::equal(found.indices, expected.indices()), where + ": samples");
  check(std::ranges::equal(found.crops, expected.crops()), where + ": crops");
  for (std::size_t row = 0; row < expected.batch_size(); ++row)
    check(found.keys.at(row) == expected.key(row), where + ": key of row " + std::to_string(row));
  check_field(machine, found.image, expected.image(), expected.batch_size(), stream,
              where + ": image");
  check_field(machine, found.label, expected.label(), expected.batch_size(), stream,
              where + ": label");
}

DeviceBatch next_batch(DeviceLoader& loader, Stream stream) {
  for (;;)
    if (auto batch = require(loader.next(stream, kLongest))) return std::move(*batch);
}

Batch next_batch(Loader& loader) {
  for (;;)
    if (auto batch = require(loader.next(kLongest))) return std::move(*batch);
}

Training::Training(std::size_t records, Extent size)
    : pack({.classes = 12, .size = size}, records, 16), dataset(pack.open()) {}

DeviceLoaderOptions Training::options(Residency residency) {
  DeviceLoaderOptions options;
  options.residency = residency;
  options.loader.global_batch_size = 4;
  options.loader.seed = 3;
  options.loader.threads = 1;
  options.loader.image = {ElementType::f16, AxisOrder::channels_first, {}, {}};
  options.loader.label.form = LabelForm::one_hot;
  options.loader.label.dtype = ElementType::f16;
  return options;
}

DeviceLoader Training::open(Residency residency) const {
  return require(DeviceLoader::open(dataset, options(residency)));
}

Loader Training::open_host() const { return require(Loader::open(dataset, options().loader)); }

void compare_with_host(const Machine& machine, const Dataset& dataset,
                       const DeviceLoaderOptions& options, const std::string& what, Stream stream,
                       unsigned steps) {
  auto host = Loader::open(dataset, options.loader);
  auto device = DeviceLoader::open(dataset, options);
  if (!host.ok()) {
    check(!device.ok(), what + ": only the host refuses: " + host.error().message);
    check(device.error().code == host.error().code, what + ": code of the refusal");
    return;
  }
  if (!device.ok()) throw Failure(what + ": " + device.error().describe());
  const Buffers buffers(*device);
  for (unsigned step = 0; step < steps; ++step) {
    const auto expected = require(host->next(kLongest));
    std::optional<DeviceBatch> batch;
    std::optional<DeviceBatchInfo> info;
    if (step % 4 < 2) {
      batch = require(device->next(stream, kLongest));
      if (batch) info = batch->info();
    } else {
      info = require(device->next_into(buffers.all(), stream, kLongest));
    }
    check(info.has_value() == expected.has_value(), what + ": end of the epoch");
    if (info) check_same(machine, *info, *expected, stream, what);
    check(host->state() == device->state(), what + ": state");
    if (step == steps / 2) {
      const LoaderState state = host->state();
      require(host->restore(device->state()));
      require(device->restore(state));
    }
  }
}

}  // namespace hotpack::gpu
