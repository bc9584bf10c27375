#include "hotpack/loader.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hotpack/hotpack.h"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/own_threads.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack::test;

namespace {

constexpr std::size_t kSamples = 10;

hotpack_loader_options small_batches() {
  hotpack_loader_options options;
  REQUIRE(hotpack_loader_options_init(&options, sizeof options) == HOTPACK_OK);
  options.global_batch_size = 3;
  options.threads = 2;
  options.timeout_ms = 20000;
  return options;
}

// A pack of ten samples and a loader over it.
struct OpenLoader {
  explicit OpenLoader(hotpack_loader_options given = small_batches(), const TinyForm& tiny = {})
      : form(tiny) {
    (void)write_pack(folder.path(), form, tiny_records(form, kSamples), 4);
    REQUIRE(hotpack_dataset_open(folder.path().c_str(), &dataset) == HOTPACK_OK);
    status = hotpack_loader_open(dataset, &given, &loader);
  }
  ~OpenLoader() {
    hotpack_loader_close(loader);
    hotpack_dataset_close(dataset);
  }
  OpenLoader(const OpenLoader&) = delete;
  OpenLoader& operator=(const OpenLoader&) = delete;
  [[nodiscard]] std::string error() const { return hotpack_loader_error(loader); }

  TempFolder folder;
  TinyForm form;
  hotpack_dataset* dataset = nullptr;
  hotpack_loader* loader = nullptr;
  hotpack_status status = HOTPACK_OK;
};

// The options with a memory budget that allows no more slots than prefetch_batches.
hotpack_loader_options with_fixed_slots(hotpack_loader_options options) {
  const OpenLoader open(options);
  options.memory_budget_bytes = hotpack_loader_slot_bytes(open.loader);
  return options;
}

hotpack_batch_info described(const hotpack_batch* batch) {
  hotpack_batch_info info;
  info.struct_size = sizeof info;
  REQUIRE(hotpack_batch_describe(batch, &info) == HOTPACK_OK);
  return info;
}

// The remaining samples of an epoch, in order.
std::vector<std::int64_t> rest_of_epoch(hotpack_loader* loader) {
  std::vector<std::int64_t> seen;
  hotpack_batch* batch = nullptr;
  hotpack_status status = HOTPACK_OK;
  while ((status = hotpack_loader_next(loader, &batch)) == HOTPACK_OK) {
    const auto* const samples = hotpack_batch_indices(batch);
    seen.insert(seen.end(), samples, samples + described(batch).batch_size);
    hotpack_batch_release(batch);
  }
  CHECK(status == HOTPACK_END_OF_EPOCH);
  CHECK(batch == nullptr);
  return seen;
}

std::string state_of(hotpack_loader* loader) {
  std::size_t length = 0;
  REQUIRE(hotpack_loader_state(loader, nullptr, 0, &length) == HOTPACK_OK);
  std::string text(length + 1, '#');
  REQUIRE(hotpack_loader_state(loader, text.data(), text.size(), nullptr) == HOTPACK_OK);
  text.pop_back();
  return text;
}

// With a sanitizer a fork must not meet threads that allocate: takes all free slots of a loader, so
// that its threads have nothing to do. Precondition: the number of slots is fixed.
std::vector<hotpack_batch*> rest_for_fork(hotpack_loader* loader) {
  std::vector<hotpack_batch*> held;
  if (kForksAtAnyMoment) return held;
  while (hotpack_loader_leased(loader) < hotpack_loader_slots(loader)) {
    hotpack_batch* batch = nullptr;
    REQUIRE(hotpack_loader_next(loader, &batch) == HOTPACK_OK);
    held.push_back(batch);
  }
  wait_until_others_sleep();
  return held;
}

void* give(void* user, std::size_t bytes) {
  ++*static_cast<std::atomic<int>*>(user);
  return std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}
void take(void* user, void* memory, std::size_t) {
  --*static_cast<std::atomic<int>*>(user);
  std::free(memory);
}

}  // namespace

