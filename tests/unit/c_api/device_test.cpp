// hotpack_device.h with a driver that has no device.
#include "hotpack/hotpack_device.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "c_api/device_handles.hpp"
#include "c_api/loader_options.hpp"
#include "device/open.hpp"
#include "hotpack/hotpack_dlpack.h"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::c_api;
using namespace hotpack::test;

namespace {

using Bytes = std::vector<std::byte>;
using Options = hotpack_device_loader_options;

hotpack_loader_options small_batches() {
  hotpack_loader_options options = default_options();
  options.global_batch_size = 3;
  options.threads = 2;
  options.timeout_ms = 20000;
  options.last_batch = HOTPACK_LAST_BATCH_KEEP;
  options.image_dtype = HOTPACK_DTYPE_F32;
  options.image_layout = HOTPACK_CHANNELS_FIRST;
  return options;
}

// A pack of ten samples, and a loader over it on the last of some devices, whose driver is a fake.
struct OpenLoader {
  explicit OpenLoader(FakeOptions devices = {}, const TinyForm& form = {}) : fake(devices) {
    (void)write_pack(folder.path(), form, tiny_records(form, 10), 4);
    dataset.emplace(Dataset::open(folder.path()).value());
    const hotpack_loader_options batches = small_batches();
    Options options = default_device_options();
    options.loader = &batches;
    options.device = devices.devices - 1;
    stream = fake.stream(options.device);
    const auto own = device_options(options).value();
    loader = new hotpack_device_loader;
    loader->loader.emplace(
        device::open_device_loader(*dataset, own, fake.driver(), fake.kernels()).value());
    host.emplace(Loader::open(*dataset, own.loader).value());
  }
  ~OpenLoader() {
    close();
    fake.run_all();
    CHECK(fake.held() == FakeDriver::Held());
    for (const auto& fault : fake.violations()) FAIL_CHECK(fault);
  }
  OpenLoader(const OpenLoader&) = delete;
  OpenLoader& operator=(const OpenLoader&) = delete;

  void close() { hotpack_device_loader_close(std::exchange(loader, nullptr)); }
  // The next batch; null after a failure or at the end of an epoch.
  [[nodiscard]] hotpack_device_batch* next() {
    hotpack_device_batch* batch = nullptr;
    status = hotpack_device_loader_next(loader, stream, &batch);
    return batch;
  }
  [[nodiscard]] hotpack_device_batch* required() {
    hotpack_device_batch* const batch = next();
    REQUIRE(status == HOTPACK_OK);
    return batch;
  }
  // The bytes that work on a stream sees.
  [[nodiscard]] Bytes seen(device::StreamHandle reader, const void* memory, std::size_t bytes) {
    Bytes found;
    const auto* const first = static_cast<const std::byte*>(memory);
    fake.enqueue(reader, [&] { found.assign(first, first + bytes); });
    fake.synchronize(reader);
    return found;
  }

  TempFolder folder;
  FakeDriver fake;
  std::optional<Dataset> dataset;
  device::StreamHandle stream = nullptr;
  hotpack_device_loader* loader = nullptr;
  std::optional<Loader> host;  // gives the same batches
  hotpack_status status = HOTPACK_OK;
};

hotpack_device_batch_info described(const hotpack_device_batch* batch) {
  hotpack_device_batch_info info;
  info.struct_size = sizeof info;
  REQUIRE(hotpack_device_batch_describe(batch, &info) == HOTPACK_OK);
  return info;
}

Bytes bytes_of(const BatchField& field) { return {field.bytes.begin(), field.bytes.end()}; }

}  // namespace

