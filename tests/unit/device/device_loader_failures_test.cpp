// Makes every call of the driver fail, each time it is made: the error has the call's name,
// nothing is left behind, nobody waits.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device/late_free.hpp"
#include "device/open.hpp"
#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/loader_pack.hpp"

namespace hotpack::test {
namespace {

using device::StreamHandle;
using std::chrono::steady_clock;

// Seconds. A close() that waits for a thread that hangs takes 5 s.
constexpr double kPromptly = 4;
constexpr std::uint64_t kMostOccurrences = 60;  // of one call; later ones are similar

DeviceLoaderOptions options_for(Residency residency) {
  DeviceLoaderOptions options;
  options.loader.global_batch_size = 4;
  options.loader.threads = 1;
  options.loader.timeout = kLong;
  options.loader.augment.horizontal_flip = 0.5;
  options.residency = residency;
  return options;
}

// The result of a run until something failed.
struct Outcome {
  std::optional<Error> error;
  double close_seconds = 0;
};

Status use_loader(DeviceLoader& loader, const std::vector<StreamHandle>& streams) {
  for (std::size_t step = 0; step < 3; ++step) {
    auto batch = loader.next(streams[step % 2]);
    if (!batch.ok()) return std::move(batch).error();
    if (!*batch) continue;
    if (Status used = (*batch)->record_stream(streams[2]); !used.ok()) return used;
  }
  if (Status moved = loader.seek(1, 1); !moved.ok()) return moved;
  const DeviceBuffers nothing;  // both fields skipped
  auto info = loader.next_into({&nothing, 1}, {&streams[0], 1});
  if (!info.ok()) return std::move(info).error();
  auto batch = loader.next(streams[0]);
  if (!batch.ok()) return std::move(batch).error();
  return {};
}

Outcome run(const TinyPack& pack, const FakeDriver& fake, const std::vector<StreamHandle>& streams,
            Residency residency) {
  Outcome outcome;
  auto driver = device::Driver::make(fake.table());
  if (!driver.ok()) return {std::move(driver).error(), 0};
  auto loader =
      device::open_device_loader(pack.open(), options_for(residency), *driver, fake.kernels());
  if (!loader.ok()) return {std::move(loader).error(), 0};
  Status used = use_loader(*loader, streams);
  const auto begin = steady_clock::now();
  loader->close();
  outcome.close_seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
  if (!used.ok()) outcome.error = std::move(used).error();
  return outcome;
}

// The objects still held after late frees.
FakeDriver::Held held_at_last(FakeDriver& fake) {
  device::sweep_late();  // freeing memory in use is a violation
  fake.run_all();
  const auto end = steady_clock::now() + std::chrono::seconds(5);
  while (fake.held() != FakeDriver::Held{} && steady_clock::now() < end) {
    device::sweep_late();
    if (device::late_count() == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return fake.held();
}

bool frees(const std::string& call) {
  for (const char* const name : {"MemFree", "MemFreeHost", "StreamDestroy", "EventDestroy",
                                 "ModuleUnload", "DevicePrimaryCtxRelease"}) {
    if (call == name) return true;
  }
  return false;
}

// All calls, and those whose failure every run must report if they are made before close().
std::vector<std::string> all_calls() {
  std::vector<std::string> names;
#define HOTPACK_CALL_NAME(name, version, parameters) names.emplace_back(#name);
  HOTPACK_DRIVER_CALLS(HOTPACK_CALL_NAME)
#undef HOTPACK_CALL_NAME
  return names;
}

// The outcome of one failed call. An error that names another call would mislead people.
std::string fault_of(const std::string& call, const Outcome& outcome, const FakeDriver& fake,
                     const FakeDriver::Held& held) {
  if (outcome.error && outcome.error->describe().find("cu" + call) == std::string::npos) {
    return "the error does not name the call: " + outcome.error->describe();
  }
  if (outcome.close_seconds > kPromptly)
    return "close() took " + std::to_string(outcome.close_seconds) + " s";
  if (!frees(call) && call != "CtxPushCurrent" && held != FakeDriver::Held{}) {
    return "left behind: " + std::to_string(held.device_blocks) + " device blocks, " +
           std::to_string(held.pinned_blocks) + " pinned blocks, " + std::to_string(held.streams) +
           " streams, " + std::to_string(held.events) + " events, " + std::to_string(held.modules) +
           " modules, " + std::to_string(held.retained) + " contexts";
  }
  if (call == "CtxPopCurrent") return {};  // the context that stays current is the driver's doing
  for (const std::string& violation : fake.violations()) return "violation: " + violation;
  return {};
}

// Calls that a run makes, by name.
std::uint64_t calls_of_a_run(const TinyPack& pack, Residency residency, const std::string& call) {
  FakeDriver fake;
  const std::vector<StreamHandle> streams{fake.stream(), fake.stream(), fake.stream()};
  const Outcome outcome = run(pack, fake, streams, residency);
  if (outcome.error)
    throw std::logic_error("a run without failures failed: " + outcome.error->describe());
  const std::uint64_t calls = fake.calls(call);
  (void)held_at_last(fake);  // before the driver goes
  return calls;
}

void fail_everywhere(Residency residency, int code) {
  const TinyPack pack;
  std::size_t failures = 0;
  for (const std::string& call : all_calls()) {
    const std::uint64_t made = std::min(kMostOccurrences, calls_of_a_run(pack, residency, call));
    std::size_t told = 0;
    for (std::uint64_t occurrence = 0; occurrence < made; ++occurrence) {
      FakeDriver fake;
      const std::vector<StreamHandle> streams{fake.stream(), fake.stream(), fake.stream()};
      fake.fail(call, occurrence, code);
      const Outcome outcome = run(pack, fake, streams, residency);
      const std::string fault = fault_of(call, outcome, fake, held_at_last(fake));
      INFO("cu" << call << ", call number " << occurrence);
      CHECK(fault.empty());
      if (!fault.empty()) WARN("cu" << call << " number " << occurrence << ": " << fault);
      if (outcome.error) ++told;
      ++failures;
    }
    const bool silent = frees(call) || call == "CtxPopCurrent" ||
                        call == "ThreadExchangeStreamCaptureMode" || call == "GetErrorName" ||
                        call == "GetErrorString";
    INFO("cu" << call << " failed " << made << " times, told " << told << " times");
    CHECK((made == 0 || silent || told > 0));
  }
  CHECK(failures > 100);
}

}  // namespace

TEST_CASE("a failing driver call is reported by name and leaks nothing: page") {
  fail_everywhere(Residency::page, device::code::kUnknown);
}

TEST_CASE("a failing driver call is reported by name and leaks nothing: no memory") {
  fail_everywhere(Residency::device, device::code::kOutOfMemory);
}

TEST_CASE("a failing driver call is reported by name and leaks nothing: device") {
  fail_everywhere(Residency::device, device::code::kUnknown);
}

TEST_CASE("a context that breaks at any time fails every call and closes quickly") {
  const TinyPack pack;
  for (const Residency residency : {Residency::page, Residency::device}) {
    for (int step = 0; step < 4; ++step) {
      FakeDriver fake;
      const StreamHandle stream = fake.stream();
      auto loader = device::open_device_loader(pack.open(), options_for(residency), fake.driver(),
                                               fake.kernels())
                        .value();
      for (int done = 0; done < step; ++done) {
        auto batch = loader.next(stream);
        REQUIRE(batch.ok());
      }
      fake.break_context(0, device::code::kIllegalAddress);
      std::optional<Error> error;
      for (int more = 0; more < 8 && !error; ++more) {
        auto batch = loader.next(stream);
        if (!batch.ok()) error = batch.error();
      }
      REQUIRE(error);
      CHECK(error->code == ErrorCode::io);
      CHECK_THAT(error->message, ContainsSubstring("cu") && ContainsSubstring("700"));
      auto again = loader.next(stream);
      REQUIRE_FALSE(again.ok());
      const auto begin = steady_clock::now();
      loader.close();
      CHECK(std::chrono::duration<double>(steady_clock::now() - begin).count() < kPromptly);
      (void)held_at_last(fake);
    }
  }
}

TEST_CASE("a graph that another thread captures in global mode stays valid") {
  const TinyPack pack;
  for (const Residency residency : {Residency::page, Residency::device}) {
    FakeDriver fake;
    const std::vector<StreamHandle> streams{fake.stream(), fake.stream(), fake.stream()};
    const auto driver = fake.driver();
    fake.set_capturing_globally(true);
    {
      auto loader =
          device::open_device_loader(pack.open(), options_for(residency), driver, fake.kernels())
              .value();
      const Status used = use_loader(loader, streams);
      CHECK(used.ok());
    }
    fake.set_capturing_globally(false);
    CHECK(held_at_last(fake) == FakeDriver::Held{});
    CHECK(fake.violations().empty());
  }
}

TEST_CASE("memory released while its stream is captured is not reused") {
  const TinyPack pack;
  FakeDriver fake;
  const StreamHandle stream = fake.stream();
  auto loader = device::open_device_loader(pack.open(), options_for(Residency::page), fake.driver(),
                                           fake.kernels())
                    .value();
  auto batch = loader.next(stream).value();
  REQUIRE(batch);
  void* const memory = batch->image().data;
  fake.set_capturing(stream, true);
  batch->release();
  {
    const auto next = loader.next(fake.stream());
    REQUIRE(next.ok());
    CHECK((*next)->image().data != memory);
  }
  fake.set_capturing(stream, false);
  loader.close();
  (void)held_at_last(fake);
  CHECK(fake.violations().empty());
}

}  // namespace hotpack::test