TEST_CASE("batches in C equal those in C++") {
  const OpenLoader open;
  REQUIRE(open.status == HOTPACK_OK);
  hotpack::LoaderOptions options;
  options.global_batch_size = 3;
  const auto dataset = hotpack::Dataset::open(open.folder.path()).value();
  auto loader = hotpack::Loader::open(dataset, options).value();
  CHECK(hotpack_loader_steps_per_epoch(open.loader) == loader.steps_per_epoch());
  CHECK(hotpack_loader_batch_size(open.loader) == loader.batch_size());
  CHECK(hotpack_loader_threads(open.loader) == 2);
  CHECK(hotpack_loader_image_batch_bytes(open.loader) == loader.image_batch_bytes());
  CHECK(hotpack_loader_label_batch_bytes(open.loader) == loader.label_batch_bytes());
  CHECK(hotpack_loader_slot_bytes(open.loader) == loader.slot_bytes());
  CHECK(hotpack_loader_fingerprint(open.loader) == loader.fingerprint());
  while (const auto expected = loader.next().value()) {
    hotpack_batch* batch = nullptr;
    REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
    const hotpack_batch_info info = described(batch);
    CHECK(info.epoch == expected->epoch());
    CHECK(info.step == expected->step());
    CHECK(info.batch_size == 3);
    CHECK(info.num_valid == 3);
    CHECK(info.image.dimensions == 4);
    CHECK(std::vector<std::int64_t>(info.image.shape, info.image.shape + 4) ==
          std::vector<std::int64_t>{3, 5, 6, 3});
    CHECK(info.image.dtype == HOTPACK_DTYPE_U8);
    CHECK(info.label.dimensions == 3);
    CHECK(info.label.shape[3] == 0);
    REQUIRE(info.image.bytes == expected->image().bytes.size());
    REQUIRE(info.label.bytes == expected->label().bytes.size());
    CHECK(std::memcmp(info.image.data, expected->image().bytes.data(), info.image.bytes) == 0);
    CHECK(std::memcmp(info.label.data, expected->label().bytes.data(), info.label.bytes) == 0);
    for (std::size_t row = 0; row < 3; ++row) {
      CHECK(hotpack_batch_indices(batch)[row] == expected->indices()[row]);
      CHECK(hotpack_batch_key(batch, row) == expected->key(row));
      CHECK(hotpack_batch_crops(batch)[row].width == 6);
      CHECK(hotpack_batch_crops(batch)[row].height == 5);
    }
    CHECK(std::string(hotpack_batch_key(batch, 3)).empty());
    hotpack_batch_release(batch);
  }
  hotpack_batch* batch = nullptr;
  CHECK(hotpack_loader_next(open.loader, &batch) == HOTPACK_END_OF_EPOCH);
}

TEST_CASE("epochs follow each other") {
  const OpenLoader open;
  const auto first = rest_of_epoch(open.loader), second = rest_of_epoch(open.loader);
  CHECK(first.size() == 9);
  CHECK(second.size() == 9);
  CHECK(first != second);
}

TEST_CASE("empty rows have no key and no sample") {
  hotpack_loader_options options = small_batches();
  options.last_batch = HOTPACK_LAST_BATCH_PAD;
  const OpenLoader open(options);
  REQUIRE(hotpack_loader_seek(open.loader, 0, 3) == HOTPACK_OK);
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  CHECK(described(batch).num_valid == 1);
  CHECK(hotpack_batch_indices(batch)[2] == -1);
  CHECK(std::string(hotpack_batch_key(batch, 2)).empty());
  CHECK_FALSE(std::string(hotpack_batch_key(batch, 0)).empty());
  hotpack_batch_release(batch);
}

TEST_CASE("a kept last batch has fewer rows") {
  hotpack_loader_options options = small_batches();
  options.last_batch = HOTPACK_LAST_BATCH_KEEP;
  const OpenLoader open(options);
  CHECK(hotpack_loader_batch_size(open.loader) == 3);
  REQUIRE(hotpack_loader_seek(open.loader, 0, 3) == HOTPACK_OK);
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  const hotpack_batch_info info = described(batch);
  CHECK(info.batch_size == 1);
  CHECK(info.num_valid == 1);
  CHECK(info.image.shape[0] == 1);
  CHECK(info.image.bytes == hotpack_loader_image_batch_bytes(open.loader) / 3);
  CHECK_FALSE(std::string(hotpack_batch_key(batch, 0)).empty());
  CHECK(std::string(hotpack_batch_key(batch, 1)).empty());
  hotpack_batch_release(batch);
  CHECK(hotpack_loader_next(open.loader, &batch) == HOTPACK_END_OF_EPOCH);
}

