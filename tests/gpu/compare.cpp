#include "gpu/compare.hpp"

#include <chrono>

namespace hotpack::gpu {

using test::BatchCopy;
using test::Bytes;

namespace {

// The timeout of loaders: a batch that has not arrived by then never will. The loader's default
// limit is ten minutes, which is as long as a machine may be lent for.
constexpr std::chrono::seconds kLongest{30};

}  // namespace

DeviceLoaderOptions small_options(const LoaderOptions& loader, Residency residency) {
  DeviceLoaderOptions options;
  options.loader = loader;
  options.loader.threads = 1;
  options.residency = residency;
  return options;
}

namespace {

Bytes row_of(const Bytes& bytes, std::size_t rows, std::size_t row) {
  const std::size_t size = bytes.size() / rows;
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(row * size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace

BatchCopy copy_of(const Machine& machine, const DeviceBatch& batch, StreamHandle stream) {
  const DeviceBatchInfo& info = batch.info();
  BatchCopy copy{info.epoch,          info.step,           info.num_valid,
                 batch.image().shape, batch.label().shape, {}};
  const Bytes images = machine.download(batch.image(), stream),
              labels = machine.download(batch.label(), stream);
  for (std::size_t row = 0; row < info.batch_size; ++row)
    copy.rows.push_back({info.indices[row], info.keys[row], info.crops[row],
                         row_of(images, info.batch_size, row),
                         row_of(labels, info.batch_size, row)});
  return copy;
}

void check_same(const BatchCopy& found, const BatchCopy& expected, const std::string& what) {
  const std::string where =
      what + ", epoch " + std::to_string(expected.epoch) + " step " + std::to_string(expected.step);
  check_equal(found.epoch, expected.epoch, where + ": epoch");
  check_equal(found.step, expected.step, where + ": step");
  check_equal(found.valid, expected.valid, where + ": valid rows");
  check_equal(found.rows.size(), expected.rows.size(), where + ": rows");
  check_equal(found.image_shape, expected.image_shape, where + ": shape of the image");
  check_equal(found.label_shape, expected.label_shape, where + ": shape of the label");
  for (std::size_t row = 0; row < expected.rows.size(); ++row) {
    const std::string which = where + " row " + std::to_string(row);
    check_equal(found.rows[row].sample, expected.rows[row].sample, which + ": sample");
    check_equal(found.rows[row].key, expected.rows[row].key, which + ": key");
    check_equal(found.rows[row].box, expected.rows[row].box, which + ": box");
    check_equal(found.rows[row].image, expected.rows[row].image, which + ": bytes of the image");
    check_equal(found.rows[row].label, expected.rows[row].label, which + ": bytes of the label");
  }
}

DeviceBatch next_batch(DeviceLoader& loader, StreamHandle stream) {
  for (;;) {
    auto batch = require(loader.next(stream, kLongest));
    if (batch) return std::move(*batch);
  }
}

DeviceLoader open_device(const Dataset& dataset, const DeviceLoaderOptions& options) {
  return require(DeviceLoader::open(dataset, options));
}

void close_quickly(DeviceLoader& loader) {
  const auto began = std::chrono::steady_clock::now();
  loader.close();
  check(std::chrono::steady_clock::now() - began < std::chrono::seconds(1),
        "close() takes less than a second");
}

namespace {

test::TinyForm training_form() {
  test::TinyForm form;
  form.classes = 12;
  form.size = Extent{64, 48};
  return form;
}

}  // namespace

Training::Training(std::size_t records)
    : pack(training_form(), records, 16), dataset(pack.open()) {}

LoaderOptions Training::batches() {
  LoaderOptions options;
  options.global_batch_size = 4;
  options.seed = 3;
  options.image = {ElementType::f16, AxisOrder::channels_first, {}, {}};
  options.label.form = LabelForm::one_hot;
  options.label.dtype = ElementType::f16;
  return options;
}

DeviceLoader Training::open(Residency residency) const {
  return open_device(dataset, small_options(batches(), residency));
}

Loader Training::open_host() const { return test::open_loader(dataset, batches()); }

void compare_with_host(const Machine& machine, const Dataset& dataset,
                       const DeviceLoaderOptions& options, const std::string& what,
                       StreamHandle stream, unsigned epochs) {
  auto host = Loader::open(dataset, options.loader);
  auto device = DeviceLoader::open(dataset, options);
  if (!host.ok()) {
    check(!device.ok(),
          what + ": the host refuses (" + host.error().message + "), the device does not");
    check_equal(static_cast<int>(device.error().code), static_cast<int>(host.error().code),
                what + ": code of the refusal");
    return;
  }
  if (!device.ok()) throw Failure(what + ": " + device.error().describe());
  for (unsigned epoch = 0; epoch < epochs; ++epoch) {
    for (;;) {
      const auto expected = require(host->next());
      const auto found = require(device->next(stream, kLongest));
      check_equal(found.has_value(), expected.has_value(), what + ": end of the epoch");
      if (!expected) break;
      check(found->image().dtype == expected->image().dtype, what + ": type of the image");
      check(found->label().dtype == expected->label().dtype, what + ": type of the label");
      check_same(copy_of(machine, *found, stream), test::copy_of(*expected), what);
    }
  }
}

}  // namespace hotpack::gpu
