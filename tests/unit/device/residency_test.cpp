// Where records stay: what is chosen and said, what does not fit, what the driver refuses, and that what is resident is the data set.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "device/budgets.hpp"
#include "device/resident_load.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/temp_folder.hpp"
#include "unit/device/cargo_rig.hpp"

using namespace hotpack;
using namespace hotpack::test;
using device::LoadOptions;
using device::RecordBlocks;
using device::ResidentSet;

namespace {

constexpr std::uint64_t kBlock = 192;  // 90 bytes of image and 30 of label, each brought up to a multiple of 64
constexpr std::uint64_t kRecords = 40;
constexpr std::uint64_t kSet = kRecords * kBlock;          // 7680
constexpr std::uint64_t kStaged = 2 * (256 + 4 * kBlock);  // two packed batches of four rows
constexpr std::uint64_t kSlots = 2 * 4096;
constexpr std::uint64_t kPlenty = 1000000;

RigOptions rig_options(Residency residency, std::uint64_t pinned = kPlenty, std::uint64_t device = kPlenty) {
  RigOptions options;
  options.loader = in_file_order(4);
  options.residency = residency;
  options.pinned_budget_bytes = pinned;
  options.device_budget_bytes = device;
  return options;
}

struct Chosen {
  Residency residency = Residency::automatic;
  std::string reason;
};

Chosen chosen(CargoRig& rig, const RigOptions& options, const Dataset& dataset) {
  const Status loaded = rig.load(dataset, options);
  if (!loaded.ok()) throw std::logic_error(loaded.error().describe());
  CHECK(rig.loaded->choice.packed_bytes == kSet);
  return {rig.loaded->choice.residency, rig.loaded->choice.reason};
}

Error refusal(CargoRig& rig, const RigOptions& options, const Dataset& dataset) {
  const Status loaded = rig.load(dataset, options);
  if (loaded.ok()) throw std::logic_error("it was loaded");
  return loaded.error();
}

// The error of this step as the cargo's filler gives it. A host Loader's says the same, and then which step it is.
void check_error_as_host(const Dataset& for_host, const Dataset& for_device, RigOptions options, std::uint64_t step) {
  Loader host = open_loader(for_host, options.loader);
  REQUIRE(host.seek(0, step).ok());
  const Error expected = next_error(host);
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
    INFO(residency_name(residency));
    CargoRig rig;
    options.residency = residency;
    REQUIRE(rig.load(for_device, options).ok());
    const auto failed = rig.fill_rows(rig.begin(0, step));
    REQUIRE(failed);
    CHECK(expected.message == failed->error.message + " [step " + std::to_string(step) + " of epoch 0; seek(0, " +
                                  std::to_string(step + 1) + ") goes past it]");
    CHECK(failed->error.code == expected.code);
    CHECK(failed->error.path == expected.path);
    CHECK(failed->error.offset == expected.offset);
    CHECK(rig.fill_rows(rig.begin(1, step)));  // and again
  }
}