TEST_CASE("an unlabeled set has no label field") {
  TinyForm form;
  form.labeled = false;
  const OpenLoader open(small_batches(), form);
  REQUIRE(open.status == HOTPACK_OK);
  CHECK(hotpack_loader_label_batch_bytes(open.loader) == 0);
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  const hotpack_batch_info info = described(batch);
  CHECK(info.image.bytes == 3 * 5 * 6 * 3);
  CHECK(info.label.data == nullptr);
  CHECK(info.label.bytes == 0);
  CHECK(info.label.dimensions == 0);
  hotpack_batch_release(batch);
}

TEST_CASE("packed content is the records as stored") {
  hotpack_loader_options options = small_batches();
  options.content = HOTPACK_CONTENT_PACKED;
  options.shuffle = HOTPACK_SHUFFLE_NONE;
  const OpenLoader open(options);
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  const hotpack_batch_info info = described(batch);
  const auto records = tiny_records(open.form, 3);
  REQUIRE(info.label.bytes == 3 * 5 * 6);
  for (std::size_t row = 0; row < 3; ++row) {
    const auto image = stored_image(open.form, records[row]),
               label = stored_label(open.form, records[row]);
    CHECK(std::memcmp(static_cast<std::byte*>(info.image.data) + row * image.size(), image.data(),
                      image.size()) == 0);
    CHECK(std::memcmp(static_cast<std::byte*>(info.label.data) + row * label.size(), label.data(),
                      label.size()) == 0);
  }
  hotpack_batch_release(batch);
}

TEST_CASE("batches are copied into the caller's memory") {
  hotpack_loader_options options = small_batches();
  options.image_dtype = HOTPACK_DTYPE_F32;
  options.image_layout = HOTPACK_CHANNELS_FIRST;
  options.label_form = HOTPACK_FORM_ONE_HOT;
  options.label_dtype = HOTPACK_DTYPE_F32;
  options.horizontal_flip = 0.5;
  const OpenLoader leased(options), copied(options);
  std::vector<float> image(3 * 3 * 5 * 6), label(3 * 5 * 6 * 3);
  std::int64_t samples[3];
  hotpack_crop crops[3];
  hotpack_batch_buffers buffers{sizeof buffers, image.data(),     image.size() * 4,
                                label.data(),   label.size() * 4, samples,
                                crops};
  hotpack_batch_info info;
  info.struct_size = sizeof info;
  for (int step = 0; step < 3; ++step) {
    hotpack_batch* batch = nullptr;
    REQUIRE(hotpack_loader_next(leased.loader, &batch) == HOTPACK_OK);
    REQUIRE(hotpack_loader_next_into(copied.loader, &buffers, step == 1 ? nullptr : &info) ==
            HOTPACK_OK);
    const hotpack_batch_info expected = described(batch);
    CHECK(std::memcmp(image.data(), expected.image.data, expected.image.bytes) == 0);
    CHECK(std::memcmp(label.data(), expected.label.data, expected.label.bytes) == 0);
    CHECK(std::equal(samples, samples + 3, hotpack_batch_indices(batch)));
    CHECK(std::memcmp(crops, hotpack_batch_crops(batch), sizeof crops) == 0);
    if (step != 1) {
      CHECK(info.step == expected.step);
      CHECK(info.image.data == image.data());
      CHECK(info.image.bytes == expected.image.bytes);
      CHECK(info.label.bytes == expected.label.bytes);
      CHECK(info.image.dtype == HOTPACK_DTYPE_F32);
      CHECK(info.label.dtype == HOTPACK_DTYPE_F32);
      CHECK(info.image.shape[1] == 3);
    }
    hotpack_batch_release(batch);
  }
  CHECK(hotpack_loader_next_into(copied.loader, &buffers, &info) == HOTPACK_END_OF_EPOCH);
}

