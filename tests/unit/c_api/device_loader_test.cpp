// hotpack_device.h with a driver that has no device.
#include "hotpack/device_loader.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c_api/device_handles.hpp"
#include "c_api/device_options.hpp"
#include "c_api/loader_options.hpp"
#include "device/late_free.hpp"
#include "device/open.hpp"
#include "hotpack/hotpack_device.h"
#include "hotpack/hotpack_dlpack.h"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack::test;

namespace {

constexpr std::size_t kSamples = 10;
using Bytes = std::vector<std::byte>;

hotpack_loader_options small_batches() {
  hotpack_loader_options options = hotpack::c_api::default_options();
  options.global_batch_size = 3;
  options.threads = 2;
  options.timeout_ms = 20000;
  options.image_dtype = HOTPACK_DTYPE_F32;
  options.image_layout = HOTPACK_CHANNELS_FIRST;
  return options;
}

// A pack of ten samples and a device loader over it, whose driver is a fake.
struct OpenLoader {
  explicit OpenLoader(int devices = 1, std::uint32_t outputs = 2,
                      const hotpack_loader_options& batches = small_batches(),
                      const TinyForm& form = {})
      : fake({.devices = devices}) {
    (void)write_pack(folder.path(), form, tiny_records(form, kSamples), 4);
    dataset.emplace(hotpack::Dataset::open(folder.path()).value());
    std::vector<std::int32_t> ordinals;
    for (int device = 0; device < devices; ++device) {
      ordinals.push_back(device);
      streams.push_back(fake.stream(device));
    }
    hotpack_device_loader_options options = hotpack::c_api::default_device_options();
    options.loader = &batches;
    options.devices = ordinals.data();
    options.device_count = ordinals.size();
    options.outputs = outputs;
    loader = new hotpack_device_loader;
    auto own = hotpack::c_api::device_options(options).value();
    loader->loader.emplace(
        hotpack::device::open_device_loader(*dataset, std::move(own), fake.driver(), fake.kernels())
            .value());
  }
  ~OpenLoader() {
    close();
    // waits for late frees before the driver goes
    for (fake.run_all(); hotpack::device::late_count() != 0;) hotpack::device::sweep_late();
    CHECK(fake.held() == FakeDriver::Held());
    for (const auto& fault : fake.violations()) FAIL_CHECK(fault);
  }
  OpenLoader(const OpenLoader&) = delete;
  OpenLoader& operator=(const OpenLoader&) = delete;

  void close() { hotpack_device_loader_close(std::exchange(loader, nullptr)); }
  [[nodiscard]] std::string error() const { return hotpack_device_loader_error(loader); }
  // The next batch; null after a failure or at the end of an epoch.
  [[nodiscard]] hotpack_device_batch* next() {
    hotpack_device_batch* batch = nullptr;
    status = hotpack_device_loader_next(loader, streams.data(), streams.size(), &batch);
    return batch;
  }
  // The contents of a field after its stream's work.
  [[nodiscard]] Bytes bytes(const hotpack_device_part_info& part, const hotpack_field& field) {
    fake.synchronize(static_cast<hotpack::device::StreamHandle>(part.stream));
    return fake.bytes(reinterpret_cast<std::uintptr_t>(field.data), field.bytes);
  }

