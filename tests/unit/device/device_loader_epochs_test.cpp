// Epochs that a program begins itself, and opening that tells how far it is.
#include <optional>
#include <vector>

#include "device_runs.hpp"
#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

std::vector<std::int64_t> samples_of(const DeviceBatch& batch) {
  return {batch.indices().begin(), batch.indices().end()};
}

// Waits until the batch or end that comes next has arrived, so that it is in the queue.
void wait_for_read_ahead(const DeviceLoader& loader) {
  for (int i = 0; i < 50 && loader.statistics().copied_bytes == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

TEST_CASE("a device program that never asks for an end begins the next epoch") {
  const TinyPack pack;
  const LoaderOptions options = small_batches(4);
  for (const bool ahead : {false, true}) {  // has the end arrived before begin_epoch?
    CAPTURE(ahead);
    FakeDriver fake;
    {
      const Streams streams{fake.stream()};
      DeviceLoader loader = open_on(fake, pack.open(), device_options(options));
      for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
        REQUIRE(loader.begin_epoch(epoch).ok());
        CHECK(loader.position() == LoaderPosition{epoch, 0});
        for (std::uint64_t step = 0; step < loader.steps_per_epoch(); ++step) {
          const DeviceBatch batch = next_batch(loader, streams);
          CHECK(batch.epoch() == epoch);
          CHECK(samples_of(batch) == expected_samples(12, options, epoch, step));
        }
        CHECK(loader.position() == LoaderPosition{epoch, 3});
        if (ahead) wait_for_read_ahead(loader);
      }
      CHECK(at_end_of_epoch(loader, streams));
      CHECK(loader.position() == LoaderPosition{3, 0});
    }
    check_nothing_left(fake);
  }
}

TEST_CASE("begin_epoch of a device loader keeps what was read ahead") {
  const TinyPack pack;
  FakeDriver fake;
  {
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, pack.open(), device_options(small_batches(4)));
    skip(loader, streams, 3);
    const std::uint64_t before = loader.statistics().copied_bytes;
    REQUIRE(loader.begin_epoch(1).ok());
    skip(loader, streams, 3);
    // 6 batches were copied, and at most those that were read ahead by now: none twice
    CHECK(loader.statistics().copied_bytes <= before + before / 3 * 5);
    REQUIRE(loader.begin_epoch(1).ok());  // back, which reads again
    CHECK(next_batch(loader, streams).epoch() == 1);
  }
  check_nothing_left(fake);
}

TEST_CASE("begin_epoch of a device loader goes back, ahead, and on after cancel") {
  const TinyPack pack;
  FakeDriver fake;
  {
    const Streams streams{fake.stream()};
    DeviceLoader loader = open_on(fake, pack.open(), device_options(small_batches(4)));
    skip(loader, streams, 2);
    REQUIRE(loader.begin_epoch(5).ok());
    CHECK(next_batch(loader, streams).epoch() == 5);
    REQUIRE(loader.begin_epoch(0).ok());
    CHECK(next_batch(loader, streams).epoch() == 0);
    loader.cancel();
    CHECK(next_error(loader, streams).code == ErrorCode::cancelled);
    REQUIRE(loader.begin_epoch(1).ok());
    CHECK(next_batch(loader, streams).epoch() == 1);
    CHECK(loader.begin_epoch(std::uint64_t{1} << 32).error().code == ErrorCode::usage);
    loader.close();
    CHECK(loader.begin_epoch(1).error().code == ErrorCode::usage);
  }
  check_nothing_left(fake);
}

TEST_CASE("opening tells how much is loaded, and stops if it is told to") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  for (const Residency residency : kResidencies) {
    INFO(residency_name(residency));
    FakeDriver fake;
    DeviceLoaderOptions options = device_options(small_batches(4), {0}, residency);
    std::vector<LoadProgress> told;
    options.progress = [&](const LoadProgress& progress) {
      told.push_back(progress);
      return true;
    };
    {
      const DeviceLoader loader = open_on(fake, dataset, options);
      if (loader.residency().residency == Residency::page) {
        CHECK(told.empty());
        continue;
      }
      REQUIRE_FALSE(told.empty());
      CHECK(told.back().records_done == 12);
      CHECK(told.back().records_total == 12);
      CHECK(told.back().bytes_done == told.back().bytes_total);
      CHECK(told.back().bytes_total == loader.residency().packed_bytes);
    }
    options.progress = [](const LoadProgress&) { return false; };
    const Error error = open_error(fake, dataset, options);
    CHECK(error.code == ErrorCode::cancelled);
    CHECK_THAT(error.message, ContainsSubstring("open the loader again"));
    check_nothing_left(fake);
  }
}