// Everything that a resident set holds.
std::vector<Row> contents(const FakeDriver& fake, const ResidentSet& set, const Dataset& dataset, std::size_t part) {
  std::vector<Row> rows;
  for (std::uint64_t sample = 0; sample < dataset.records(); ++sample) {
    const auto shape = set.blocks->shape(sample);
    const auto block = device::block_of(*shape);
    Bytes bytes;
    if (set.devices.empty()) {
      const std::byte* const first = set.pinned.data() + set.blocks->begin(sample);
      bytes.assign(first, first + block.bytes);
    } else {
      bytes = fake.bytes(set.devices[part].address() + set.blocks->begin(sample), block.bytes);
    }
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

TEST_CASE("a residency that was asked for is taken and said") {
  const TinyPack pack({}, kRecords, 16);
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
    CargoRig rig;
    const Chosen choice = chosen(rig, rig_options(residency), pack.open());
    CHECK(choice.residency == residency);
    CHECK(choice.reason == "asked for");
  }
}

TEST_CASE("automatic takes the fastest residency that fits and says why") {
  const TinyPack pack({}, kRecords, 16);
  const Dataset dataset = pack.open();
  CargoRig rig;
  SECTION("device") {
    const Chosen choice = chosen(rig, rig_options(Residency::automatic), dataset);
    CHECK(choice.residency == Residency::device);
    CHECK(choice.reason == "automatic: 7680 bytes of packed records fit the device budget of 1.0 MB");
  }
  SECTION("pinned") {
    const Chosen choice = chosen(rig, rig_options(Residency::automatic, kPlenty, 5000), dataset);
    CHECK(choice.residency == Residency::pinned);
    CHECK(choice.reason ==
          "automatic: 7680 bytes of packed records exceed the device budget of 5000 bytes (device 0), fit the pinned budget of 1.0 MB");
  }
  SECTION("pinned where the outputs are what is too much") {
    RigOptions options = rig_options(Residency::automatic, kPlenty, 25000);
    options.output_bytes = 17500;
    const Chosen choice = chosen(rig, options, dataset);
    CHECK(choice.residency == Residency::pinned);
    CHECK(choice.reason ==
          "automatic: 7680 bytes of packed records with 18 kB of packed batches and outputs exceed the device budget of 25 kB (device 0), "
          "fit the pinned budget of 1.0 MB");
  }
  SECTION("page") {
    const Chosen choice = chosen(rig, rig_options(Residency::automatic, kSlots + kSet - 1, 5000), dataset);
    CHECK(choice.residency == Residency::page);
    CHECK(choice.reason ==
          "automatic: 7680 bytes of packed records exceed the device budget of 5000 bytes (device 0), with 8192 bytes of slots exceed the "
          "pinned budget of 16 kB");
  }
  SECTION("none") {
    const Error error = refusal(rig, rig_options(Residency::automatic, kSlots - 1, kStaged), dataset);
    CHECK(error.code == ErrorCode::usage);
    CHECK(
        error.message ==
        "residency page needs 8192 bytes of pinned memory (all of slots), the budget is 8191; use a smaller batch, fewer slots or a larger "
        "pinned_budget_bytes");
  }
}

TEST_CASE("every device has to have room") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig({.devices = 2});
  RigOptions options = rig_options(Residency::automatic, kPlenty, kSet + 2 * 256);  // two rows a part
  options.devices = 2;
  CHECK(chosen(rig, options, pack.open()).residency == Residency::device);
  CHECK(rig.loaded->device_bytes == std::vector<std::uint64_t>{kSet, kSet});
  --*options.device_budget_bytes;
  CHECK(chosen(rig, options, pack.open()).residency == Residency::pinned);
}

TEST_CASE("budgets are kept to the byte") {
  const TinyPack pack({}, kRecords, 16);
  const Dataset dataset = pack.open();
  CargoRig rig;
  CHECK(rig.load(dataset, rig_options(Residency::device, kSlots, kSet + 2 * 256)).ok());
  CHECK(rig.load(dataset, rig_options(Residency::pinned, kSet + kSlots, kStaged)).ok());
  CHECK(rig.load(dataset, rig_options(Residency::page, kSlots, kStaged)).ok());
  CHECK(
      refusal(rig, rig_options(Residency::device, kSlots, kSet + 2 * 256 - 1), dataset).message ==
      "residency device needs 8192 bytes on device 0 (7680 of packed records, 512 of packed batches and outputs), the budget is 8191; use "
      "residency pinned, page or auto, or a larger device_budget_bytes");
  CHECK(
      refusal(rig, rig_options(Residency::device, kSlots - 1, kPlenty), dataset).message ==
      "residency device needs 8192 bytes of pinned memory (all of slots), the budget is 8191; use a smaller batch, fewer slots or a larger "
      "pinned_budget_bytes");
  CHECK(refusal(rig, rig_options(Residency::pinned, kSet + kSlots - 1, kStaged), dataset).message ==
        "residency pinned needs 15872 bytes of pinned memory (7680 of packed records, 8192 of slots), the budget is 15871; use residency "
        "page or auto, or a larger pinned_budget_bytes");
  CHECK(refusal(rig, rig_options(Residency::page, kSlots, kStaged - 1), dataset).message ==
        "residency page needs 2048 bytes on device 0 (all of packed batches and outputs), the budget is 2047; use a smaller batch, less "
        "prefetch, fewer outputs or a larger device_budget_bytes");
}