  TempFolder folder;
  FakeDriver fake;
  std::optional<hotpack::Dataset> dataset;
  std::vector<void*> streams;
  hotpack_device_loader* loader = nullptr;
  hotpack_status status = HOTPACK_OK;
};

hotpack_device_part_info part_of(const hotpack_device_batch* batch, std::uint64_t number = 0) {
  hotpack_device_part_info part;
  part.struct_size = sizeof part;
  REQUIRE(hotpack_device_batch_part(batch, number, &part) == HOTPACK_OK);
  return part;
}

hotpack_device_batch_info described(const hotpack_device_batch* batch) {
  hotpack_device_batch_info info;
  info.struct_size = sizeof info;
  REQUIRE(hotpack_device_batch_describe(batch, &info) == HOTPACK_OK);
  return info;
}

// The rows of a part within a batch in host memory.
Bytes rows_of(const hotpack::BatchField& field, std::size_t rows,
              const hotpack_device_part_info& part) {
  const std::size_t row = field.bytes.size() / rows;
  const auto first = field.bytes.begin() + static_cast<std::ptrdiff_t>(part.first_row * row);
  return {first, first + static_cast<std::ptrdiff_t>(part.batch_size * row)};
}

void check_part(OpenLoader& open, const hotpack_device_part_info& part,
                const hotpack::Batch& expected) {
  CHECK(part.image.dimensions == 4);
  CHECK(part.image.shape[0] == static_cast<std::int64_t>(part.batch_size));
  CHECK(part.image.shape[1] == 3);
  CHECK(part.image.dtype == HOTPACK_DTYPE_F32);
  CHECK(part.label.dimensions == 3);
  CHECK(part.label.shape[3] == 0);
  CHECK(open.bytes(part, part.image) == rows_of(expected.image(), expected.batch_size(), part));
  CHECK(open.bytes(part, part.label) == rows_of(expected.label(), expected.batch_size(), part));
}

// A device batch describes itself like the Loader's batch of the same step.
void check_batch(OpenLoader& open, const hotpack_device_batch* batch,
                 const hotpack::Batch& expected) {
  const hotpack_device_batch_info info = described(batch);
  CHECK(info.epoch == expected.epoch());
  CHECK(info.step == expected.step());
  CHECK(info.batch_size == expected.batch_size());
  CHECK(info.num_valid == expected.num_valid());
  REQUIRE(info.parts == open.streams.size());
  std::uint64_t rows = 0;
  for (std::uint64_t number = 0; number < info.parts; ++number) {
    const hotpack_device_part_info part = part_of(batch, number);
    CHECK(part.device == static_cast<int>(number));
    CHECK(part.stream == open.streams[number]);
    CHECK(part.first_row == rows);
    rows += part.batch_size;
    check_part(open, part, expected);
  }
  CHECK(rows == info.batch_size);
  for (std::size_t row = 0; row < info.batch_size; ++row) {
    CHECK(hotpack_device_batch_indices(batch)[row] == expected.indices()[row]);
    CHECK(hotpack_device_batch_key(batch, row) == expected.key(row));
    CHECK(hotpack_device_batch_crops(batch)[row].width == expected.crops()[row].width);
  }
  CHECK(std::string(hotpack_device_batch_key(batch, info.batch_size)).empty());
}

hotpack::Loader host_loader(const hotpack::Dataset& dataset) {
  const hotpack_loader_options options = small_batches();
  return hotpack::Loader::open(dataset, hotpack::c_api::loader_options(options).value()).value();
}

DLManagedTensorVersioned* image_tensor(const hotpack_device_batch* batch, std::int64_t stream) {
  DLManagedTensorVersioned* tensor = nullptr;
  REQUIRE(hotpack_device_batch_dlpack(batch, 0, HOTPACK_FIELD_IMAGE, stream, &tensor) ==
          HOTPACK_OK);
  return tensor;
}

// Enough bytes that unwritten memory does not contain them by chance.
constexpr std::size_t kSeenBytes = 64;

Bytes first_bytes(const hotpack::BatchField& field) {
  REQUIRE(field.bytes.size() >= kSeenBytes);
  return {field.bytes.begin(), field.bytes.begin() + kSeenBytes};
}

// The first bytes of memory, as work on a stream sees them.
Bytes seen_by(OpenLoader& open, hotpack::device::StreamHandle stream, const void* memory) {
  Bytes seen;
  const auto* const first = static_cast<const std::byte*>(memory);
  open.fake.enqueue(stream, [&] { seen.assign(first, first + kSeenBytes); });
  open.fake.synchronize(stream);
  return seen;
}

}  // namespace