TEST_CASE("device options have the defaults of C++, and each is passed on") {
  Options options = default_device_options();
  hotpack_loader_options loader = small_batches();
  hotpack_load_progress seen{};
  const DeviceLoaderOptions own, unset = device_options(options).value();
  CHECK(std::tie(unset.device, unset.residency, unset.device_budget_bytes) ==
        std::tie(own.device, own.residency, own.device_budget_bytes));
  CHECK_FALSE(unset.progress);
  CHECK(unset.loader.global_batch_size == own.loader.global_batch_size);
  options.loader = &loader;
  options.device = 2;
  options.residency = HOTPACK_RESIDENCY_AUTO;
  options.device_budget_bytes = UINT64_MAX;
  options.progress = [](void* user, const hotpack_load_progress* progress) -> std::int32_t {
    *static_cast<hotpack_load_progress*>(user) = *progress;
    return progress->records_done < 3 ? 1 : 0;
  };
  options.progress_user = &seen;
  const auto read = device_options(options).value();
  CHECK(read.loader.global_batch_size == 3);
  CHECK(read.device == 2);
  CHECK(read.residency == Residency::automatic);
  CHECK(read.device_budget_bytes == UINT64_MAX);
  CHECK(read.progress({2, 5, 20, 50}));
  CHECK(seen.records_done * 1000 + seen.records_total == 2005);
  CHECK(seen.bytes_done * 1000 + seen.bytes_total == 20050);
  CHECK_FALSE(read.progress({3, 5, 30, 50}));

  options.residency = 3;
  CHECK_THAT(device_options(options).error().message, ContainsSubstring("residency is 3"));
  loader.last_batch = 9;
  CHECK_THAT(device_options(options).error().message, ContainsSubstring("last_batch is 9"));
  const std::size_t shorter = offsetof(Options, progress_user);
  REQUIRE(hotpack_device_loader_options_init(&options, shorter) == HOTPACK_OK);
  CHECK(options.progress == nullptr);
  CHECK(options.progress_user == &seen);  // beyond the caller's struct
}

