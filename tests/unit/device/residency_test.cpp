// Residencies: the choice and its reason, shortages, and refusals of the driver.
#include <string>
#include <vector>

#include "device/budgets.hpp"
#include "support/catch.hpp"
#include "unit/device/cargo_rig.hpp"

using namespace hotpack;
using namespace hotpack::test;
using device::RecordBlocks;

namespace {

constexpr std::uint64_t kBlock =
    192;  // 90 bytes of image and 30 of label, each brought up to a multiple of 64
constexpr std::uint64_t kRecords = 40;
constexpr std::uint64_t kSet = kRecords * kBlock;          // 7680
constexpr std::uint64_t kStaged = 2 * (256 + 4 * kBlock);  // two packed batches of four rows
constexpr std::uint64_t kSlots = 2 * 4096;
constexpr std::uint64_t kPlenty = 1000000;

RigOptions rig_options(Residency residency, std::uint64_t pinned = kPlenty,
                       std::uint64_t device = kPlenty) {
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

}  // namespace

TEST_CASE("a requested residency is used and reported") {
  const TinyPack pack({}, kRecords, 16);
  for (const Residency residency : {Residency::page, Residency::device}) {
    CargoRig rig;
    const Chosen choice = chosen(rig, rig_options(residency), pack.open());
    CHECK(choice.residency == residency);
    CHECK(choice.reason == "asked for");
  }
}

TEST_CASE("automatic chooses the fastest residency that fits, with a reason") {
  const TinyPack pack({}, kRecords, 16);
  const Dataset dataset = pack.open();
  CargoRig rig;
  SECTION("device") {
    const Chosen choice = chosen(rig, rig_options(Residency::automatic), dataset);
    CHECK(choice.residency == Residency::device);
    CHECK(choice.reason ==
          "automatic: 7680 bytes of packed records fit the device budget of 1.0 MB");
  }
  SECTION("page") {
    const Chosen choice = chosen(rig, rig_options(Residency::automatic, kPlenty, 5000), dataset);
    CHECK(choice.residency == Residency::page);
    CHECK(choice.reason ==
          "automatic: 7680 bytes of packed records exceed the device budget of 5000 bytes (device "
          "0)");
  }
  SECTION("page where the outputs are what is too much") {
    RigOptions options = rig_options(Residency::automatic, kPlenty, 25000);
    options.output_bytes = 17500;
    const Chosen choice = chosen(rig, options, dataset);
    CHECK(choice.residency == Residency::page);
    CHECK(choice.reason ==
          "automatic: 7680 bytes of packed records with 18 kB of packed batches and outputs exceed "
          "the device budget of 25 kB (device 0)");
  }
  SECTION("none") {
    const Error error =
        refusal(rig, rig_options(Residency::automatic, kSlots - 1, kStaged), dataset);
    CHECK(error.code == ErrorCode::usage);
    CHECK(
        error.message ==
        "residency page needs 8192 bytes of pinned memory (all of slots), but the budget is 8191; "
        "use a smaller batch, a smaller "
        "prefetch_batches or a larger "
        "pinned_budget_bytes");
  }
}

TEST_CASE("every device must have room") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig({.devices = 2});
  RigOptions options =
      rig_options(Residency::automatic, kPlenty, kSet + 2 * 256);  // two rows a part
  options.devices = 2;
  CHECK(chosen(rig, options, pack.open()).residency == Residency::device);
  CHECK(rig.loaded->device_bytes == std::vector<std::uint64_t>{kSet, kSet});
  --*options.device_budget_bytes;
  CHECK(chosen(rig, options, pack.open()).residency == Residency::page);
}

TEST_CASE("budgets are enforced to the byte") {
  const TinyPack pack({}, kRecords, 16);
  const Dataset dataset = pack.open();
  CargoRig rig;
  CHECK(rig.load(dataset, rig_options(Residency::device, kSlots, kSet + 2 * 256)).ok());
  CHECK(rig.load(dataset, rig_options(Residency::page, kSlots, kStaged)).ok());
  CHECK(refusal(rig, rig_options(Residency::device, kSlots, kSet + 2 * 256 - 1), dataset).message ==
        "residency device needs 8192 bytes on device 0 (7680 of packed records, 512 of packed "
        "batches and outputs), but the budget is 8191; use "
        "residency page or auto, or a larger device_budget_bytes");
  CHECK(
      refusal(rig, rig_options(Residency::device, kSlots - 1, kPlenty), dataset).message ==
      "residency device needs 8192 bytes of pinned memory (all of slots), but the budget is 8191; "
      "use a smaller batch, a smaller "
      "prefetch_batches or a larger "
      "pinned_budget_bytes");
  CHECK(refusal(rig, rig_options(Residency::page, kSlots, kStaged - 1), dataset).message ==
        "residency page needs 2048 bytes on device 0 (all of packed batches and outputs), but the "
        "budget is 2047; use a smaller batch, a smaller "
        "prefetch_batches, fewer outputs or a larger device_budget_bytes");
}

