// state() and restore(): a run that continues elsewhere.
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "hotpack/loader.hpp"
#include "hotpack/order.hpp"
#include "support/catch.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

constexpr std::uint64_t kEpochs = 2;

LoaderOptions run_options(LastBatch last_batch, Shuffle shuffle) {
  LoaderOptions options;
  options.global_batch_size = 4;
  options.seed = 11;
  options.last_batch = last_batch;
  options.shuffle = shuffle;
  options.block_samples = 3;
  options.window_blocks = 2;
  options.threads = 1;
  options.prefetch_batches = 2;
  options.augment.horizontal_flip = 0.5;
  return options;
}

// The ranks of one run, stepped together.
class Ranks {
 public:
  Ranks(const Dataset& dataset, LoaderOptions options, std::uint64_t world_size) {
    options.world_size = world_size;
    for (options.rank = 0; options.rank < world_size; ++options.rank)
      loaders_.push_back(open_loader(dataset, options));
  }
  // The global batch; empty at the end of an epoch.
  std::vector<Row> next() {
    std::vector<BatchCopy> parts;
    for (Loader& loader : loaders_) {
      auto batch = loader.next(kLong);
      REQUIRE(batch.ok());
      if (*batch) parts.push_back(copy_of(**batch));
    }
    REQUIRE((parts.empty() || parts.size() == loaders_.size()));
    return joined(parts);
  }
  std::string state_text() {
    const std::string text = loaders_.front().state().text();
    for (const Loader& loader : loaders_) REQUIRE(loader.state().text() == text);
    return text;
  }
  void restore(const LoaderState& state) {
    for (Loader& loader : loaders_) REQUIRE(loader.restore(state).ok());
  }

 private:
  std::vector<Loader> loaders_;
};

std::string restore_refused(Loader& loader, const LoaderState& state) {
  const Status restored = loader.restore(state);
  REQUIRE_FALSE(restored.ok());
  CHECK(restored.error().code == ErrorCode::usage);
  return restored.error().message;
}

}  // namespace

TEST_CASE("a run resumes after any step with another world size") {
  for (const LastBatch last_batch :
       {LastBatch::drop, LastBatch::pad, LastBatch::wrap, LastBatch::keep}) {
    const TinyPack pack({}, last_batch == LastBatch::keep ? 15 : 13, 5);  // 3 and 1 are left
    const Dataset dataset = pack.open();
    for (const Shuffle shuffle : {Shuffle::full, Shuffle::block, Shuffle::none}) {
      const LoaderOptions options = run_options(last_batch, shuffle);
      const std::uint64_t calls = kEpochs * (open_loader(dataset, options).steps_per_epoch() + 1);
      std::vector<std::vector<Row>> whole;
      std::vector<std::string> states;
      Ranks uninterrupted(dataset, options, 2);
      for (std::uint64_t call = 0; call < calls; ++call) {
        states.push_back(uninterrupted.state_text());
        whole.push_back(uninterrupted.next());
      }
      for (const std::uint64_t world_size : {1u, 3u, 4u}) {
        if (last_batch == LastBatch::keep && world_size > 3) continue;
        Ranks other(dataset, options, world_size);
        for (std::uint64_t call = calls; call-- > 0;) {
          CAPTURE(std::string(last_batch_name(last_batch)), std::string(shuffle_name(shuffle)),
                  world_size, call);
          const auto state = LoaderState::parse(states[call]);
          REQUIRE(state.ok());
          other.restore(*state);
          CHECK(other.state_text() == states[call]);
          REQUIRE(other.next() == whole[call]);
          if (call + 1 < calls) REQUIRE(other.next() == whole[call + 1]);
        }
      }
    }
  }
}