TEST_CASE("budgets by default are parts of what is free") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig({.device_bytes = 20000});
  RigOptions options = rig_options(Residency::device);
  options.device_budget_bytes.reset();
  options.pinned_budget_bytes.reset();
  CHECK(rig.load(pack.open(), options).ok());
  rig.loaded.reset();
  options.output_bytes = 10001;
  CHECK_THAT(refusal(rig, options, pack.open()).message,
             ContainsSubstring("the budget is 10000, by default half of what is free there; use"));
  device::Shortage pinned{Residency::pinned, {}, {900, 200}, {1000, true}};
  CHECK_THAT(pinned.refusal().message, ContainsSubstring("the budget is 1000, by default a quarter of the available memory; use"));

  const TempFolder folder;
  std::ofstream(folder.path() + "/meminfo") << "MemTotal:       16316412 kB\nMemFree:  1 kB\nMemAvailable:   12 kB\nBuffers: 5 kB\n";
  CHECK(device::available_memory(folder.path() + "/meminfo") == 12 * 1024);
  CHECK(device::available_memory(folder.path() + "/none") == std::nullopt);
  CHECK(device::available_memory().value_or(0) > 0);
}

TEST_CASE("bytes in sentences") {
  CHECK(device::bytes_text(0) == "0 bytes");
  CHECK(device::bytes_text(9999) == "9999 bytes");
  CHECK(device::bytes_text(10000) == "10 kB");
  CHECK(device::bytes_text(999499) == "999 kB");
  CHECK(device::bytes_text(999500) == "1.0 MB");
  CHECK(device::bytes_text(1234567890) == "1.2 GB");
  CHECK(device::bytes_text(9960000000) == "10 GB");
  CHECK(device::bytes_text(~std::uint64_t{0}) == "18 EB");
}

TEST_CASE("batches that no machine can hold are refused") {
  const TinyPack pack({}, 4, 4);
  const auto source = must(loader::RecordSource::make(pack.open(), Check::never, Access::read));
  const auto form = must(loader::BatchForm::make(source->schema(), {}, 1));
  const auto blocks = RecordBlocks::make(*source, form, 1);
  for (const std::uint64_t rows : {std::uint64_t{1} << 52, std::uint64_t{1} << 62}) {
    const auto layout = device::SlotLayout::make({{0, rows}}, blocks, Residency::page);
    REQUIRE_FALSE(layout.ok());
    CHECK(layout.error().code == ErrorCode::usage);
  }
}

