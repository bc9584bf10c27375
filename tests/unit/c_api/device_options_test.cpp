#include "c_api/device_options.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "c_api/loader_options.hpp"
#include "hotpack/hotpack_device.h"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::c_api;

namespace {

// The message of the refusal of changed defaults.
template <class Change>
std::string refusal(const Change& change) {
  hotpack_device_loader_options options = default_device_options();
  change(options);
  const auto read = device_options(options);
  if (read.ok()) return "accepted";
  CHECK(read.error().code == ErrorCode::usage);
  return read.error().message;
}

template <class Change>
DeviceLoaderOptions accepted(const Change& change) {
  hotpack_device_loader_options options = default_device_options();
  change(options);
  return device_options(options).value();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("device options have the defaults of C++") {
  const DeviceLoaderOptions own;
  const DeviceLoaderOptions read = device_options(default_device_options()).value();
  CHECK(read.devices == own.devices);
  CHECK(read.residency == own.residency);
  CHECK(read.pinned_budget_bytes == own.pinned_budget_bytes);
  CHECK(read.device_budget_bytes == own.device_budget_bytes);
  CHECK(read.outputs == own.outputs);
  CHECK_FALSE(read.progress);
  CHECK(read.loader.global_batch_size == own.loader.global_batch_size);
}

TEST_CASE("every device option is passed on") {
  hotpack_loader_options loader = default_options();
  loader.global_batch_size = 7;
  loader.image_dtype = HOTPACK_DTYPE_BF16;
  const std::int32_t devices[] = {2, 0};
  const auto read = accepted([&](auto& options) {
    options.loader = &loader;
    options.devices = devices;
    options.device_count = 2;
    options.residency = HOTPACK_RESIDENCY_AUTO;
    options.pinned_budget_bytes = 1000;
    options.device_budget_bytes = UINT64_MAX;
    options.outputs = 6;
  });
  CHECK(read.loader.global_batch_size == 7);
  CHECK(read.loader.image.dtype == ElementType::bf16);
  CHECK(read.devices == std::vector<int>{2, 0});
  CHECK(read.residency == Residency::automatic);
  CHECK(read.pinned_budget_bytes == 1000);
  CHECK(read.device_budget_bytes == UINT64_MAX);
  CHECK(read.outputs == 6);
}

TEST_CASE("progress of loading is passed on to the caller's function") {
  hotpack_load_progress told{};
  const auto read = accepted([&](auto& options) {
    options.progress = [](void* user, const hotpack_load_progress* progress) -> std::int32_t {
      *static_cast<hotpack_load_progress*>(user) = *progress;
      return progress->records_done < 3 ? 1 : 0;
    };
    options.progress_user = &told;
  });
  CHECK(read.progress({2, 5, 20, 50}));
  CHECK(told.records_done == 2);
  CHECK(told.records_total == 5);
  CHECK(told.bytes_done == 20);
  CHECK(told.bytes_total == 50);
  CHECK_FALSE(read.progress({3, 5, 30, 50}));
}

TEST_CASE("residencies have the numbers of the header") {
  const auto residency = [](std::int32_t number) {
    return accepted([&](auto& options) { options.residency = number; }).residency;
  };
  CHECK(residency(HOTPACK_RESIDENCY_PAGE) == Residency::page);
  CHECK(residency(HOTPACK_RESIDENCY_DEVICE) == Residency::device);
  CHECK(residency(HOTPACK_RESIDENCY_AUTO) == Residency::automatic);
  CHECK(has(refusal([](auto& options) { options.residency = 3; }), "residency is 3"));
}

TEST_CASE("devices and their count belong together") {
  static const std::int32_t device = 0;
  CHECK(has(refusal([](auto& options) { options.device_count = 1; }), "devices is NULL"));
  CHECK(has(refusal([](auto& options) { options.devices = &device; }), "device_count is 0"));
  CHECK(has(refusal([](auto& options) {
              options.devices = &device;
              options.device_count = SIZE_MAX;
            }),
            "device_count is"));
}

TEST_CASE("options of batches are checked as for a loader") {
  hotpack_loader_options loader = default_options();
  loader.last_batch = 9;
  CHECK(has(refusal([&](auto& options) { options.loader = &loader; }), "last_batch is 9"));
  loader = default_options();
  loader.struct_size = 3;
  CHECK(has(refusal([&](auto& options) { options.loader = &loader; }),
            "struct_size of hotpack_loader_options is 3"));
  loader = default_options();
  loader.allocate = [](void*, std::size_t) -> void* { return nullptr; };
  loader.free = [](void*, void*, std::size_t) {};
  CHECK(has(refusal([&](auto& options) { options.loader = &loader; }), "pinned memory"));
}

TEST_CASE("init of device options stays within the caller's struct") {
  hotpack_device_loader_options options;
  options.outputs = 99;
  REQUIRE(hotpack_device_loader_options_init(
              &options, offsetof(hotpack_device_loader_options, outputs)) == HOTPACK_OK);
  CHECK(options.struct_size == offsetof(hotpack_device_loader_options, outputs));
  CHECK(options.devices == nullptr);
  CHECK(options.outputs == 99);
  CHECK(hotpack_device_loader_options_init(&options, sizeof options - 1) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_device_loader_options_init(nullptr, sizeof options) == HOTPACK_ERROR_USAGE);
}