TEST_CASE("without a device the handles give the reason") {
  REQUIRE(setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0);  // even if there is one
  const TempFolder folder;
  const TinyForm form;
  (void)write_pack(folder.path(), form, tiny_records(form, kSamples), 4);
  hotpack_dataset* dataset = nullptr;
  hotpack_device_loader* loader = nullptr;
  hotpack_device_batch* batch = nullptr;
  hotpack_cuda* cuda = nullptr;
  REQUIRE(hotpack_dataset_open(folder.path().c_str(), &dataset) == HOTPACK_OK);
  CHECK(hotpack_device_loader_open(dataset, nullptr, &loader) == HOTPACK_ERROR_USAGE);
  REQUIRE(loader != nullptr);
  const std::string reason = hotpack_device_loader_error(loader);
  CHECK_THAT(reason, ContainsSubstring("CUDA"));
  CHECK(hotpack_cuda_query(&cuda) == HOTPACK_ERROR_USAGE);
  REQUIRE(cuda != nullptr);
  CHECK(hotpack_cuda_error(cuda) == reason);

  void* const streams[] = {nullptr};
  CHECK(hotpack_device_loader_next(loader, streams, 1, &batch) == HOTPACK_ERROR_USAGE);
  CHECK(batch == nullptr);
  CHECK(hotpack_device_loader_error(loader) == reason);
  CHECK(hotpack_device_loader_steps_per_epoch(loader) == 0);
  CHECK(hotpack_device_loader_parts(loader) == 0);
  CHECK(hotpack_device_loader_image_batch_bytes(loader, 0) == 0);
  CHECK(std::string(hotpack_device_loader_fingerprint(loader)).empty());
  hotpack_cuda_info info;
  info.struct_size = sizeof info;
  CHECK(hotpack_cuda_describe(cuda, &info) == HOTPACK_ERROR_USAGE);
  hotpack_device_loader_cancel(loader);
  hotpack_device_loader_close(loader);
  hotpack_cuda_close(cuda);
  hotpack_dataset_close(dataset);
}