TEST_CASE("buffers that do not fit lose no batch") {
  const OpenLoader open;
  std::vector<std::uint8_t> image(3 * 5 * 6 * 3);
  hotpack_batch_buffers buffers{sizeof buffers, image.data(), image.size() - 1, nullptr, 0,
                                nullptr,        nullptr};
  hotpack_batch_info info;
  info.struct_size = sizeof info;
  CHECK(hotpack_loader_next_into(open.loader, &buffers, &info) == HOTPACK_ERROR_USAGE);
  buffers.image_bytes = 0;
  CHECK(hotpack_loader_next_into(open.loader, &buffers, &info) == HOTPACK_ERROR_USAGE);
  CHECK(open.error().find("image_bytes is 0") == 0);
  buffers.image_bytes = image.size();
  info.struct_size = 0;
  CHECK(hotpack_loader_next_into(open.loader, &buffers, &info) == HOTPACK_ERROR_USAGE);
  info.struct_size = sizeof info;
  CHECK(hotpack_loader_next_into(open.loader, nullptr, &info) == HOTPACK_ERROR_USAGE);
  REQUIRE(hotpack_loader_next_into(open.loader, &buffers, &info) == HOTPACK_OK);
  CHECK(info.step == 0);
  CHECK(info.label.data == nullptr);
  CHECK(info.label.bytes == 0);
}

TEST_CASE("a state resumes the run after any step") {
  const OpenLoader whole;
  const auto expected = rest_of_epoch(whole.loader);
  for (std::size_t steps = 0; steps <= 3; ++steps) {
    const OpenLoader stopped;
    hotpack_batch* batch = nullptr;
    for (std::size_t i = 0; i < steps; ++i) {
      REQUIRE(hotpack_loader_next(stopped.loader, &batch) == HOTPACK_OK);
      hotpack_batch_release(batch);
    }
    const std::string state = state_of(stopped.loader);
    const std::vector<std::int64_t> rest(expected.begin() + static_cast<std::ptrdiff_t>(3 * steps),
                                         expected.end());
    const OpenLoader restored;
    REQUIRE(hotpack_loader_restore(restored.loader, state.c_str()) == HOTPACK_OK);
    CHECK(rest_of_epoch(restored.loader) == rest);
    hotpack_loader_options options = small_batches();
    options.resume = state.c_str();
    const OpenLoader resumed(options);
    REQUIRE(resumed.status == HOTPACK_OK);
    CHECK(rest_of_epoch(resumed.loader) == rest);
  }
}

TEST_CASE("a state of another run is refused") {
  const OpenLoader open;
  hotpack_loader_options options = small_batches();
  options.seed = 1;
  const OpenLoader other(options);
  const std::string state = state_of(open.loader);
  CHECK(hotpack_loader_restore(other.loader, state.c_str()) == HOTPACK_ERROR_USAGE);
  CHECK(other.error().find("seed") != std::string::npos);
  CHECK(hotpack_loader_restore(other.loader, "{}") == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_restore(other.loader, nullptr) == HOTPACK_ERROR_USAGE);
  options.resume = state.c_str();
  const OpenLoader resumed(options);
  CHECK(resumed.status == HOTPACK_ERROR_USAGE);
}

TEST_CASE("ranks share a batch") {
  std::vector<std::int64_t> both;
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    hotpack_loader_options options = small_batches();
    options.world_size = 2;
    options.rank = rank;
    const OpenLoader open(options);
    CHECK(hotpack_loader_batch_size(open.loader) == 1 + rank);
    CHECK(hotpack_loader_steps_per_epoch(open.loader) == 3);
    const auto seen = rest_of_epoch(open.loader);
    both.insert(both.end(), seen.begin(), seen.end());
  }
  std::sort(both.begin(), both.end());
  CHECK(both.size() == 9);
  CHECK(std::adjacent_find(both.begin(), both.end()) == both.end());
}