TEST_CASE("the option `resume` works like restore") {
  const TinyPack pack({}, 13, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options = run_options(LastBatch::pad, Shuffle::full);
  Loader first = open_loader(dataset, options);
  for (int call = 0; call < 12; ++call) {
    CAPTURE(call);
    options.resume = first.state();
    Loader resumed = open_loader(dataset, options);
    CHECK(resumed.state() == first.state());
    auto theirs = first.next(kLong), ours = resumed.next(kLong);
    REQUIRE(theirs.ok());
    REQUIRE(ours.ok());
    REQUIRE(theirs->has_value() == ours->has_value());
    if (*theirs) REQUIRE(copy_of(**theirs) == copy_of(**ours));
    if (*theirs) continue;
    const Batch begun = next_batch(resumed);  // the epoch after the one that had ended
    CHECK(std::vector(begun.indices().begin(), begun.indices().end()) ==
          expected_samples(13, options, begun.epoch(), 0));
    CHECK(begun.epoch() == options.resume->epoch + 1);
  }
}

TEST_CASE("the state counts what was handed out, not what was read ahead") {
  const TinyPack pack({}, 40, 20);
  const Dataset dataset = pack.open();
  LoaderOptions options = run_options(LastBatch::drop, Shuffle::full);
  options.prefetch_batches = 8;
  options.threads = 2;
  Loader loader = open_loader(dataset, options);
  for (std::uint64_t step = 0; step < 10; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the threads run ahead
    CHECK(loader.state().samples == step * 4);
    CHECK(loader.state().epoch == 0);
    next_batch(loader).release();
  }
  CHECK(loader.state().samples == 40);
  CHECK(at_end_of_epoch(loader));
  CHECK(loader.state().samples == 0);
  CHECK(loader.state().epoch == 1);
}

TEST_CASE("the state identifies its run") {
  const TinyPack pack({}, 13, 5);
  const Dataset dataset = pack.open();
  const LoaderOptions options = run_options(LastBatch::pad, Shuffle::block);
  Loader loader = open_loader(dataset, options);
  skip(loader, 3);
  const LoaderState state = loader.state();
  CHECK(state.fingerprint == dataset.packs()[0].fingerprint);
  CHECK(state.records == 13);
  CHECK(state.order == OrderOptions{Shuffle::block, 11, 3, 2});
  CHECK(state.last_batch == LastBatch::pad);
  CHECK(state.global_batch_size == 4);
  CHECK(state.samples == 12);
  const auto parsed = LoaderState::parse(state.text());
  REQUIRE(parsed.ok());
  CHECK(*parsed == state);
}

TEST_CASE("a state of another run is refused by its first difference") {
  const TinyPack pack({}, 13, 5), other({}, 13, 5, 50);
  const Dataset dataset = pack.open();
  Loader loader = open_loader(dataset, run_options(LastBatch::pad, Shuffle::block));
  skip(loader, 1);
  const LoaderState state = loader.state();
  const auto changed = [&](const std::function<void(LoaderState&)>& change) {
    LoaderState theirs = state;
    change(theirs);
    return restore_refused(loader, theirs);
  };
  const std::string foreign =
      open_loader(other.open(), run_options(LastBatch::pad, Shuffle::block)).fingerprint();
  REQUIRE(foreign != loader.fingerprint());
  CHECK_THAT(changed([&](LoaderState& s) { s.fingerprint = foreign; }),
             ContainsSubstring("another data set") && ContainsSubstring(foreign) &&
                 ContainsSubstring(loader.fingerprint()));
  CHECK_THAT(changed([](LoaderState& s) { s.records = 14; }),
             ContainsSubstring("the state has records 14, the loader 13"));
  CHECK_THAT(changed([](LoaderState& s) { s.order.shuffle = Shuffle::none; }),
             ContainsSubstring("the state has shuffle none, the loader block"));
  CHECK_THAT(changed([](LoaderState& s) { s.order.seed = 12; }),
             ContainsSubstring("the state has seed 12, the loader 11"));
  CHECK_THAT(changed([](LoaderState& s) { s.order.block_samples = 9; }),
             ContainsSubstring("block_samples 9, the loader 3"));
  CHECK_THAT(changed([](LoaderState& s) { s.order.window_blocks = 9; }),
             ContainsSubstring("window_blocks 9, the loader 2"));
  CHECK_THAT(changed([](LoaderState& s) { s.global_batch_size = 8; }),
             ContainsSubstring("global_batch_size 8, the loader 4"));
  CHECK_THAT(changed([](LoaderState& s) { s.last_batch = LastBatch::wrap; }),
             ContainsSubstring("last_batch wrap, the loader pad"));
  CHECK_THAT(changed([](LoaderState& s) { s.samples = 3; }),
             ContainsSubstring("3 samples into epoch 0"));
  CHECK_THAT(changed([](LoaderState& s) { s.samples = 20; }),
             ContainsSubstring("20 samples into epoch 0"));
  CHECK_THAT(changed([](LoaderState& s) { s.epoch = kMaxEpoch + 1; }),
             ContainsSubstring("epoch 4294967296"));
  CHECK(loader.state() == state);
  CHECK(next_batch(loader).step() == 1);
}

TEST_CASE("the block size of another shuffle is ignored") {
  const TinyPack pack({}, 13, 5);
  const Dataset dataset = pack.open();
  Loader loader = open_loader(dataset, run_options(LastBatch::pad, Shuffle::full));
  LoaderState state = loader.state();
  state.order.block_samples = 77;
  CHECK(loader.restore(state).ok());
}

TEST_CASE("a state of another run is refused by the option `resume`, too") {
  const TinyPack pack({}, 13, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options = run_options(LastBatch::pad, Shuffle::full);
  options.resume = open_loader(dataset, options).state();
  options.seed = 5;
  CHECK_THAT(refusal_of(dataset, options),
             ContainsSubstring("cannot resume") && ContainsSubstring("seed 11, the loader 5"));
}