TEST_CASE("memory that the driver refuses is an error of who asked for it") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig;
  rig.fake.fail("MemAlloc", 0, device::code::kOutOfMemory);
  const Error device = refusal(rig, rig_options(Residency::device), pack.open());
  CHECK(device.code == ErrorCode::io);
  CHECK_THAT(device.message, ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY") && ContainsSubstring("7680"));
  rig.fake.fail("MemHostAlloc", 0, device::code::kOutOfMemory);
  const Error pinned = refusal(rig, rig_options(Residency::pinned), pack.open());
  CHECK(pinned.code == ErrorCode::io);
  CHECK_THAT(pinned.message, ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY") && ContainsSubstring("7680"));
  rig.fake.fail("MemHostAlloc", 0, device::code::kOutOfMemory);  // to copy from
  CHECK_FALSE(rig.load(pack.open(), rig_options(Residency::device)).ok());
  CHECK(rig.fake.held().device_bytes == 0);
  CHECK(rig.fake.held().pinned_bytes == 0);
}

TEST_CASE("automatic goes on where the driver refuses memory and says so") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig;
  rig.fake.fail("MemAlloc", 0, device::code::kOutOfMemory);
  const Chosen pinned = chosen(rig, rig_options(Residency::automatic), pack.open());
  CHECK(pinned.residency == Residency::pinned);
  CHECK_THAT(pinned.reason, ContainsSubstring("automatic: 7680 bytes of packed records were refused by the driver (") &&
                                ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY") && ContainsSubstring("), fit the pinned budget of 1.0 MB"));
  CHECK(rig.fake.held().device_bytes == 0);

  rig.loaded.reset();
  rig.fake.fail("MemAlloc", 0, device::code::kOutOfMemory);
  rig.fake.fail("MemHostAlloc", 0, device::code::kOutOfMemory);
  const Chosen page = chosen(rig, rig_options(Residency::automatic), pack.open());
  CHECK(page.residency == Residency::page);
  CHECK(page.reason.find("refused by the driver") != page.reason.rfind("refused by the driver"));
  CHECK(rig.fake.held().pinned_bytes == 0);
}

TEST_CASE("a record that is damaged is an error of its step alone") {
  for (const char* const form_name : {"bits", "mixed"}) {
    INFO(form_name);
    const TinyPack pack(all_forms()[form_name], 12, 4);
    pack.damage_image(6);
    RigOptions options = rig_options(Residency::page);
    options.loader.global_batch = 2;
    options.loader.pad_to = PixelSize{8, 8};
    check_error_as_host(pack.open(), pack.open(), options, 3);
    for (const Residency residency : {Residency::pinned, Residency::device}) {
      CargoRig rig;
      options.residency = residency;
      const Dataset dataset = pack.open();
      REQUIRE(rig.load(dataset, options).ok());
      for (const std::uint64_t step : {0u, 1u, 2u, 4u, 5u}) {
        const auto& slot = rig.fill(0, step);
        const auto rows = rig.rows(slot, 0, dataset);
        for (std::size_t row = 0; row < 2; ++row) CHECK(rows[row].image == stored_row(dataset, slot.samples[row]).image);
      }
    }
  }
}

TEST_CASE("a shard that is gone is an error of the steps that want it") {
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

TEST_CASE("a record that could not be measured when its set was loaded has no room later") {
  const TinyPack pack(all_forms()["mixed"], 12, 4);
  const std::string shard = pack.shard_path(1);
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
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
    CHECK_THAT(failed->error.message, ContainsSubstring(page ? "when the loader was opened; open the loader again" : "but it is missing"));
    (void)rig.fill(0, 2);
  }
}

TEST_CASE("a record larger than pad_to is an error of its step") {
  const TinyPack pack(all_forms()["mixed"], 12, 4);
  RigOptions options = rig_options(Residency::page);
  options.loader.global_batch = 1;
  options.loader.pad_to = PixelSize{5, 4};
  check_error_as_host(pack.open(), pack.open(), options, 2);  // 6 pixels wide
  pack.damage_image(5);                                       // and damaged besides: a host Loader finds the size first
  check_error_as_host(pack.open(), pack.open(), options, 5);
}