TEST_CASE("NULL handles and results are refused, and closing NULL does nothing") {
  hotpack_device_loader* loader = nullptr;
  CHECK(hotpack_cuda_query(nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_open(nullptr, nullptr, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_open(nullptr, nullptr, &loader) == HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_device_loader_error(loader), ContainsSubstring("dataset is NULL"));
  hotpack_device_loader_close(loader);
  hotpack_device_loader_close(nullptr);
  hotpack_cuda_close(nullptr);
  hotpack_device_batch_release(nullptr);
  CHECK(std::string(hotpack_cuda_error(nullptr)).empty());
  CHECK(std::string(hotpack_device_batch_error(nullptr)).empty());
  CHECK(std::string(hotpack_device_batch_key(nullptr, 0)).empty());
  CHECK(hotpack_device_batch_record_stream(nullptr, nullptr, 0) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("device batches in C equal those in C++ and on the host") {
  const int devices = GENERATE(1, 2);
  OpenLoader open(devices);
  auto host = host_loader(*open.dataset);
  CHECK(hotpack_device_loader_steps_per_epoch(open.loader) == 3);
  CHECK(hotpack_device_loader_batch_size(open.loader) == 3);
  CHECK(hotpack_device_loader_parts(open.loader) == static_cast<std::uint64_t>(devices));
  CHECK(hotpack_device_loader_part_batch_size(open.loader, 0) == (devices == 1 ? 3 : 1));
  CHECK(hotpack_device_loader_part_batch_size(open.loader, 2) == 0);
  CHECK(hotpack_device_loader_threads(open.loader) == 2);
  CHECK(hotpack_device_loader_fingerprint(open.loader) == host.fingerprint());
  while (const auto expected = host.next().value()) {
    hotpack_device_batch* const batch = open.next();
    REQUIRE(open.status == HOTPACK_OK);
    check_batch(open, batch, *expected);
    hotpack_device_batch_release(batch);
  }
  CHECK(open.next() == nullptr);
  CHECK(open.status == HOTPACK_END_OF_EPOCH);
}

TEST_CASE("next_into fills memory of the caller and describes it") {
  OpenLoader open;
  auto host = host_loader(*open.dataset);
  const std::uint64_t image_bytes = hotpack_device_loader_image_batch_bytes(open.loader, 0);
  CHECK(image_bytes == host.image_batch_bytes());
  CHECK(hotpack_device_loader_label_batch_bytes(open.loader, 0) == host.label_batch_bytes());
  hotpack::device::Pointer memory = 0;
  hotpack::device::ContextHandle context = nullptr;
  REQUIRE(open.fake.table().DevicePrimaryCtxRetain(&context, 0) == 0);
  REQUIRE(open.fake.table().CtxPushCurrent(context) == 0);
  REQUIRE(open.fake.table().MemAlloc(&memory, image_bytes) == 0);

  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver has addresses as integers
  const hotpack_device_buffers buffers = {reinterpret_cast<void*>(memory), image_bytes, nullptr, 0};
  hotpack_device_batch* batch = nullptr;
  const auto first = host.next().value();
  REQUIRE(hotpack_device_loader_next_into(open.loader, &buffers, open.streams.data(), 1, &batch) ==
          HOTPACK_OK);
  const hotpack_device_part_info part = part_of(batch);
  CHECK(part.image.data == buffers.image);
  CHECK(part.label.data == nullptr);
  CHECK(part.label.bytes == 0);
  CHECK(part.label.dimensions == 3);
  CHECK(open.bytes(part, part.image) == rows_of(first->image(), 3, part));
  CHECK(hotpack_device_batch_key(batch, 2) == first->key(2));
  CHECK(hotpack_device_batch_crops(batch)[2].height == 5);
  CHECK(hotpack_device_batch_record_stream(batch, open.streams[0], 0) == HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_device_batch_error(batch), ContainsSubstring("next_into"));
  hotpack_device_batch_release(batch);

  REQUIRE(hotpack_device_loader_next_into(open.loader, &buffers, open.streams.data(), 1, nullptr) ==
          HOTPACK_OK);
  open.fake.synchronize(static_cast<hotpack::device::StreamHandle>(open.streams[0]));
  const auto second = host.next().value();
  CHECK(open.fake.bytes(memory, image_bytes) == rows_of(second->image(), 3, part));
  CHECK(open.fake.table().MemFree(memory) == 0);
  CHECK(open.fake.table().CtxPopCurrent(&context) == 0);
  CHECK(open.fake.table().DevicePrimaryCtxRelease(0) == 0);
}

TEST_CASE("streams and buffers are one per device") {
  OpenLoader open(2);
  hotpack_device_batch* batch = nullptr;
  CHECK(hotpack_device_loader_next(open.loader, open.streams.data(), 1, &batch) ==
        HOTPACK_ERROR_USAGE);
  CHECK_THAT(open.error(), ContainsSubstring("count is 1, the loader has 2 devices"));
  CHECK(hotpack_device_loader_next(open.loader, nullptr, 2, &batch) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_next(open.loader, open.streams.data(), 2, nullptr) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_next_timeout(open.loader, open.streams.data(), 2, -1, &batch) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_next_into(open.loader, nullptr, open.streams.data(), 2, &batch) ==
        HOTPACK_ERROR_USAGE);
  CHECK(batch == nullptr);
  batch = open.next();  // none was lost
  REQUIRE(batch != nullptr);
  CHECK(described(batch).step == 0);
  CHECK(hotpack_device_batch_record_stream(batch, open.streams[0], 2) == HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_device_batch_error(batch), ContainsSubstring("part is 2; the batch has 2"));
  hotpack_device_batch_release(batch);
}

TEST_CASE("a device loader stops, resumes elsewhere, and can be woken") {
  OpenLoader open;
  std::vector<std::int64_t> samples;
  char state[1024];
  hotpack_device_batch_release(open.next());
  REQUIRE(hotpack_device_loader_state(open.loader, state, sizeof state, nullptr) == HOTPACK_OK);
  const auto first_sample = [&] {
    hotpack_device_batch* const batch = open.next();
    REQUIRE(open.status == HOTPACK_OK);
    const std::int64_t sample = hotpack_device_batch_indices(batch)[0];
    hotpack_device_batch_release(batch);
    return sample;
  };
  const std::int64_t expected = first_sample();
  REQUIRE(hotpack_device_loader_seek(open.loader, 1, 2) == HOTPACK_OK);
  (void)first_sample();
  REQUIRE(hotpack_device_loader_restore(open.loader, state) == HOTPACK_OK);
  CHECK(first_sample() == expected);
  hotpack_device_loader_cancel(open.loader);
  CHECK(open.next() == nullptr);
  CHECK(open.status == HOTPACK_ERROR_CANCELLED);
  REQUIRE(hotpack_device_loader_restore(open.loader, state) == HOTPACK_OK);
  CHECK(first_sample() == expected);
  CHECK(hotpack_device_loader_restore(open.loader, "{") == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_seek(open.loader, 0, 99) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("a device loader tells its position and begins epochs") {
  OpenLoader open;
  std::uint64_t epoch = 9, step = 9;
  for (int steps = 0; steps < 3; ++steps) hotpack_device_batch_release(open.next());
  REQUIRE(hotpack_device_loader_position(open.loader, &epoch, &step) == HOTPACK_OK);
  CHECK(epoch == 0);
  CHECK(step == 3);
  REQUIRE(hotpack_device_loader_begin_epoch(open.loader, 1) == HOTPACK_OK);
  hotpack_device_batch* const batch = open.next();
  REQUIRE(batch != nullptr);
  CHECK(described(batch).epoch == 1);
  hotpack_device_batch_release(batch);
  REQUIRE(hotpack_device_loader_position(open.loader, &epoch, nullptr) == HOTPACK_OK);
  CHECK(epoch == 1);
  CHECK(hotpack_device_loader_begin_epoch(open.loader, std::uint64_t{1} << 32) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_begin_epoch(nullptr, 0) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_position(nullptr, &epoch, &step) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("a shared device batch keeps its output until the last release") {
  OpenLoader open(1, 1);
  hotpack_device_batch* const batch = open.next();
  REQUIRE(batch != nullptr);
  hotpack_device_batch* share = nullptr;
  REQUIRE(hotpack_device_batch_share(batch, &share) == HOTPACK_OK);
  REQUIRE(share != batch);
  CHECK(part_of(share).image.data == part_of(batch).image.data);
  CHECK(hotpack_device_batch_crops(share)[0].width == 6);
  hotpack_device_batch_release(batch);
  CHECK(open.next() == nullptr);
  CHECK(open.status == HOTPACK_ERROR_BUSY);
  hotpack_device_batch_release(share);
  hotpack_device_batch* const later = open.next();
  CHECK(later != nullptr);
  hotpack_device_batch_release(later);
  CHECK(hotpack_device_batch_share(nullptr, &share) == HOTPACK_ERROR_USAGE);
  CHECK(share == nullptr);
}

TEST_CASE("residency and statistics are reported") {
  OpenLoader open;
  hotpack_residency_info residency;
  residency.struct_size = sizeof residency;
  REQUIRE(hotpack_device_loader_residency(open.loader, &residency) == HOTPACK_OK);
  CHECK(residency.residency == HOTPACK_RESIDENCY_PAGE);
  CHECK(residency.packed_bytes > 0);
  CHECK(std::string(residency.reason) == "asked for");
  hotpack_device_batch_release(open.next());
  hotpack_device_loader_statistics_info statistics;
  statistics.struct_size = sizeof statistics;
  REQUIRE(hotpack_device_loader_statistics(open.loader, &statistics) == HOTPACK_OK);
  CHECK(statistics.batches == 1);
  CHECK(statistics.copied_bytes > 0);
  CHECK(statistics.pinned_bytes > 0);
  CHECK(statistics.device_bytes == hotpack_device_loader_device_bytes(open.loader, 0));
  CHECK(statistics.device_bytes > 0);
  CHECK(hotpack_device_loader_device_bytes(open.loader, 1) == 0);
}

TEST_CASE("a DLPack tensor keeps its memory after batch and loader") {
  OpenLoader open;
  auto host = host_loader(*open.dataset);
  const auto expected = host.next().value();
  hotpack_device_batch* const batch = open.next();
  REQUIRE(batch != nullptr);
  const hotpack_device_part_info part = part_of(batch);
  DLManagedTensorVersioned* const image = image_tensor(batch, -1);
  DLManagedTensor* label = nullptr;
  REQUIRE(hotpack_device_batch_dlpack_legacy(batch, 0, HOTPACK_FIELD_LABEL, -1, &label) ==
          HOTPACK_OK);
  hotpack_device_batch_release(batch);
  open.close();
  CHECK(image->dl_tensor.data == part.image.data);
  CHECK(image->dl_tensor.device.device_type == kDLCUDA);
  CHECK(std::vector<std::int64_t>(image->dl_tensor.shape, image->dl_tensor.shape + 4) ==
        std::vector<std::int64_t>{3, 3, 5, 6});
  CHECK(reinterpret_cast<std::uintptr_t>(image->dl_tensor.data) % 256 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(label->dl_tensor.data) % 256 == 0);
  CHECK(open.bytes(part, part.image) == rows_of(expected->image(), 3, part));
  CHECK(open.bytes(part, part.label) == rows_of(expected->label(), 3, part));
  std::thread([&] { image->deleter(image); }).join();
  CHECK(open.bytes(part, part.label) == rows_of(expected->label(), 3, part));
  label->deleter(label);
}

TEST_CASE("the memory of a batch is leased until its last tensor is deleted") {
  OpenLoader open(1, 1);
  hotpack_device_batch* batch = open.next();
  REQUIRE(batch != nullptr);
  DLManagedTensorVersioned* const tensor = image_tensor(batch, -1);
  hotpack_device_batch_release(batch);
  CHECK(open.next() == nullptr);
  CHECK(open.status == HOTPACK_ERROR_BUSY);
  tensor->deleter(tensor);
  batch = open.next();
  REQUIRE(batch != nullptr);
  CHECK(described(batch).step == 1);
  hotpack_device_batch_release(batch);
}

TEST_CASE("the consumer's stream waits for the batch, and -1 waits for nothing") {
  bool was_early = false;
  // The fake driver works as late as possible, but a thread of the loader may wait for the batch
  // before this one reads it.
  for (int trial = 0; trial < 20 && !was_early; ++trial) {
    OpenLoader open;
    auto host = host_loader(*open.dataset);
    const Bytes expected = first_bytes(host.next().value()->image());
    hotpack_device_batch* const batch = open.next();
    REQUIRE(batch != nullptr);
    const hotpack::device::StreamHandle own = open.fake.stream(), other = open.fake.stream();
    DLManagedTensorVersioned* const unordered = image_tensor(batch, -1);
    was_early = seen_by(open, other, unordered->dl_tensor.data) != expected;
    DLManagedTensorVersioned* const tensor =
        image_tensor(batch, static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(own)));
    CHECK(seen_by(open, own, tensor->dl_tensor.data) == expected);
    unordered->deleter(unordered);
    tensor->deleter(tensor);
    hotpack_device_batch_release(batch);
  }
  CHECK(was_early);  // nobody had waited for the part's stream
}

TEST_CASE("the default streams of DLPack are those of the driver") {
  OpenLoader open;
  auto host = host_loader(*open.dataset);
  for (const std::int64_t number : {1, 2}) {
    const Bytes expected = first_bytes(host.next().value()->image());
    hotpack_device_batch* const batch = open.next();
    REQUIRE(batch != nullptr);
    DLManagedTensorVersioned* const tensor = image_tensor(batch, number);
    hotpack::device::ContextHandle context = nullptr;
    REQUIRE(open.fake.table().DevicePrimaryCtxRetain(&context, 0) == 0);
    REQUIRE(open.fake.table().CtxPushCurrent(context) == 0);
    const auto stream =
        number == 1 ? hotpack::device::kLegacyStream : hotpack::device::kPerThreadStream;
    CHECK(seen_by(open, stream, tensor->dl_tensor.data) == expected);
    CHECK(open.fake.table().CtxPopCurrent(&context) == 0);
    CHECK(open.fake.table().DevicePrimaryCtxRelease(0) == 0);
    tensor->deleter(tensor);
    hotpack_device_batch_release(batch);
  }
}

TEST_CASE("a missing field has no tensor") {
  OpenLoader open(1, 2, small_batches(), TinyForm{.labeled = false});
  hotpack_device_batch* const batch = open.next();
  REQUIRE(batch != nullptr);
  auto* tensor = reinterpret_cast<DLManagedTensorVersioned*>(&open);
  CHECK(hotpack_device_batch_dlpack(batch, 0, HOTPACK_FIELD_LABEL, 1, &tensor) ==
        HOTPACK_NOT_FOUND);
  CHECK(tensor == nullptr);
  CHECK(hotpack_device_batch_dlpack(batch, 0, 2, 1, &tensor) == HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_device_batch_error(batch), ContainsSubstring("field is 2"));
  CHECK(hotpack_device_batch_dlpack(batch, 1, HOTPACK_FIELD_IMAGE, 1, &tensor) ==
        HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_device_batch_error(batch), ContainsSubstring("part is 1"));
  CHECK(hotpack_device_batch_dlpack(batch, 0, HOTPACK_FIELD_IMAGE, 0, &tensor) ==
        HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_device_batch_error(batch), ContainsSubstring("the stream is 0"));
  hotpack_device_batch_release(batch);
}

TEST_CASE("a stream that is being captured is refused, and nothing is lost") {
  OpenLoader open;
  const auto stream = static_cast<hotpack::device::StreamHandle>(open.streams[0]);
  open.fake.set_capturing(stream, true);
  CHECK(open.next() == nullptr);
  CHECK(open.status == HOTPACK_ERROR_USAGE);
  CHECK_THAT(open.error(), ContainsSubstring("captur"));
  open.fake.set_capturing(stream, false);
  hotpack_device_batch* const batch = open.next();
  REQUIRE(batch != nullptr);
  CHECK(described(batch).step == 0);
  hotpack_device_batch_release(batch);
}