TEST_CASE("default budgets are shares of free memory") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig({.device_bytes = 20000});
  RigOptions options = rig_options(Residency::device);
  options.device_budget_bytes.reset();
  options.pinned_budget_bytes.reset();
  CHECK(rig.load(pack.open(), options).ok());
  rig.loaded.reset();
  options.output_bytes = 10001;
  CHECK_THAT(refusal(rig, options, pack.open()).message,
             ContainsSubstring(
                 "the budget is 10000, by default half of the free memory of the device; use"));
  device::Shortage pinned{Residency::page, {}, {0, 1200}, {1000, true}};
  CHECK_THAT(
      pinned.refusal().message,
      ContainsSubstring("the budget is 1000, by default a quarter of the available memory; use"));

  pinned.budget = {1000, true, true, 1};
  CHECK_THAT(pinned.refusal().message,
             ContainsSubstring("the budget is 1000, by default a quarter of what the cgroup's "
                               "memory limit leaves; use"));
  CHECK(pinned.clause() ==
        "with 1200 bytes of slots exceed the pinned budget of 1000 bytes (a quarter of what the "
        "cgroup's memory limit leaves)");
  pinned.budget = {1000, true, false, 8};
  CHECK_THAT(pinned.refusal().message,
             ContainsSubstring("the budget is 1000, by default a quarter of the available memory, "
                               "divided by the world of 8; use"));
}

TEST_CASE("the default pinned budget depends on what the process may take") {
  CHECK(device::pinned_default({8000, false}, 1).bytes == 2000);
  CHECK_FALSE(device::pinned_default({8000, false}, 1).of_cgroup);
  CHECK(device::pinned_default({4000, true}, 4).bytes == 250);
  CHECK(device::pinned_default({4000, true}, 4).of_cgroup);
  CHECK(device::pinned_default({0, true}, 4).bytes == 0);

  const TinyPack pack({}, kRecords, 16);
  CargoRig rig;
  RigOptions options = rig_options(Residency::page);
  options.pinned_budget_bytes.reset();
  options.world_size = std::uint64_t{1} << 50;  // nothing is left
  CHECK_THAT(refusal(rig, options, pack.open()).message,
             ContainsSubstring("the budget is 0, by default a quarter of") &&
                 ContainsSubstring(", divided by the world of 1125899906842624;"));
}

TEST_CASE("sentences show bytes readably") {
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
  const auto source =
      must(loader::RecordSource::make(pack.open(), VerifyChecksums::never, FileAccess::read));
  const auto form = must(loader::BatchForm::make(source->schema(), {}, 1));
  const auto blocks = RecordBlocks::make(*source, form, 1);
  for (const std::uint64_t rows : {std::uint64_t{1} << 52, std::uint64_t{1} << 62}) {
    const auto layout = device::SlotLayout::make({{0, rows}}, blocks, Residency::page);
    REQUIRE_FALSE(layout.ok());
    CHECK(layout.error().code == ErrorCode::usage);
  }
}

TEST_CASE("a residency that the driver refuses is an error if requested") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig;
  rig.fake.fail("MemAlloc", 0, device::code::kOutOfMemory);
  const Error device = refusal(rig, rig_options(Residency::device), pack.open());
  CHECK(device.code == ErrorCode::io);
  CHECK_THAT(device.message,
             ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY") && ContainsSubstring("7680"));
  rig.fake.fail("MemHostAlloc", 0, device::code::kOutOfMemory);  // to copy from
  CHECK_FALSE(rig.load(pack.open(), rig_options(Residency::device)).ok());
  CHECK(rig.fake.held().device_bytes == 0);
  CHECK(rig.fake.held().pinned_bytes == 0);
}

TEST_CASE("automatic falls back if the driver refuses memory, with a reason") {
  const TinyPack pack({}, kRecords, 16);
  CargoRig rig;
  rig.fake.fail("MemAlloc", 0, device::code::kOutOfMemory);
  const Chosen page = chosen(rig, rig_options(Residency::automatic), pack.open());
  CHECK(page.residency == Residency::page);
  CHECK_THAT(
      page.reason,
      ContainsSubstring("automatic: 7680 bytes of packed records were refused by the driver (") &&
          ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK(rig.fake.held().device_bytes == 0);
}