TEST_CASE("records that are read without a check are taken as they are") {
  const TinyPack pack({}, 12, 4);
  pack.damage_image(6);
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
    CargoRig rig;
    RigOptions options = rig_options(residency);
    options.loader.check = Check::never;
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
  FakeDriver::Held held = rig.fake.held();
  CHECK(held.device_blocks == 2);
  CHECK(held.device_bytes == 2 * kSet);
  CHECK(held.pinned_bytes == 0);
  CHECK(held.streams == 0);
  CHECK(held.events == 0);
  CHECK(rig.loaded->copied_bytes == 2 * kSet);
  CHECK(rig.loaded->pinned_bytes == 0);
  CHECK(rig.loaded->load_seconds > 0);

  options.residency = Residency::pinned;
  REQUIRE(rig.load(pack.open(), options).ok());
  held = rig.fake.held();
  CHECK(held.device_bytes == 0);
  CHECK(held.pinned_bytes == kSet);
  CHECK(rig.loaded->copied_bytes == 0);
  CHECK(rig.loaded->pinned_bytes == kSet);
  CHECK(rig.loaded->device_bytes == std::vector<std::uint64_t>{0, 0});
  for (std::uint64_t step = 0; step < 10; ++step) (void)rig.pieces(rig.fill(0, step, step % 2));
  const auto with_slots = rig.fake.held().pinned_bytes;
  for (std::uint64_t step = 0; step < 10; ++step) (void)rig.pieces(rig.fill(1, step, step % 2));
  CHECK(rig.fake.held().pinned_bytes == with_slots);
  rig.loaded.reset();
  CHECK(rig.fake.held().pinned_bytes == with_slots - kSet);
}

TEST_CASE("any number of threads loads the same bytes") {
  for (const char* const form_name : {"bits", "mixed", "zstd-mixed", "unlabelled", "sample-index"}) {
    const TinyPack pack(all_forms()[form_name], 33, 5);
    const Dataset dataset = pack.open();
    const auto expected = stored_rows(dataset);
    const auto source = must(loader::RecordSource::make(dataset, Check::always, Access::map));
    const auto form = must(loader::BatchForm::make(dataset.schema(), {}, 1));
    for (const unsigned threads : {1u, 2u, 7u}) {
      for (const Residency residency : {Residency::pinned, Residency::device}) {
        INFO(form_name << " by " << threads << " threads, " << residency_name(residency));
        FakeDriver fake({.devices = 2, .schedule = threads == 2 ? Schedule::random : Schedule::late, .seed = threads});
        std::vector<std::shared_ptr<const device::Context>> contexts;
        for (const int ordinal : {0, 1}) contexts.push_back(must(device::Context::retain(fake.driver(), ordinal)));
        const auto blocks = std::make_shared<const RecordBlocks>(RecordBlocks::make(*source, form, threads));
        auto memory = must(device::take_resident(residency, blocks, contexts, {.threads = threads, .chunk_bytes = 400}));
        const auto set = must(device::load_resident(std::move(memory), *source, form));
        CHECK(contents(fake, *set, dataset, 0) == expected);
        if (residency == Residency::device) CHECK(contents(fake, *set, dataset, 1) == expected);
        CHECK(set->errors.empty());
        CHECK(fake.violations().empty());
      }
    }
  }
}

TEST_CASE("buffers of a load keep to their budget where they can") {
  const TinyPack pack({}, kRecords, 16);
  const auto source = must(loader::RecordSource::make(pack.open(), Check::always, Access::map));
  const auto form = must(loader::BatchForm::make(source->schema(), {}, 1));
  const auto blocks = std::make_shared<const RecordBlocks>(RecordBlocks::make(*source, form, 1));
  const auto held_with = [&](std::uint64_t budget) {
    FakeDriver fake;
    const std::vector<std::shared_ptr<const device::Context>> contexts{must(device::Context::retain(fake.driver(), 0))};
    const auto memory = must(device::take_resident(Residency::device, blocks, contexts, {.threads = 4, .buffer_budget_bytes = budget}));
    return fake.held().pinned_bytes;
  };
  CHECK(held_with(kPlenty) == 2 * kSet);  // one chunk is all
  for (const std::uint64_t budget : {8000u, 2000u, 1000u, 400u}) CHECK(held_with(budget) <= budget);
  CHECK(held_with(1) == 2 * kBlock);  // what cannot be less
}

