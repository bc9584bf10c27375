// Epochs that a program begins itself, copies of batches, and loaders of subsets.
#include <optional>
#include <thread>
#include <vector>

#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

LoaderOptions shuffled(std::uint64_t global_batch_size) {
  LoaderOptions options;
  options.global_batch_size = global_batch_size;
  options.seed = 7;
  return options;
}

std::vector<std::int64_t> samples_of(const Batch& batch) {
  return {batch.indices().begin(), batch.indices().end()};
}

}  // namespace

TEST_CASE("a program that never asks for the end of an epoch begins the next one") {
  const TinyPack pack;
  const LoaderOptions options = shuffled(4);
  Loader loader = open_loader(pack.open(), options);
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    REQUIRE(loader.begin_epoch(epoch).ok());
    CHECK(loader.position() == LoaderPosition{epoch, 0});
    for (std::uint64_t step = 0; step < loader.steps_per_epoch(); ++step) {
      const Batch batch = next_batch(loader);
      CHECK(batch.epoch() == epoch);
      CHECK(samples_of(batch) == expected_samples(12, options, epoch, step));
    }
    CHECK(loader.position() == LoaderPosition{epoch, 3});
  }
}

TEST_CASE("begin_epoch goes back, ahead, and on after cancel") {
  const TinyPack pack;
  Loader loader = open_loader(pack.open(), shuffled(4));
  skip(loader, 2);
  REQUIRE(loader.begin_epoch(5).ok());
  CHECK(next_batch(loader).epoch() == 5);
  REQUIRE(loader.begin_epoch(0).ok());
  const Batch again = next_batch(loader);
  CHECK(again.epoch() == 0);
  CHECK(again.step() == 0);
  loader.cancel();
  CHECK(next_error(loader).code == ErrorCode::cancelled);
  REQUIRE(loader.begin_epoch(1).ok());
  CHECK(next_batch(loader).epoch() == 1);
  CHECK(loader.begin_epoch(std::uint64_t{1} << 32).error().code == ErrorCode::usage);
  loader.close();
  CHECK(loader.begin_epoch(1).error().code == ErrorCode::usage);
}

TEST_CASE("copies of a batch share its slot until the last one ends") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  LoaderOptions options = shuffled(2);
  options.prefetch_batches = 2;
  Loader loader = open_loader(dataset, with_fixed_slots(dataset, options));
  CHECK(loader.slots() == 2);
  CHECK(loader.leased() == 0);
  std::optional<Batch> one = next_batch(loader);
  std::optional<Batch> copy = *one;
  CHECK(loader.leased() == 1);
  const BatchCopy seen = copy_of(*one);
  one->release();
  one->release();
  CHECK(one->batch_size() == 0);
  CHECK(loader.leased() == 1);
  CHECK(copy_of(*copy) == seen);
  const Batch second = next_batch(loader);
  CHECK(next_error(loader).code == ErrorCode::busy);
  std::thread([&] { copy.reset(); }).join();
  CHECK(loader.leased() == 1);
  CHECK(next_batch(loader).step() == 2);
}

TEST_CASE("a loader of a subset numbers its samples from 0") {
  const TinyPack pack;
  const Dataset whole = pack.open();
  const std::vector<std::uint64_t> numbers{11, 2, 5, 5, 7, 0};
  const Dataset subset = whole.subset(numbers).value();
  const LoaderOptions options = shuffled(2);
  Loader loader = open_loader(subset, options);
  CHECK(loader.steps_per_epoch() == 3);
  CHECK(loader.fingerprint() == subset.fingerprint());
  for (std::uint64_t step = 0; step < 3; ++step) {
    const Batch batch = next_batch(loader);
    CHECK(samples_of(batch) == expected_samples(6, options, 0, step));
    for (std::size_t row = 0; row < batch.batch_size(); ++row) {
      const auto number = static_cast<std::size_t>(batch.indices()[row]);
      CHECK(batch.key(row) == whole.sample(numbers[number]).value().key());
    }
  }
  Loader other =
      open_loader(whole.subset(std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}).value(), options);
  const Status refused = other.restore(loader.state());
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, ContainsSubstring("another data set"));
}

TEST_CASE("errors in the data have their record in fields") {
  const TinyPack pack;
  pack.damage_image(5);
  Loader loader = open_loader(pack.open(), in_file_order(1));
  skip(loader, 5);
  const Error error = next_error(loader);
  CHECK(error.record == 1u);  // of the second shard, which has four records
  CHECK(error.key == pack.open().sample(5).value().key());
  CHECK(error.path == pack.shard_path(1));
}
