#include "loader/strided_loader.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

constexpr std::uint64_t kSteps = 8;  // the last one is short

LoaderOptions run_options(Shuffle shuffle = Shuffle::full) {
  LoaderOptions options;
  options.global_batch_size = 4;
  options.seed = 3;
  options.last_batch = LastBatch::keep;
  options.shuffle = shuffle;
  options.block_samples = 3;
  options.window_blocks = 2;
  options.threads = 2;
  options.augment.horizontal_flip = 0.5;
  return options;
}

TinyPack pack_of_run() { return TinyPack({}, kSteps * 4 - 1, 5); }

Loader open_strided(const Dataset& dataset, const LoaderOptions& options, std::uint64_t stride) {
  auto loader = StridedLoader::open(dataset, options, stride);
  REQUIRE(loader.ok());
  return std::move(loader).value();
}

// The rest of an epoch, from this step on, by so many loaders that take turns.
std::vector<BatchCopy> by_turns(const Dataset& dataset, const LoaderOptions& options,
                                std::uint64_t stride, std::uint64_t epoch, std::uint64_t step) {
  std::vector<Loader> loaders;
  for (std::uint64_t i = 0; i < stride; ++i) {
    loaders.push_back(open_strided(dataset, options, stride));
    REQUIRE(loaders.back().seek(epoch, std::min(step + i, kSteps)).ok());
  }
  std::vector<BatchCopy> batches;
  for (std::uint64_t at = step; at < kSteps; ++at)
    batches.push_back(copy_of(next_batch(loaders[(at - step) % stride])));
  for (Loader& loader : loaders) CHECK(at_end_of_epoch(loader));
  return batches;
}

}  // namespace

TEST_CASE("loaders that share the steps give the batches of one loader") {
  const TinyPack pack = pack_of_run();
  const Dataset dataset = pack.open();
  for (const Shuffle shuffle : {Shuffle::full, Shuffle::block}) {
    const LoaderOptions options = run_options(shuffle);
    Loader whole = open_loader(dataset, options);
    REQUIRE(whole.steps_per_epoch() == kSteps);
    for (const std::uint64_t stride : {1u, 2u, 3u, 5u, 11u}) {
      for (const std::uint64_t step : {0u, 1u, 4u, 7u, 8u}) {
        CAPTURE(std::string(shuffle_name(shuffle)), stride, step);
        REQUIRE(whole.seek(6, step).ok());
        CHECK(by_turns(dataset, options, stride, 6, step) == rest_of_epoch(whole));
      }
    }
  }
}

TEST_CASE("position and state of a loader with a stride are those of the run") {
  const TinyPack pack = pack_of_run();
  const Dataset dataset = pack.open();
  Loader loader = open_strided(dataset, run_options(), 3);
  REQUIRE(loader.seek(2, 1).ok());
  CHECK(next_batch(loader).step() == 1);
  CHECK(loader.position() == LoaderPosition{2, 4});
  CHECK(loader.state().samples == 4 * 4);
  CHECK(next_batch(loader).step() == 4);
  CHECK(next_batch(loader).step() == 7);
  CHECK(loader.position() == LoaderPosition{2, kSteps});
  CHECK(loader.state().samples == kSteps * 4);
  CHECK(at_end_of_epoch(loader));
  CHECK(loader.position() == LoaderPosition{3, 0});
  CHECK(next_batch(loader).step() == 0);
  CHECK(next_batch(loader).step() == 3);
  LoaderOptions resumed = run_options();
  resumed.resume = loader.state();
  Loader other = open_strided(dataset, resumed, 3);
  CHECK(copy_of(next_batch(other)) == copy_of(next_batch(loader)));
  REQUIRE(other.begin_epoch(4).ok());
  CHECK(next_batch(other).epoch() == 4);
}

TEST_CASE("a stride of 0 is refused") {
  const TinyPack pack = pack_of_run();
  const auto refused = StridedLoader::open(pack.open(), run_options(), 0);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK_THAT(refused.error().message, ContainsSubstring("stride is 0"));
}
