#include "gpu/acceptance/report.hpp"

#include "support/catch.hpp"

using namespace hotpack::gpu;

namespace {

// 55 GB/s over the bus, 2,900 GB/s within the device, 12 GB/s a core.
constexpr Bandwidths kLimits{55e9, 54e9, 2900e9, 12e9};
// 512×512, i = 4, o = 12·2 + 3·2 = 30.
constexpr double kPixels = 512 * 512;
constexpr SampleBytes kSample{4 * kPixels, 30 * kPixels};

AcceptanceRow row(Goal goal, double value, double limit, double target) {
  AcceptanceRow made;
  made.goal = goal;
  made.value = value;
  made.limit = limit;
  made.target = target;
  return made;
}

}  // namespace

TEST_CASE("the bounds of a loader are those of bus and memory") {
  CHECK(bus_bound(kLimits, kSample) == Approx(55e9 / (4 * kPixels)));
  CHECK(memory_bound(kLimits, kSample) == Approx(2900e9 / (38 * kPixels)));
  CHECK(resident_bound(kLimits, kSample) == Approx(2900e9 * 30 / 34));
}

TEST_CASE("end to end the lesser bound counts") {
  CHECK(end_to_end_bound(kLimits, kSample) == bus_bound(kLimits, kSample));
  Bandwidths slow = kLimits;
  slow.memory = 100e9;
  CHECK(end_to_end_bound(slow, kSample) == memory_bound(slow, kSample));
}

TEST_CASE("threads gather as much as the bus carries and no more") {
  CHECK(gathered_bound(kLimits, 2) == Approx(24e9));
  CHECK(gathered_bound(kLimits, 16) == Approx(55e9));
}

TEST_CASE("bounds without a measurement are none") {
  CHECK(bus_bound(kLimits, {}) == 0);
  CHECK(memory_bound({}, kSample) == 0);
  CHECK(row(Goal::at_least, 1, 0, 0.9).ratio() == 0);
}

TEST_CASE("a row reaches its target from the side that its goal says") {
  CHECK(row(Goal::at_least, 95, 100, 0.95).reached());
  CHECK_FALSE(row(Goal::at_least, 94, 100, 0.95).reached());
  CHECK(row(Goal::at_most, 0.01, 1, 0.01).reached());
  CHECK_FALSE(row(Goal::at_most, 0.02, 1, 0.01).reached());
  CHECK(row(Goal::equal, 4096, 4096, 1).reached());
  CHECK_FALSE(row(Goal::equal, 4097, 4096, 1).reached());
}

TEST_CASE("a figure with a flaw reaches nothing") {
  AcceptanceRow made = row(Goal::at_least, 99, 100, 0.98);
  REQUIRE(made.reached());
  made.flaw = "the loader was too slow";
  CHECK(made.measured());
  CHECK_FALSE(made.reached());
}

TEST_CASE("a sentence names the bound that counts and the other one") {
  CHECK(gathering_sentence(kLimits, 1) ==
        "the threads: 1 thread gathers 12.0 GB/s, the bus carries 55.0 GB/s");
  CHECK(gathering_sentence(kLimits, 8) ==
        "the bus, which carries 55.0 GB/s; 8 threads gather 96.0 GB/s");
  CHECK(end_to_end_sentence(kLimits, kSample) ==
        "the bus, which carries 52,452 samples/s; the device's memory allows 291,122 samples/s");
  CHECK(resident_sentence(kLimits, kSample) ==
        "the device's memory, which moves 2900 GB/s: of a sample 1.00 MiB are read and 7.50 MiB "
        "written");
  Bandwidths slow = kLimits;
  slow.memory = 8e9;
  CHECK(end_to_end_sentence(slow, kSample) ==
        "the device's memory, which allows 803 samples/s; the bus carries 52,452 samples/s");
}

TEST_CASE("a sentence tells what small copies reach") {
  Bandwidths small = kLimits;
  small.bus_in_batches = 11e9;
  CHECK(gathering_sentence(small, 8) ==
        "the bus, which carries 55.0 GB/s; 8 threads gather 96.0 GB/s; copies as small as a batch "
        "reach 20.0 % of that");
}

TEST_CASE("what was not measured reaches nothing") {
  AcceptanceRow made = row(Goal::at_most, 0, 1, 0.01);
  REQUIRE(made.reached());
  made.missing = "there is no cuBLAS";
  CHECK_FALSE(made.measured());
  CHECK_FALSE(made.reached());
}