TEST_CASE("fewer buffers will do where the driver has no more") {
  const TinyPack pack({}, kRecords, 16);
  const Dataset dataset = pack.open();
  const auto source = must(loader::RecordSource::make(dataset, Check::always, Access::map));
  const auto form = must(loader::BatchForm::make(source->schema(), {}, 1));
  const auto blocks = std::make_shared<const RecordBlocks>(RecordBlocks::make(*source, form, 1));
  FakeDriver fake;
  const std::vector<std::shared_ptr<const device::Context>> contexts{must(device::Context::retain(fake.driver(), 0))};
  fake.fail("MemHostAlloc", 3, device::code::kOutOfMemory);  // the second buffer of the second thread
  auto memory = must(device::take_resident(Residency::device, blocks, contexts, {.threads = 4, .chunk_bytes = 400}));
  CHECK(memory.lanes.size() == 1);
  const auto set = must(device::load_resident(std::move(memory), *source, form));
  CHECK(contents(fake, *set, dataset, 0) == stored_rows(dataset));
}

TEST_CASE("a driver that fails while records are loaded ends the load and leaves nothing behind") {
  const TinyPack pack({}, kRecords, 16);
  for (const char* const call : {"MemcpyHtoDAsync", "EventRecord", "EventSynchronize", "StreamSynchronize"}) {
    for (const Residency residency : {Residency::device, Residency::automatic}) {
      INFO(call);
      CargoRig rig;
      rig.fake.fail(call, 0, device::code::kIllegalAddress);
      const Error error = refusal(rig, rig_options(residency), pack.open());
      CHECK(error.code == ErrorCode::io);
      CHECK_THAT(error.message, ContainsSubstring(std::string("cu") + call + " failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
      CHECK(rig.fake.held().device_bytes == 0);
      CHECK(rig.fake.held().pinned_bytes == 0);
      CHECK(rig.fake.held().streams == 0);
      CHECK(rig.fake.held().events == 0);
    }
  }
}

TEST_CASE("copies in flight are waited for where a load fails") {
  const TinyPack pack({}, kRecords, 16);
  const auto source = must(loader::RecordSource::make(pack.open(), Check::always, Access::map));
  const auto form = must(loader::BatchForm::make(source->schema(), {}, 1));
  const auto blocks = std::make_shared<const RecordBlocks>(RecordBlocks::make(*source, form, 1));
  for (const unsigned threads : {1u, 3u}) {
    FakeDriver fake;
    {
      const std::vector<std::shared_ptr<const device::Context>> contexts{must(device::Context::retain(fake.driver(), 0))};
      auto memory = must(device::take_resident(Residency::device, blocks, contexts, {.threads = threads, .chunk_bytes = 400}));
      fake.fail("EventRecord", 3, device::code::kUnknown);
      CHECK_FALSE(device::load_resident(std::move(memory), *source, form).ok());
    }
    CHECK(fake.violations().empty());
    CHECK(fake.held() == FakeDriver::Held{});
  }
}

TEST_CASE("keys longer than usual are kept whole") {
  const TempFolder folder;
  std::vector<TinyRecord> records = tiny_records({}, 6);
  records[2].key += std::string(300, 'x');
  records[5].key += std::string(1000, 'y');
  write_pack(folder.path(), {}, records, 4);
  const Dataset dataset = must(Dataset::open(folder.path()));
  for (const Residency residency : {Residency::page, Residency::pinned, Residency::device}) {
    CargoRig rig;
    RigOptions options = rig_options(residency);
    options.loader.global_batch = 6;
    REQUIRE(rig.load(dataset, options).ok());
    const auto& slot = rig.fill(0, 0);
    for (std::size_t row = 0; row < 6; ++row) CHECK(slot.keys[row] == records[row].key);
  }
}
