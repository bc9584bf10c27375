// Resident records equal the data set: bytes and keys for any reader, errors at their steps, and
// nothing else.
#include "device/resident_load.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/temp_folder.hpp"
#include "unit/device/cargo_rig.hpp"

namespace {

std::atomic<int> asked_for{0};  // parts of mappings that the system was asked to read

}  // namespace

// Replaces the C library's function.
extern "C" int madvise(void* memory, std::size_t bytes, int advice) noexcept {
  if (advice == MADV_WILLNEED) ++asked_for;
  return static_cast<int>(::syscall(SYS_madvise, memory, bytes, advice));
}

using namespace hotpack;
using namespace hotpack::test;
using device::RecordBlocks;
using device::ResidentSet;

namespace {

constexpr std::uint64_t kBlock =
    192;  // 90 bytes of image and 30 of label, each brought up to a multiple of 64
constexpr std::uint64_t kRecords = 40;
constexpr std::uint64_t kSet = kRecords * kBlock;  // 7680
constexpr std::uint64_t kPlenty = 1000000;

RigOptions rig_options(Residency residency) {
  RigOptions options;
  options.loader = in_file_order(4);
  options.residency = residency;
  options.pinned_budget_bytes = kPlenty;
  options.device_budget_bytes = kPlenty;
  return options;
}

// The usual pack of records of one size, opened and measured on one thread.
struct MeasuredPack {
  TinyPack pack{{}, kRecords, 16};
  Dataset dataset = pack.open();
  std::unique_ptr<loader::RecordSource> source =
      must(loader::RecordSource::make(dataset, VerifyChecksums::always, FileAccess::map));
  loader::BatchForm form = must(loader::BatchForm::make(source->schema(), {}, 1));
  std::shared_ptr<const RecordBlocks> blocks =
      std::make_shared<const RecordBlocks>(RecordBlocks::make(*source, form, 1));
};

Error refusal(CargoRig& rig, const RigOptions& options, const Dataset& dataset) {
  const Status loaded = rig.load(dataset, options);
  if (loaded.ok()) throw std::logic_error("it was loaded");
  return loaded.error();
}

// The error of this step from the cargo's filler. A host Loader's error is the same, plus the
// step.
void check_error_as_host(const Dataset& for_host, const Dataset& for_device, RigOptions options,
                         std::uint64_t step) {
  Loader host = open_loader(for_host, options.loader);
  REQUIRE(host.seek(0, step).ok());
  const Error expected = next_error(host);
  for (const Residency residency : {Residency::page, Residency::device}) {
    INFO(residency_name(residency));
    CargoRig rig;
    options.residency = residency;
    REQUIRE(rig.load(for_device, options).ok());
    const auto failed = rig.fill_rows(rig.begin(0, step));
    REQUIRE(failed);
    CHECK(expected.message == failed->error.message + " [step " + std::to_string(step) +
                                  " of epoch 0; seek(0, " + std::to_string(step + 1) +
                                  ") goes past it]");
    CHECK(failed->error.code == expected.code);
    CHECK(failed->error.path == expected.path);
    CHECK(failed->error.offset == expected.offset);
    CHECK(rig.fill_rows(rig.begin(1, step)));  // and again
  }
}

// Everything in a resident set.
std::vector<Row> contents(const FakeDriver& fake, const ResidentSet& set, const Dataset& dataset,
                          std::size_t part) {
  std::vector<Row> rows;
  for (std::uint64_t sample = 0; sample < dataset.records(); ++sample) {
    const auto shape = set.blocks->shape(sample);
    const auto block = device::block_of(*shape);
    const Bytes bytes =
        fake.bytes(set.devices[part].address() + set.blocks->begin(sample), block.bytes);
    const auto cut = [&](std::uint64_t at, std::uint64_t size) {
      const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
    };
    Row row{static_cast<std::int64_t>(sample),
            std::string(set.keys[sample]),
            stored_row(dataset, static_cast<std::int64_t>(sample)).box,
            cut(0, shape->image.size_bytes()),
            {}};
    if (block.label != 0) row.label = cut(block.label, shape->label.size_bytes());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> stored_rows(const Dataset& dataset) {
  std::vector<Row> rows;
  for (std::uint64_t sample = 0; sample < dataset.records(); ++sample) {
    rows.push_back(stored_row(dataset, static_cast<std::int64_t>(sample)));
  }
  return rows;
}

}  // namespace

TEST_CASE("a record that is damaged is an error of its step alone") {
  for (const char* const form_name : {"bits", "mixed"}) {
    INFO(form_name);
    const TinyPack pack(all_forms()[form_name], 12, 4);
    pack.damage_image(6);
    RigOptions options = rig_options(Residency::page);
    options.loader.global_batch_size = 2;
    options.loader.pad_to = PixelSize{8, 8};
    check_error_as_host(pack.open(), pack.open(), options, 3);
    CargoRig rig;
    options.residency = Residency::device;
    const Dataset dataset = pack.open();
    REQUIRE(rig.load(dataset, options).ok());
    for (const std::uint64_t step : {0u, 1u, 2u, 4u, 5u}) {
      const auto& slot = rig.fill(0, step);
      const auto rows = rig.rows(slot, 0, dataset);
      for (std::size_t row = 0; row < 2; ++row)
        CHECK(rows[row].image == stored_row(dataset, slot.samples[row]).image);
    }
  }
}

TEST_CASE("a missing shard is an error of the steps that need it") {
  for (const char* const form_name : {"bits", "mixed", "zstd"}) {
    INFO(form_name);
    const TinyPack pack(all_forms()[form_name], 12, 4);
    const Dataset for_host = pack.open(), for_device = pack.open();
    std::filesystem::remove(pack.shard_path(1));
    RigOptions options = rig_options(Residency::page);
    options.loader.augment.crop = Crop{{3, 3}};
    check_error_as_host(for_host, for_device, options, 1);
  }
}

TEST_CASE("a record that could not be measured while loading gets no room later") {
  const TinyPack pack(all_forms()["mixed"], 12, 4);
  const std::string shard = pack.shard_path(1);
  for (const Residency residency : {Residency::page, Residency::device}) {
    CargoRig rig;
    RigOptions options = rig_options(residency);
    options.loader.pad_to = PixelSize{8, 8};
    std::filesystem::rename(shard, shard + ".away");
    REQUIRE(rig.load(pack.open(), options).ok());
    std::filesystem::rename(shard + ".away", shard);
    (void)rig.fill(0, 0);
    const auto failed = rig.fill_rows(rig.begin(0, 1));
    REQUIRE(failed);
    const bool page = residency == Residency::page;
    CHECK_THAT(failed->error.message,
               ContainsSubstring(page ? "replaced since then; open the loader again"
                                      : "but it is missing"));
    (void)rig.fill(0, 2);
  }
}

namespace {

// The result of a load whose records were measured before `change`.
std::shared_ptr<const ResidentSet> loaded_behind(const FakeDriver& fake, const Dataset& dataset,
                                                 const std::function<void()>& change,
                                                 const std::function<void()>& before = {}) {
  const auto source =
      must(loader::RecordSource::make(dataset, VerifyChecksums::never, FileAccess::map));
  LoaderOptions options;
  options.pad_to = PixelSize{16, 16};
  const auto form = must(loader::BatchForm::make(source->schema(), options, 1));
  if (before) before();
  const auto blocks = std::make_shared<const RecordBlocks>(RecordBlocks::make(*source, form, 1));
  const std::vector<std::shared_ptr<const device::Context>> contexts{
      must(device::Context::retain(fake.driver(), 0))};
  auto memory = must(device::take_resident(blocks, contexts, {}));
  change();
  return must(device::load_resident(std::move(memory), *source, form));
}

// Of different sizes, the largest first or last.
std::vector<TinyRecord> records_by_size(bool largest_first) {
  std::vector<TinyRecord> records = tiny_records(all_forms()["mixed"], 4);
  std::vector<std::string> keys;
  for (const TinyRecord& record : records) keys.push_back(record.key);
  std::sort(records.begin(), records.end(), [&](const TinyRecord& a, const TinyRecord& b) {
    return largest_first ? a.image.size() > b.image.size() : a.image.size() < b.image.size();
  });
  for (std::size_t i = 0; i < records.size(); ++i) records[i].key = keys[i];
  return records;
}

}  // namespace

TEST_CASE("a record replaced by a larger one after measuring is an error") {
  const TempFolder folder, other;
  write_pack(folder.path(), all_forms()["mixed"], records_by_size(true), 4);
  write_pack(other.path(), all_forms()["mixed"], records_by_size(false), 4);
  const std::string shard = "/" + format::shard_file_name(0, 1);
  FakeDriver fake;
  const auto set = loaded_behind(fake, must(Dataset::open(folder.path())), [&] {
    std::ifstream from(other.path() + shard, std::ios::binary);
    std::fstream to(folder.path() + shard, std::ios::binary | std::ios::in | std::ios::out);
    to << from.rdbuf();
    REQUIRE(to.flush());
  });
  REQUIRE(set->errors.contains(3));
  CHECK_THAT(set->errors.at(3).message, ContainsSubstring("overwritten while it was in use"));
}

TEST_CASE("a record whose shard returns after measuring is an error with advice") {
  const TinyPack pack(all_forms()["mixed"], 12, 4);
  const std::string shard = pack.shard_path(1);
  FakeDriver fake;
  const auto set = loaded_behind(
      fake, pack.open(), [&] { std::filesystem::rename(shard + ".away", shard); },
      [&] { std::filesystem::rename(shard, shard + ".away"); });
  CHECK(set->errors.size() == 4);
  for (const auto& [sample, error] : set->errors) {
    CHECK(error.path == shard);
    CHECK_THAT(error.message, ContainsSubstring("sample " + std::to_string(sample)) &&
                                  ContainsSubstring("open the loader again"));
  }
}

TEST_CASE("a record larger than pad_to is an error of its step") {
  const TinyPack pack(all_forms()["mixed"], 12, 4);
  RigOptions options = rig_options(Residency::page);
  options.loader.global_batch_size = 1;
  options.loader.pad_to = PixelSize{5, 4};
  check_error_as_host(pack.open(), pack.open(), options, 2);  // 6 pixels wide
  pack.damage_image(5);  // and damaged besides: a host Loader finds the size first
  check_error_as_host(pack.open(), pack.open(), options, 5);
}

TEST_CASE("records that are read without a check are not checked") {
  const TinyPack pack({}, 12, 4);
  pack.damage_image(6);
  for (const Residency residency : {Residency::page, Residency::device}) {
    CargoRig rig;
    RigOptions options = rig_options(residency);
    options.loader.verify_checksums = VerifyChecksums::never;
    REQUIRE(rig.load(pack.open(), options).ok());
    CHECK_FALSE(rig.fill_rows(rig.begin(0, 1)));
  }
}

TEST_CASE("a load leaves nothing behind but the records") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig({.devices = 2});
  RigOptions options = rig_options(Residency::device);
  options.devices = 2;
  options.loader.threads = 3;
  REQUIRE(rig.load(pack.open(), options).ok());
  const FakeDriver::Held held = rig.fake.held();
  CHECK(held.device_blocks == 2);
  CHECK(held.device_bytes == 2 * kSet);
  CHECK(held.pinned_bytes == 0);
  CHECK(held.streams == 0);
  CHECK(held.events == 0);
  CHECK(rig.loaded->copied_bytes == 2 * kSet);
  CHECK(rig.loaded->load_seconds > 0);
}

TEST_CASE("any number of threads loads the same bytes") {
  for (const char* const form_name : {"bits", "mixed", "zstd-mixed", "unlabeled", "sample-index"}) {
    const TinyPack pack(all_forms()[form_name], 33, 5);
    const Dataset dataset = pack.open();
    const auto expected = stored_rows(dataset);
    const auto source =
        must(loader::RecordSource::make(dataset, VerifyChecksums::always, FileAccess::map));
    const auto form = must(loader::BatchForm::make(dataset.schema(), {}, 1));
    for (const unsigned threads : {1u, 2u, 7u}) {
      INFO(form_name << " by " << threads << " threads");
      FakeDriver fake({.devices = 2,
                       .schedule = threads == 2 ? Schedule::random : Schedule::late,
                       .seed = threads});
      std::vector<std::shared_ptr<const device::Context>> contexts;
      for (const int ordinal : {0, 1})
        contexts.push_back(must(device::Context::retain(fake.driver(), ordinal)));
      const auto blocks =
          std::make_shared<const RecordBlocks>(RecordBlocks::make(*source, form, threads));
      auto memory =
          must(device::take_resident(blocks, contexts, {.threads = threads, .chunk_bytes = 400}));
      const auto set = must(device::load_resident(std::move(memory), *source, form));
      CHECK(contents(fake, *set, dataset, 0) == expected);
      CHECK(contents(fake, *set, dataset, 1) == expected);
      CHECK(set->errors.empty());
      CHECK(fake.spinning_waits() == 0);
      CHECK(fake.violations().empty());
    }
  }
}

TEST_CASE("a load prefetches records") {
  const TinyPack pack({}, kRecords, 16);
  for (const unsigned threads : {1u, 2u}) {
    const auto source =
        must(loader::RecordSource::make(pack.open(), VerifyChecksums::always, FileAccess::map));
    const auto form = must(loader::BatchForm::make(source->schema(), {}, 1));
    const auto blocks = std::make_shared<const RecordBlocks>(RecordBlocks::make(*source, form, 1));
    FakeDriver fake;
    const std::vector<std::shared_ptr<const device::Context>> contexts{
        must(device::Context::retain(fake.driver(), 0))};
    auto memory = must(
        device::take_resident(blocks, contexts, {.threads = threads, .chunk_bytes = 2 * kBlock}));
    asked_for = 0;
    REQUIRE(device::load_resident(std::move(memory), *source, form).ok());
    // Image and label of each, once; the turn of the first chunk comes at once.
    if (threads == 1) CHECK(asked_for == 2 * (kRecords - 2));
    CHECK(asked_for <= 2 * (static_cast<int>(kRecords) - 2));
  }
}

TEST_CASE("buffers of a load stay within their budget if possible") {
  const MeasuredPack measured;
  const auto held_with = [&](std::uint64_t budget) {
    FakeDriver fake;
    const std::vector<std::shared_ptr<const device::Context>> contexts{
        must(device::Context::retain(fake.driver(), 0))};
    const auto memory = must(device::take_resident(measured.blocks, contexts,
                                                   {.threads = 4, .buffer_budget_bytes = budget}));
    return fake.held().pinned_bytes;
  };
  CHECK(held_with(kPlenty) == 2 * kSet);  // one chunk is all
  for (const std::uint64_t budget : {8000u, 2000u, 1000u, 400u}) CHECK(held_with(budget) <= budget);
  CHECK(held_with(1) == 2 * kBlock);  // the minimum
}

TEST_CASE("a load works with fewer buffers if memory is short") {
  const MeasuredPack measured;
  FakeDriver fake;
  const std::vector<std::shared_ptr<const device::Context>> contexts{
      must(device::Context::retain(fake.driver(), 0))};
  fake.fail("MemHostAlloc", 3,
            device::code::kOutOfMemory);  // the second buffer of the second thread
  auto memory =
      must(device::take_resident(measured.blocks, contexts, {.threads = 4, .chunk_bytes = 400}));
  CHECK(memory.lanes.size() == 1);
  const auto set = must(device::load_resident(std::move(memory), *measured.source, measured.form));
  CHECK(contents(fake, *set, measured.dataset, 0) == stored_rows(measured.dataset));
}

TEST_CASE("a driver failure ends the load and leaves nothing behind") {
  const TinyPack pack({}, kRecords, 16);
  for (const char* const call :
       {"MemcpyHtoDAsync", "EventRecord", "EventSynchronize", "StreamSynchronize"}) {
    for (const Residency residency : {Residency::device, Residency::automatic}) {
      INFO(call);
      CargoRig rig;
      rig.fake.fail(call, 0, device::code::kIllegalAddress);
      const Error error = refusal(rig, rig_options(residency), pack.open());
      CHECK(error.code == ErrorCode::io);
      CHECK_THAT(error.message, ContainsSubstring(std::string("cu") + call +
                                                  " failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
      CHECK(rig.fake.held().device_bytes == 0);
      CHECK(rig.fake.held().pinned_bytes == 0);
      CHECK(rig.fake.held().streams == 0);
      CHECK(rig.fake.held().events == 0);
    }
  }
}

namespace {

std::atomic<int> copies{0};  // by the load of a test
std::atomic<bool> second_fails{false};

}  // namespace

TEST_CASE("a load that fails on one thread stops the others with the first error") {
  const MeasuredPack measured;
  FakeDriver fake;
  device::DriverTable calls = fake.table();
  copies = 0;
  calls.MemcpyHtoDAsync = [](device::Pointer, const void*, std::size_t,
                             device::StreamHandle) -> int {
    const int number = copies++;
    for (int i = 0; number == 0 && copies < 2 && i < 5000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (number == 0) return device::code::kIllegalAddress;
    // The other thread's failure is known after this; only the copies that may come take so long.
    if (number <= 3) std::this_thread::sleep_for(std::chrono::seconds(1));
    return number == 1 && second_fails ? device::code::kLaunchFailed : device::code::kSuccess;
  };
  const std::vector<std::shared_ptr<const device::Context>> contexts{
      must(device::Context::retain(must(device::Driver::make(calls)), 0))};
  for (const bool both : {true, false}) {
    CAPTURE(both);
    copies = 0;
    second_fails = both;
    auto memory = must(
        device::take_resident(measured.blocks, contexts, {.threads = 2, .chunk_bytes = kBlock}));
    const auto loaded = device::load_resident(std::move(memory), *measured.source, measured.form);
    REQUIRE_FALSE(loaded.ok());
    CHECK_THAT(loaded.error().message, ContainsSubstring("700"));
    CHECK(copies <= 3);  // of 40
  }
}

TEST_CASE("a load tells its progress every 50 ms and stops when it is told to") {
  const MeasuredPack measured;
  FakeDriver fake;
  static int (*real)(device::Pointer, const void*, std::size_t, device::StreamHandle);
  device::DriverTable calls = fake.table();
  real = calls.MemcpyHtoDAsync;
  copies = 0;
  calls.MemcpyHtoDAsync = [](device::Pointer to, const void* from, std::size_t bytes,
                             device::StreamHandle stream) {
    if (++copies <= 3) std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return real(to, from, bytes, stream);
  };
  const std::vector<std::shared_ptr<const device::Context>> contexts{
      must(device::Context::retain(must(device::Driver::make(calls)), 0))};
  auto memory =
      must(device::take_resident(measured.blocks, contexts, {.threads = 1, .chunk_bytes = kBlock}));
  std::vector<std::uint64_t> records;
  std::vector<std::chrono::steady_clock::time_point> times{std::chrono::steady_clock::now()};
  const auto caller = std::this_thread::get_id();
  const auto loaded = device::load_resident(std::move(memory), *measured.source, measured.form,
                                            [&](const LoadProgress& progress) {
                                              CHECK(std::this_thread::get_id() == caller);
                                              records.push_back(progress.records_done);
                                              times.push_back(std::chrono::steady_clock::now());
                                              return records.size() < 3;
                                            });
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().code == ErrorCode::cancelled);
  REQUIRE(records.size() == 3);
  for (std::size_t i = 0; i < records.size(); ++i) {
    // A copy takes longer than the time between tellings, so one is due after each; a telling may
    // come before the first copy if reading takes long.
    CHECK(records[i] <= 2 + i);
    CHECK((i == 0 || records[i] > records[i - 1]));
    CHECK(times[i + 1] - times[i] >= std::chrono::milliseconds(50));
  }
  CHECK(static_cast<std::uint64_t>(copies) == records.back());  // of 40
}

TEST_CASE("a thread of a load fills one buffer while the other is copied") {
  const MeasuredPack measured;
  FakeDriver fake;
  static std::set<const void*> sources;
  sources.clear();
  static int (*real)(device::Pointer, const void*, std::size_t, device::StreamHandle);
  device::DriverTable calls = fake.table();
  real = calls.MemcpyHtoDAsync;
  calls.MemcpyHtoDAsync = [](device::Pointer to, const void* from, std::size_t bytes,
                             device::StreamHandle stream) {
    sources.insert(from);
    return real(to, from, bytes, stream);
  };
  const std::vector<std::shared_ptr<const device::Context>> contexts{
      must(device::Context::retain(must(device::Driver::make(calls)), 0))};
  auto memory =
      must(device::take_resident(measured.blocks, contexts, {.threads = 1, .chunk_bytes = kBlock}));
  CHECK(device::load_resident(std::move(memory), *measured.source, measured.form).ok());
  CHECK(sources.size() == 2);
}

TEST_CASE("a load to several devices fails if one of them does") {
  const TinyPack pack({}, kRecords, 16);
  for (const std::uint64_t failing : {0u, 1u}) {
    CargoRig rig({.devices = 2});
    RigOptions options = rig_options(Residency::device);
    options.devices = 2;
    rig.fake.fail("StreamSynchronize", failing, device::code::kIllegalAddress);
    CHECK_THAT(refusal(rig, options, pack.open()).message,
               ContainsSubstring("cuStreamSynchronize failed"));
  }
}

TEST_CASE("a failed load waits for copies in flight") {
  const MeasuredPack measured;
  for (const unsigned threads : {1u, 3u}) {
    FakeDriver fake;
    {
      const std::vector<std::shared_ptr<const device::Context>> contexts{
          must(device::Context::retain(fake.driver(), 0))};
      auto memory = must(device::take_resident(measured.blocks, contexts,
                                               {.threads = threads, .chunk_bytes = 400}));
      fake.fail("EventRecord", 3, device::code::kUnknown);
      CHECK_FALSE(device::load_resident(std::move(memory), *measured.source, measured.form).ok());
    }
    CHECK(fake.violations().empty());
    CHECK(fake.held() == FakeDriver::Held{});
  }
}

TEST_CASE("long keys are kept complete") {
  const TempFolder folder;
  std::vector<TinyRecord> records = tiny_records({}, 6);
  records[2].key += std::string(300, 'x');
  records[5].key += std::string(1000, 'y');
  write_pack(folder.path(), {}, records, 4);
  const Dataset dataset = must(Dataset::open(folder.path()));
  for (const Residency residency : {Residency::page, Residency::device}) {
    CargoRig rig;
    RigOptions options = rig_options(residency);
    options.loader.global_batch_size = 6;
    REQUIRE(rig.load(dataset, options).ok());
    const auto& slot = rig.fill(0, 0);
    for (std::size_t row = 0; row < 6; ++row) CHECK(slot.keys[row] == records[row].key);
  }
}