TEST_CASE("without a device the handles give the reason, and NULL is refused") {
  REQUIRE(setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0);  // even if there is one
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 10), 4);
  hotpack_dataset* dataset = nullptr;
  hotpack_device_loader* loader = nullptr;
  hotpack_device_batch* batch = nullptr;
  hotpack_cuda* cuda = nullptr;
  hotpack_cuda_info info;
  info.struct_size = sizeof info;
  REQUIRE(hotpack_dataset_open(folder.path().c_str(), &dataset) == HOTPACK_OK);
  CHECK(hotpack_device_loader_open(dataset, nullptr, &loader) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_cuda_query(&cuda) == HOTPACK_ERROR_USAGE);
  const std::string reason = hotpack_device_loader_error(loader);
  CHECK_THAT(reason, ContainsSubstring("CUDA"));
  CHECK(hotpack_cuda_error(cuda) == reason);
  CHECK(hotpack_cuda_describe(cuda, &info) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_next(loader, nullptr, &batch) == HOTPACK_ERROR_USAGE);
  CHECK(batch == nullptr);
  CHECK(hotpack_device_loader_error(loader) == reason);
  CHECK(hotpack_device_loader_steps_per_epoch(loader) == 0);
  hotpack_device_loader_cancel(loader);
  hotpack_device_loader_close(loader);
  hotpack_cuda_close(cuda);
  hotpack_dataset_close(dataset);
  hotpack_device_batch_release(nullptr);
  CHECK(hotpack_cuda_query(nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_open(nullptr, nullptr, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_batch_record_stream(nullptr, nullptr) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("device batches in C equal those of the host") {
  const int devices = GENERATE(1, 2);
  OpenLoader open({.devices = devices});
  CHECK(hotpack_device_loader_steps_per_epoch(open.loader) == 4);
  CHECK(hotpack_device_loader_batch_size(open.loader) == 3);
  CHECK(hotpack_device_loader_threads(open.loader) == 2);
  CHECK(hotpack_device_loader_image_batch_bytes(open.loader) == open.host->image_batch_bytes());
  CHECK(hotpack_device_loader_label_batch_bytes(open.loader) == open.host->label_batch_bytes());
  CHECK(hotpack_device_loader_fingerprint(open.loader) == open.host->fingerprint());
  while (const auto expected = open.host->next().value()) {
    hotpack_device_batch* const batch = open.required();
    const hotpack_device_batch_info info = described(batch);
    CHECK(info.epoch == expected->epoch());
    CHECK(info.step == expected->step());
    CHECK(info.batch_size == expected->batch_size());
    CHECK(info.num_valid == expected->num_valid());
    CHECK(info.stream == open.stream);
    CHECK(std::vector(info.image.shape, info.image.shape + 4) == expected->image().shape);
    CHECK(info.image.dtype == HOTPACK_DTYPE_F32);
    CHECK(open.seen(open.stream, info.image.data, info.image.bytes) == bytes_of(expected->image()));
    CHECK(open.seen(open.stream, info.label.data, info.label.bytes) == bytes_of(expected->label()));
    for (std::size_t row = 0; row < info.batch_size; ++row) {
      CHECK(hotpack_device_batch_indices(batch)[row] == expected->indices()[row]);
      CHECK(hotpack_device_batch_key(batch, row) == expected->key(row));
      CHECK(hotpack_device_batch_crops(batch)[row].width == expected->crops()[row].width);
    }
    CHECK(std::string(hotpack_device_batch_key(batch, info.batch_size)).empty());
    CHECK(info.device == devices - 1);
    hotpack_device_batch_release(batch);
  }
  CHECK(open.next() == nullptr);
  CHECK(open.status == HOTPACK_END_OF_EPOCH);
  hotpack_residency_info residency;
  residency.struct_size = sizeof residency;
  REQUIRE(hotpack_device_loader_residency(open.loader, &residency) == HOTPACK_OK);
  CHECK(residency.residency == HOTPACK_RESIDENCY_PAGE);
  CHECK(residency.packed_bytes > 0);
  CHECK(std::string(residency.reason) == "asked for");
  hotpack_device_loader_statistics_info statistics;
  statistics.struct_size = sizeof statistics;
  REQUIRE(hotpack_device_loader_statistics(open.loader, &statistics) == HOTPACK_OK);
  const DeviceLoaderStatistics own = open.loader->loader->statistics();
  CHECK(statistics.batches == 4);
  CHECK(statistics.copied_bytes == own.copied_bytes);
  CHECK(statistics.pinned_bytes == own.pinned_bytes);
  CHECK(statistics.device_bytes == open.fake.held().device_bytes);
}

TEST_CASE("next_into fills memory of the caller on a device without pools") {
  OpenLoader open({.pools = false});
  CHECK(open.next() == nullptr);
  CHECK(open.status == HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_device_loader_error(open.loader), ContainsSubstring("pools"));
  device::Pointer memory = 0;
  device::ContextHandle context = nullptr;
  const std::uint64_t bytes = open.host->image_batch_bytes();
  REQUIRE(open.fake.table().DevicePrimaryCtxRetain(&context, 0) == 0);
  REQUIRE(open.fake.table().CtxPushCurrent(context) == 0);
  REQUIRE(open.fake.table().MemAlloc(&memory, bytes) == 0);
  const hotpack_device_buffers buffers = {device::device_pointer<void>(memory), bytes, nullptr, 0};
  hotpack_device_batch* batch = nullptr;
  const auto first = open.host->next().value();
  REQUIRE(hotpack_device_loader_next_into(open.loader, &buffers, open.stream, &batch) ==
          HOTPACK_OK);
  CHECK(described(batch).image.data == buffers.image);
  CHECK(described(batch).label.data == nullptr);
  CHECK(open.seen(open.stream, buffers.image, bytes) == bytes_of(first->image()));
  auto* tensor = reinterpret_cast<DLManagedTensorVersioned*>(&memory);
  CHECK(hotpack_device_batch_dlpack(batch, HOTPACK_FIELD_IMAGE, 1, &tensor) == HOTPACK_ERROR_USAGE);
  CHECK(tensor == nullptr);
  CHECK(hotpack_device_batch_record_stream(batch, open.stream) == HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_device_batch_error(batch), ContainsSubstring("next_into"));
  hotpack_device_batch_release(batch);

  CHECK(hotpack_device_loader_next_into(open.loader, nullptr, open.stream, &batch) ==
        HOTPACK_ERROR_USAGE);
  REQUIRE(hotpack_device_loader_next_into_timeout(open.loader, &buffers, open.stream, 20000,
                                                  nullptr) == HOTPACK_OK);
  CHECK(open.seen(open.stream, buffers.image, bytes) ==
        bytes_of(open.host->next().value()->image()));
  CHECK(open.fake.table().MemFree(memory) == 0);
  CHECK(open.fake.table().CtxPopCurrent(&context) == 0);
  CHECK(open.fake.table().DevicePrimaryCtxRelease(0) == 0);
}

TEST_CASE("a device loader refuses calls, moves, resumes, and can be woken") {
  OpenLoader open({}, TinyForm{.labeled = false});
  hotpack_device_batch* batch = nullptr;
  DLManagedTensor* tensor = nullptr;
  CHECK(hotpack_device_loader_next(open.loader, open.stream, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_next_timeout(open.loader, open.stream, -1, &batch) ==
        HOTPACK_ERROR_USAGE);
  open.fake.set_capturing(open.stream, true);
  CHECK(open.next() == nullptr);
  CHECK_THAT(hotpack_device_loader_error(open.loader), ContainsSubstring("captur"));
  open.fake.set_capturing(open.stream, false);

  std::uint64_t epoch = 9, step = 9;
  char state[1024];
  const auto next_step = [&] {  // 10 × epoch + step
    hotpack_device_batch* const next = open.required();
    const hotpack_device_batch_info info = described(next);
    CHECK(hotpack_device_batch_dlpack_legacy(next, HOTPACK_FIELD_LABEL, 1, &tensor) ==
          HOTPACK_NOT_FOUND);
    hotpack_device_batch_release(next);
    return 10 * info.epoch + info.step;
  };
  CHECK(next_step() == 0);
  REQUIRE(hotpack_device_loader_state(open.loader, state, sizeof state, nullptr) == HOTPACK_OK);
  REQUIRE(hotpack_device_loader_seek(open.loader, 1, 2) == HOTPACK_OK);
  CHECK(next_step() == 12);
  REQUIRE(hotpack_device_loader_begin_epoch(open.loader, 3) == HOTPACK_OK);
  REQUIRE(hotpack_device_loader_position(open.loader, &epoch, &step) == HOTPACK_OK);
  CHECK(10 * epoch + step == 30);
  hotpack_device_loader_cancel(open.loader);
  CHECK(open.next() == nullptr);
  CHECK(open.status == HOTPACK_ERROR_CANCELLED);
  REQUIRE(hotpack_device_loader_restore(open.loader, state) == HOTPACK_OK);
  CHECK(next_step() == 1);
}

TEST_CASE("memory lives as long as shares and tensors, without batch and loader") {
  OpenLoader open;
  const auto expected = open.host->next().value();
  hotpack_device_batch* const batch = open.required();
  hotpack_device_batch* share = nullptr;
  REQUIRE(hotpack_device_batch_share(batch, &share) == HOTPACK_OK);
  hotpack_device_batch_release(batch);
  const hotpack_device_batch_info info = described(share);
  CHECK(hotpack_device_batch_crops(share)[0].width == 6);
  const device::StreamHandle own = open.fake.stream();
  const auto number = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(own));
  auto* image = reinterpret_cast<DLManagedTensorVersioned*>(&open);
  DLManagedTensor* label = nullptr;
  CHECK(hotpack_device_batch_dlpack(share, 2, 1, &image) == HOTPACK_ERROR_USAGE);
  CHECK(image == nullptr);
  CHECK_THAT(hotpack_device_batch_error(share), ContainsSubstring("field is 2"));
  CHECK(hotpack_device_batch_dlpack(share, HOTPACK_FIELD_IMAGE, 0, &image) == HOTPACK_ERROR_USAGE);
  REQUIRE(hotpack_device_batch_dlpack(share, HOTPACK_FIELD_IMAGE, number, &image) == HOTPACK_OK);
  REQUIRE(hotpack_device_batch_dlpack_legacy(share, HOTPACK_FIELD_LABEL, -1, &label) == HOTPACK_OK);
  CHECK(image->dl_tensor.dtype.code == kDLFloat);
  hotpack_device_batch_release(share);
  CHECK(open.seen(own, image->dl_tensor.data, info.image.bytes) == bytes_of(expected->image()));
  open.close();
  CHECK(image->dl_tensor.data == info.image.data);
  CHECK(image->dl_tensor.device.device_type == kDLCUDA);
  CHECK(std::vector(image->dl_tensor.shape, image->dl_tensor.shape + 4) ==
        std::vector<std::int64_t>{3, 3, 5, 6});
  image->deleter(image);
  CHECK(open.seen(open.stream, label->dl_tensor.data, info.label.bytes) ==
        bytes_of(expected->label()));
  label->deleter(label);
}