TEST_CASE("options that do not fit give a handle with the reason") {
  hotpack_loader_options options = small_batches();
  options.global_batch_size = 11;
  const OpenLoader open(options);
  CHECK(open.status == HOTPACK_ERROR_USAGE);
  REQUIRE(open.loader != nullptr);
  const std::string reason = open.error();
  CHECK(reason.find("11") != std::string::npos);
  hotpack_batch* batch = nullptr;
  CHECK(hotpack_loader_next(open.loader, &batch) == HOTPACK_ERROR_USAGE);
  CHECK(open.error() == reason);
  CHECK(hotpack_loader_batch_size(open.loader) == 0);
  CHECK(std::string(hotpack_loader_fingerprint(open.loader)).empty());
  hotpack_loader_cancel(open.loader);
}

TEST_CASE("a loader needs an open data set") {
  hotpack_loader* loader = nullptr;
  CHECK(hotpack_loader_open(nullptr, nullptr, &loader) == HOTPACK_ERROR_USAGE);
  CHECK(std::string(hotpack_loader_error(loader)).find("dataset is NULL") == 0);
  hotpack_loader_close(loader);
  const TempFolder folder;
  hotpack_dataset* dataset = nullptr;
  CHECK(hotpack_dataset_open((folder / "none").c_str(), &dataset) < 0);
  CHECK(hotpack_loader_open(dataset, nullptr, &loader) == HOTPACK_ERROR_USAGE);
  CHECK(std::string(hotpack_loader_error(loader)).find("the data set did not open") == 0);
  hotpack_loader_close(loader);
  CHECK(hotpack_loader_open(dataset, nullptr, nullptr) == HOTPACK_ERROR_USAGE);
  hotpack_dataset_close(dataset);
}

TEST_CASE("a struct of an older program gets defaults for missing fields") {
  const OpenLoader open;
  hotpack_loader_options options = small_batches();
  options.struct_size = offsetof(hotpack_loader_options, image_dtype);
  options.image_dtype = -99;
  hotpack_loader* loader = nullptr;
  REQUIRE(hotpack_loader_open(open.dataset, &options, &loader) == HOTPACK_OK);
  CHECK(hotpack_loader_batch_size(loader) == 3);
  hotpack_loader_close(loader);
}

TEST_CASE("a struct that ends within a field is refused") {
  const OpenLoader open;
  hotpack_loader_options options = small_batches();
  options.struct_size = offsetof(hotpack_loader_options, image_dtype) + 2;
  hotpack_loader* loader = nullptr;
  CHECK(hotpack_loader_open(open.dataset, &options, &loader) == HOTPACK_ERROR_USAGE);
  CHECK(std::string(hotpack_loader_error(loader)).find("sizeof(hotpack_loader_options)") !=
        std::string::npos);
  hotpack_loader_close(loader);
  hotpack_batch_info info;
  info.struct_size = offsetof(hotpack_batch_info, image) + 8;
  hotpack_batch_buffers buffers{sizeof buffers, nullptr, 0, nullptr, 0, nullptr, nullptr};
  CHECK(hotpack_loader_next_into(open.loader, &buffers, &info) == HOTPACK_ERROR_USAGE);
  info.struct_size = sizeof info;
  REQUIRE(hotpack_loader_next_into(open.loader, &buffers, &info) == HOTPACK_OK);
  CHECK(info.step == 0);
}

