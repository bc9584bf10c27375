// The memory that next_into() writes to: refused if a kernel could not write it.
#include <string>
#include <vector>

#include "device_runs.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

using Buffers = std::vector<DeviceBuffers>;

// A loader on two devices, and memory of both.
struct TwoDevices {
  TwoDevices()
      : pack(square_form(), 12, 4), program(fake, 2), streams{fake.stream(0), fake.stream(1)} {
    loader.emplace(open_on(fake, pack.open(), device_options(small_batches(4), {0, 1})));
    good = program.buffers(*loader);
  }
  ~TwoDevices() {
    loader->close();
    fake.run_all();
  }
  std::string refusal(const Buffers& buffers) {
    const std::uint64_t launched = fake.calls("LaunchKernel");
    const auto info = loader->next_into(buffers, streams);
    REQUIRE_FALSE(info.ok());
    CHECK(info.error().code == ErrorCode::usage);
    CHECK(fake.calls("LaunchKernel") == launched);
    CHECK(loader->state().samples == 0);
    return info.error().message;
  }

  TinyPack pack;
  FakeDriver fake{FakeOptions{.devices = 2}};
  Program program;
  Streams streams;
  std::optional<DeviceLoader> loader;
  Buffers good;
};

}  // namespace

TEST_CASE("buffers in host memory are refused and the batch is not lost") {
  TwoDevices two;
  alignas(16) static std::byte plain[1 << 16];
  Buffers bad = two.good;
  bad[1].label = plain;
  CHECK(two.refusal(bad) ==
        "the label buffer of part 1 is in host memory; it must be in memory of device 1");
  auto pinned = device::PinnedMemory::take(device::Context::retain(two.fake.driver(), 0).value(),
                                           bad[0].image_bytes)
                    .value();
  bad = two.good;
  bad[0].image = pinned.data();
  CHECK(two.refusal(bad) ==
        "the image buffer of part 0 is in host memory; it must be in memory of device 0");
  bad = two.good;
  bad[1].image = nullptr;  // as after a failed allocation
  CHECK_THAT(two.refusal(bad), ContainsSubstring("the image buffer of part 1 is null with"));
  REQUIRE(two.loader->next_into(two.good, two.streams).ok());
  CHECK(two.loader->state().samples == 4);
}

TEST_CASE("buffers of another device are refused") {
  TwoDevices two;
  REQUIRE(two.loader->next_into(two.good, two.streams).ok());
  REQUIRE(two.loader->seek(0).ok());
  const Buffers crossed{two.good[1], two.good[0]};  // known, each on the other one
  CHECK(two.refusal(crossed) ==
        "the image buffer of part 0 is in memory of device 1; it must be in memory of device 0");
  CHECK(two.refusal({two.good[0], {nullptr, 0, two.good[0].label, two.good[0].label_bytes}}) ==
        "the label buffer of part 1 is in memory of device 0; it must be in memory of device 1");
}

TEST_CASE("managed memory is accepted on any device") {
  TwoDevices two;
  Buffers managed = two.good;
  managed[0].image = two.good[1].image;
  managed[1].image = nullptr;
  managed[1].image_bytes = 0;
  CHECK_THAT(two.refusal(managed), ContainsSubstring("in memory of device 1"));
  two.fake.set_managed(reinterpret_cast<std::uintptr_t>(managed[0].image));
  CHECK(two.loader->next_into(managed, two.streams).ok());
}

TEST_CASE("buffers declared larger than their memory are refused") {
  TwoDevices two;
  Buffers larger = two.good;
  larger[1].image_bytes += 1;
  CHECK(two.refusal(larger) == "the image buffer of part 1 was passed with a size of " +
                                   std::to_string(larger[1].image_bytes) +
                                   " bytes, but its memory ends after " +
                                   std::to_string(two.good[1].image_bytes));
  REQUIRE(two.loader->next_into(two.good, two.streams).ok());
  REQUIRE(two.loader->seek(0).ok());
  CHECK_THAT(two.refusal(larger),
             ContainsSubstring("but its memory ends after"));  // the address is known by now
  Buffers later = two.good;
  later[0].label = static_cast<std::byte*>(later[0].label) + 16;
  CHECK_THAT(two.refusal(later),
             ContainsSubstring("ends after " + std::to_string(two.good[0].label_bytes - 16)));
}

TEST_CASE("memory next to a further mapping is accepted at its declared size") {
  TwoDevices two;
  Buffers larger = two.good;
  larger[0].image_bytes += 4096;  // the kernels write only the batch
  two.fake.set_mapped(reinterpret_cast<std::uintptr_t>(larger[0].image));
  CHECK(two.loader->next_into(larger, two.streams).ok());
  larger[1].image_bytes += 4096;
  two.fake.set_managed(reinterpret_cast<std::uintptr_t>(larger[1].image));
  CHECK(two.loader->next_into(larger, two.streams).ok());
}

TEST_CASE("the driver is asked only once about fixed buffers") {
  TwoDevices two;
  REQUIRE(two.loader->next_into(two.good, two.streams).ok());
  CHECK(two.fake.calls("PointerGetAttributes") == 4);
  REQUIRE(two.loader->next_into(two.good, two.streams).ok());
  Buffers moved = two.program.buffers(*two.loader);
  moved[1] = two.good[1];
  REQUIRE(two.loader->next_into(moved, two.streams).ok());
  CHECK(two.fake.calls("PointerGetAttributes") == 6);
}

TEST_CASE("the most recently checked buffers are remembered") {
  TwoDevices two;
  const auto asked_for = [&](const Buffers& buffers) {
    const std::uint64_t asked = two.fake.calls("PointerGetAttributes");
    REQUIRE(two.loader->seek(0).ok());
    REQUIRE(two.loader->next_into(buffers, two.streams).ok());
    two.fake.run_all();
    return two.fake.calls("PointerGetAttributes") - asked;
  };
  CHECK(asked_for(two.good) == 4);
  for (int round = 0; round < 40; ++round) {  // 160 others
    const Buffers others = two.program.buffers(*two.loader);
    REQUIRE(asked_for(others) == 4);
    REQUIRE(asked_for(others) == 0);
  }
  CHECK(asked_for(two.good) == 4);
}

TEST_CASE("a buffer that the driver cannot describe is an error") {
  TwoDevices two;
  two.fake.fail("PointerGetAttributes", 0, device::code::kInvalidValue);
  CHECK_THAT(two.refusal(two.good), ContainsSubstring("in host memory"));
  two.fake.fail("PointerGetAttributes", 0, device::code::kInvalidContext);
  const auto failed = two.loader->next_into(two.good, two.streams);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == ErrorCode::io);
  CHECK_THAT(failed.error().message,
             ContainsSubstring("cuPointerGetAttributes failed: CUDA_ERROR_INVALID_CONTEXT"));
  CHECK(two.loader->next_into(two.good, two.streams).ok());
}