TEST_CASE("functions answer without a loader or a batch") {
  hotpack_batch* batch = nullptr;
  hotpack_batch_info info;
  info.struct_size = sizeof info;
  hotpack_batch_buffers buffers{sizeof buffers, nullptr, 0, nullptr, 0, nullptr, nullptr};
  char text[8];
  hotpack_loader_close(nullptr);
  hotpack_loader_cancel(nullptr);
  hotpack_batch_release(nullptr);
  CHECK(std::string(hotpack_loader_error(nullptr)).empty());
  CHECK(hotpack_loader_error_info(nullptr, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_steps_per_epoch(nullptr) == 0);
  CHECK(hotpack_loader_batch_size(nullptr) == 0);
  CHECK(hotpack_loader_threads(nullptr) == 0);
  CHECK(hotpack_loader_image_batch_bytes(nullptr) == 0);
  CHECK(hotpack_loader_label_batch_bytes(nullptr) == 0);
  CHECK(hotpack_loader_slot_bytes(nullptr) == 0);
  CHECK(std::string(hotpack_loader_fingerprint(nullptr)).empty());
  CHECK(hotpack_loader_next(nullptr, &batch) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_next_timeout(nullptr, 1, &batch) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_next_into(nullptr, &buffers, &info) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_seek(nullptr, 0, 0) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_state(nullptr, text, sizeof text, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_restore(nullptr, "{}") == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_batch_describe(nullptr, &info) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_batch_indices(nullptr) == nullptr);
  CHECK(hotpack_batch_crops(nullptr) == nullptr);
  CHECK(std::string(hotpack_batch_key(nullptr, 0)).empty());
  const OpenLoader open;
  CHECK(hotpack_loader_next(open.loader, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_next_timeout(open.loader, -1, &batch) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("batches and loaders outlive their origin") {
  OpenLoader open;
  hotpack_dataset_close(std::exchange(open.dataset, nullptr));
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  hotpack_loader_close(std::exchange(open.loader, nullptr));
  const hotpack_batch_info info = described(batch);
  std::memset(info.image.data, 7, info.image.bytes);
  CHECK_FALSE(std::string(hotpack_batch_key(batch, 0)).empty());
  hotpack_batch_release(batch);
}

TEST_CASE("next fails while every slot is held, and works after a release") {
  const OpenLoader open(with_fixed_slots(small_batches()));
  hotpack_batch* batches[3] = {};
  for (auto& batch : batches) REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  REQUIRE(hotpack_loader_seek(open.loader, 1, 0) == HOTPACK_OK);
  hotpack_batch* batch = batches[0];
  CHECK(hotpack_loader_next_timeout(open.loader, 20000, &batch) == HOTPACK_ERROR_BUSY);
  CHECK(batch == nullptr);
  hotpack_batch_release(batches[0]);
  REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  CHECK(described(batch).epoch == 1);
  for (auto* const held : {batch, batches[1], batches[2]}) hotpack_batch_release(held);
}

TEST_CASE("a loader tells where it stands and what is leased") {
  const OpenLoader open;
  std::uint64_t epoch = 9, step = 9;
  CHECK(hotpack_loader_slots(open.loader) == 3);
  CHECK(hotpack_loader_leased(open.loader) == 0);
  REQUIRE(hotpack_loader_position(open.loader, &epoch, &step) == HOTPACK_OK);
  CHECK(epoch == 0);
  CHECK(step == 0);
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  CHECK(hotpack_loader_leased(open.loader) == 1);
  hotpack_batch_release(batch);
  CHECK(hotpack_loader_leased(open.loader) == 0);
  hotpack_batch* held[2] = {};
  for (auto*& each : held) REQUIRE(hotpack_loader_next(open.loader, &each) == HOTPACK_OK);
  CHECK(hotpack_loader_slots(open.loader) == 4);
  for (auto* const each : held) hotpack_batch_release(each);
  REQUIRE(hotpack_loader_seek(open.loader, 0, 1) == HOTPACK_OK);
  REQUIRE(hotpack_loader_position(open.loader, nullptr, &step) == HOTPACK_OK);
  CHECK(step == 1);
  REQUIRE(hotpack_loader_seek(open.loader, 5, 2) == HOTPACK_OK);
  REQUIRE(hotpack_loader_position(open.loader, &epoch, nullptr) == HOTPACK_OK);
  CHECK(epoch == 5);
  CHECK(hotpack_loader_slots(nullptr) == 0);
  CHECK(hotpack_loader_leased(nullptr) == 0);
  CHECK(hotpack_loader_position(nullptr, &epoch, &step) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("begin_epoch continues at the end of an epoch and elsewhere") {
  const OpenLoader open, whole;
  (void)rest_of_epoch(whole.loader);
  const auto second = rest_of_epoch(whole.loader);
  hotpack_batch* batch = nullptr;
  for (int step = 0; step < 3; ++step) {
    REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
    hotpack_batch_release(batch);
  }
  std::uint64_t epoch = 9, step = 9;
  REQUIRE(hotpack_loader_position(open.loader, &epoch, &step) == HOTPACK_OK);
  CHECK(epoch == 0);
  CHECK(step == 3);  // an end that next has not returned
  REQUIRE(hotpack_loader_begin_epoch(open.loader, 1) == HOTPACK_OK);
  CHECK(rest_of_epoch(open.loader) == second);
  REQUIRE(hotpack_loader_begin_epoch(open.loader, 1) == HOTPACK_OK);
  CHECK(rest_of_epoch(open.loader) == second);
  CHECK(hotpack_loader_begin_epoch(open.loader, std::uint64_t{1} << 32) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_loader_begin_epoch(nullptr, 0) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("a shared batch keeps its slot until the last handle is released") {
  std::atomic<int> blocks = 0;
  hotpack_loader_options options = small_batches();
  options.allocate = give;
  options.free = take;
  options.allocator_user = &blocks;
  hotpack_batch* batch = nullptr;
  hotpack_batch* share = nullptr;
  {
    const OpenLoader open(options);
    REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
    REQUIRE(hotpack_batch_share(batch, &share) == HOTPACK_OK);
    REQUIRE(share != batch);
    CHECK(hotpack_loader_leased(open.loader) == 1);
    CHECK(described(share).image.data == described(batch).image.data);
    CHECK(hotpack_batch_indices(share) == hotpack_batch_indices(batch));
    CHECK(std::memcmp(hotpack_batch_crops(share), hotpack_batch_crops(batch),
                      3 * sizeof(hotpack_crop)) == 0);
    const std::string key = hotpack_batch_key(batch, 1);
    hotpack_batch_release(batch);
    CHECK(hotpack_batch_key(share, 1) == key);
    CHECK(hotpack_loader_leased(open.loader) == 1);
  }
  CHECK(blocks > 0);
  const hotpack_batch_info info = described(share);
  std::memset(info.image.data, 7, info.image.bytes);
  hotpack_batch_release(share);
  CHECK(blocks == 0);
  CHECK(hotpack_batch_share(nullptr, &share) == HOTPACK_ERROR_USAGE);
  CHECK(share == nullptr);
}

TEST_CASE("cancel ends waiting until seek") {
  const OpenLoader open;
  hotpack_batch* batch = nullptr;
  hotpack_loader_cancel(open.loader);
  CHECK(hotpack_loader_next(open.loader, &batch) == HOTPACK_ERROR_CANCELLED);
  CHECK_FALSE(open.error().empty());
  REQUIRE(hotpack_loader_seek(open.loader, 0, 0) == HOTPACK_OK);
  CHECK(rest_of_epoch(open.loader).size() == 9);
  CHECK(hotpack_loader_seek(open.loader, 0, 4) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("the child of a fork gets errors, the state of the fork, and may close") {
  std::atomic<int> blocks = 0;
  hotpack_loader_options options = small_batches();
  options.allocate = give;
  options.free = take;
  options.allocator_user = &blocks;
  options.prefetch_batches = 2;  // fewer than the steps of the epoch
  const OpenLoader open(with_fixed_slots(options));
  hotpack_batch* held = nullptr;
  REQUIRE(hotpack_loader_next(open.loader, &held) == HOTPACK_OK);
  const std::vector<hotpack_batch*> others = rest_for_fork(open.loader);
  const std::string at_fork = state_of(open.loader);
  const int ended = status_of_child([&] {
    hotpack_batch* batch = nullptr;
    char text[1024] = "";
    const bool refused =
        hotpack_loader_next(open.loader, &batch) == HOTPACK_ERROR_USAGE && batch == nullptr;
    const bool told = hotpack_loader_state(open.loader, text, sizeof text, nullptr) == HOTPACK_OK &&
                      at_fork == text;
    hotpack_batch_release(held);
    hotpack_loader_close(open.loader);
    return refused && told;
  });
  CHECK(ended == 0);
  hotpack_batch_release(held);
  for (hotpack_batch* const other : others) hotpack_batch_release(other);
  CHECK(rest_of_epoch(open.loader).size() == 6 - 3 * others.size());
}

TEST_CASE("a damaged record is a repeated error of its step") {
  TinyForm form;
  const OpenLoader whole(small_batches(), form);
  const TempFolder folder;
  (void)write_pack(folder.path(), form, tiny_records(form, kSamples), 4);
  std::string shard;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".safetensors") shard = std::max(shard, entry.path().string());
  }
  hotpack_dataset* dataset = nullptr;
  hotpack_loader* loader = nullptr;
  REQUIRE(hotpack_dataset_open(folder.path().c_str(), &dataset) == HOTPACK_OK);
  const auto image = stored_image(form, tiny_records(form, kSamples)[9]);
  std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto at =
      bytes.find(std::string(reinterpret_cast<const char*>(image.data()), image.size()));
  REQUIRE(at != std::string::npos);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(~bytes[at]));
  file.close();
  hotpack_loader_options options = small_batches();
  options.shuffle = HOTPACK_SHUFFLE_NONE;
  options.global_batch_size = 5;
  REQUIRE(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_OK);
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_next(loader, &batch) == HOTPACK_OK);
  hotpack_batch_release(batch);
  for (int i = 0; i < 2; ++i) {
    CHECK(hotpack_loader_next(loader, &batch) == HOTPACK_ERROR_DAMAGED);
    CHECK(batch == nullptr);
    CHECK(std::string(hotpack_loader_error(loader)).find(shard) != std::string::npos);
    hotpack_error_info info;
    info.struct_size = sizeof info;
    REQUIRE(hotpack_loader_error_info(loader, &info) == HOTPACK_OK);
    CHECK(info.status == HOTPACK_ERROR_DAMAGED);
    CHECK(info.path == shard);
    CHECK(info.record == 1);  // of the last shard, which has two
    CHECK(info.key == tiny_records(form, kSamples)[9].key);
  }
  hotpack_loader_close(loader);
  hotpack_dataset_close(dataset);
}

TEST_CASE("the caller's slot memory is released after the last use") {
  std::atomic<int> blocks = 0;
  hotpack_loader_options options = small_batches();
  options.allocate = give;
  options.free = take;
  options.allocator_user = &blocks;
  hotpack_batch* batch = nullptr;
  {
    const OpenLoader open(options);
    REQUIRE(open.status == HOTPACK_OK);
    CHECK(blocks == 3);
    REQUIRE(hotpack_loader_next(open.loader, &batch) == HOTPACK_OK);
  }
  CHECK(blocks > 0);
  hotpack_batch_release(batch);
  CHECK(blocks == 0);
}

TEST_CASE("several threads share a loader and get different batches") {
  const OpenLoader open;
  const auto expected = rest_of_epoch(open.loader);
  REQUIRE(hotpack_loader_seek(open.loader, 0, 0) == HOTPACK_OK);
  std::vector<std::int64_t> seen[2];
  std::atomic<int> ends = 0;
  const auto consume = [&](std::vector<std::int64_t>& into) {
    hotpack_batch* batch = nullptr;
    while (ends == 0) {
      const hotpack_status status = hotpack_loader_next(open.loader, &batch);
      if (status != HOTPACK_OK) {
        ++ends;
        return;
      }
      hotpack_batch_info info;  // without assertions: Catch accepts those of one thread only
      info.struct_size = sizeof info;
      if (hotpack_batch_describe(batch, &info) == HOTPACK_OK && info.epoch == 0) {
        into.insert(into.end(), hotpack_batch_indices(batch), hotpack_batch_indices(batch) + 3);
      }
      hotpack_batch_release(batch);
    }
  };
  std::thread other(consume, std::ref(seen[1]));
  consume(seen[0]);
  other.join();
  std::vector<std::int64_t> all(seen[0]);
  all.insert(all.end(), seen[1].begin(), seen[1].end());
  auto sorted = expected;
  std::sort(all.begin(), all.end());
  std::sort(sorted.begin(), sorted.end());
  CHECK(all == sorted);
}
