// Properties of every order, over a large random set of (N, G, world_size, last_batch, shuffle,
// seed, epoch).
#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hotpack/order.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"

using namespace hotpack;

namespace {

// One epoch of a run, as a resumed run has it: from its step samples / G on.
struct Case {
  LoaderState run;
  std::uint64_t world_size = 1, other_world = 1;

  [[nodiscard]] std::string text() const {
    return "worlds " + std::to_string(world_size) + " and " + std::to_string(other_world) + ", " +
           run.text();
  }
};

constexpr std::uint64_t kMostWorlds = 40;

// The samples of a step over all ranks: only LastBatch::keep has a shorter last step.
std::uint64_t samples_of_step(const LoaderState& run, std::uint64_t step) {
  const std::uint64_t left = run.records - std::min(run.records, step * run.global_batch_size);
  return run.last_batch == LastBatch::keep ? std::min(run.global_batch_size, left)
                                           : run.global_batch_size;
}

// Every rank gets a row in each step.
std::uint64_t most_ranks(const LoaderState& run) {
  return samples_of_step(run, (run.records - 1) / run.global_batch_size);
}

class Cases {
 public:
  // An epoch of so many samples.
  Case next(std::uint64_t samples) {
    Case one;
    LoaderState& run = one.run;
    run.fingerprint = "xxh3-128:00000000000000000000000000000000";
    run.records = samples;
    run.last_batch = static_cast<LastBatch>(upto(0, 3));
    run.global_batch_size = upto(
        1, std::min<std::uint64_t>(run.last_batch == LastBatch::drop ? samples : samples + 9, 200));
    run.epoch = upto(0, 1) == 0 ? upto(0, 3) : upto(0, kMaxEpoch);
    run.order = {static_cast<Shuffle>(upto(0, 2)), words_(),
                 of_any_length(static_cast<unsigned>(std::bit_width(samples))), upto(1, 8)};
    one.world_size = upto(1, std::min(most_ranks(run), kMostWorlds));
    one.other_world = upto(1, std::min(most_ranks(run), kMostWorlds));
    return one;
  }
  // 1 … 2^bits − 1, equally many for each number of bits.
  std::uint64_t of_any_length(unsigned bits) {
    const std::uint64_t least = std::uint64_t{1} << upto(0, bits - 1);
    return upto(least, 2 * least - 1);
  }
  std::uint64_t upto(std::uint64_t low, std::uint64_t high) {
    return low + words_() % (high - low + 1);
  }

 private:
  std::mt19937_64 words_{20240229};
};

constexpr std::int64_t kEmpty = -1;

std::vector<StepPlan> plans_of(const LoaderState& run, std::uint64_t world_size) {
  std::vector<StepPlan> plans;
  for (std::uint64_t rank = 0; rank < world_size; ++rank) {
    plans.push_back(
        StepPlan::make(run.records, run.global_batch_size, run.last_batch, rank, world_size)
            .value());
  }
  return plans;
}

// The samples of the epoch's remaining steps, rank by rank within a step; empty if ranks overlap,
// leave a gap, differ in their steps or by more than one row, or change their number of rows
// before the last step.
std::optional<std::vector<std::int64_t>> handed_out(const LoaderState& run,
                                                    std::uint64_t world_size) {
  const EpochOrder order(run.records, run.order, run.epoch);
  const auto plans = plans_of(run, world_size);
  std::vector<std::int64_t> samples;
  std::uint64_t next = run.samples;
  for (std::uint64_t step = run.samples / run.global_batch_size; step < plans[0].steps(); ++step) {
    const std::uint64_t shared = samples_of_step(run, step);
    for (const StepPlan& plan : plans) {
      const Positions positions = plan.positions(step);
      const bool as_before =
          step + 1 == plan.steps() || positions.size() == plan.positions(0).size();
      if (plan.steps() != plans[0].steps() || positions.first != next || !as_before ||
          positions.size() > plan.rows() || positions.size() == 0 ||
          positions.size() - shared / world_size > 1)
        return {};
      for (; next < positions.last; ++next) {
        const auto sample = plan.sample(order, next);
        samples.push_back(sample ? static_cast<std::int64_t>(*sample) : kEmpty);
      }
    }
    if (next != step * run.global_batch_size + shared) return {};
  }
  return samples;
}

// The first `most` of them are different samples of the data set.
bool each_once(const LoaderState& run, const std::vector<std::int64_t>& samples, std::size_t most) {
  std::vector<bool> seen(run.records);
  for (std::size_t i = 0; i < most; ++i) {
    if (samples[i] < 0 || static_cast<std::uint64_t>(samples[i]) >= run.records ||
        seen[static_cast<std::size_t>(samples[i])])
      return false;
    seen[static_cast<std::size_t>(samples[i])] = true;
  }
  return true;
}

bool epoch_is_right(const LoaderState& run, const std::vector<std::int64_t>& samples) {
  const std::uint64_t rest = run.records % run.global_batch_size;
  if (run.last_batch == LastBatch::drop)
    return samples.size() == run.records - rest && each_once(run, samples, samples.size());
  if (run.last_batch == LastBatch::keep)
    return samples.size() == run.records && each_once(run, samples, run.records);
  if (samples.size() != run.records + (rest == 0 ? 0 : run.global_batch_size - rest)) return false;
  for (std::size_t i = run.records; i < samples.size(); ++i) {
    if (samples[i] != (run.last_batch == LastBatch::pad ? kEmpty : samples[i % run.records]))
      return false;
  }
  return each_once(run, samples, run.records);
}

// True if a run of another world size continues with the rest of `samples`, given only the text
// of the state after this step.
bool resumes(const Case& one, const std::vector<std::int64_t>& samples, std::uint64_t step) {
  LoaderState state = one.run;
  state.samples = step * state.global_batch_size;
  const auto resumed = LoaderState::parse(state.text());
  if (!resumed.ok()) return false;
  const auto rest = handed_out(resumed.value(), one.other_world);
  const auto before =
      std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(state.samples), std::ssize(samples));
  return rest && std::equal(samples.begin() + before, samples.end(), rest->begin(), rest->end());
}

// smaller permutations take more rounds, and every step is resumed
constexpr std::uint64_t kSmall = 64;

// What has been compared, counted where it is.
struct Tally {
  std::size_t small_epochs = 0, large_epochs = 0;
  std::size_t resumes = 0;
  std::vector<std::string> faults;

  void fault(const std::string& what, const Case& one) {
    faults.push_back(what + ": " + one.text());
  }
};

void check_resume(const Case& one, const std::vector<std::int64_t>& samples, std::uint64_t step,
                  Tally& tally) {
  if (!resumes(one, samples, step)) tally.fault("resume at step " + std::to_string(step), one);
  ++tally.resumes;
}

void check(const Case& one, Cases& cases, Tally& tally) {
  const auto samples = handed_out(one.run, one.world_size);
  if (!samples || !epoch_is_right(one.run, *samples)) return tally.fault("epoch", one);
  const bool small = one.run.records < kSmall;
  ++(small ? tally.small_epochs : tally.large_epochs);
  const std::uint64_t steps = plans_of(one.run, 1).front().steps();
  if (!small) return check_resume(one, *samples, cases.upto(0, steps), tally);
  for (std::uint64_t step = 0; step <= steps; ++step) check_resume(one, *samples, step, tally);
}

}  // namespace

TEST_CASE("100,000 random epochs are permutations that any world size resumes") {
  Cases cases;
  Tally tally;
  const std::size_t epochs = 100000 / test::every(10);
  for (std::size_t i = 0; i < epochs && tally.faults.size() < 3; ++i) {
    const unsigned bits = i % 4 == 0 ? 12 : 10;  // the long ones take most of the time
    check(cases.next(cases.of_any_length(bits)), cases, tally);
  }
  CHECK(tally.faults == std::vector<std::string>());
  CHECK(tally.small_epochs + tally.large_epochs == epochs);
  CHECK(tally.small_epochs > epochs * 2 / 5);
  CHECK(tally.large_epochs > epochs * 2 / 5);
  CHECK(tally.resumes > epochs * 2);
}

TEST_CASE("an epoch resumes at every one of its steps on every world size") {
  Cases cases;
  for (int i = 0; i < 30; ++i) {
    Case one = cases.next(cases.upto(1, 100));
    one.run.global_batch_size = std::min<std::uint64_t>(one.run.global_batch_size, 8);
    const auto samples = handed_out(one.run, 1);
    CAPTURE(one.text());
    REQUIRE(samples.has_value());
    REQUIRE(epoch_is_right(one.run, *samples));
    const std::uint64_t steps = plans_of(one.run, 1).front().steps();
    for (one.other_world = 1; one.other_world <= most_ranks(one.run); ++one.other_world) {
      for (std::uint64_t step = 0; step <= steps; ++step) REQUIRE(resumes(one, *samples, step));
    }
  }
}

TEST_CASE("orders of very many samples never give one twice") {
  Cases cases;
  for (int i = 0; i < 300; ++i) {
    Case one = cases.next(cases.upto(1, kMaxSamples));
    if (i % 2 == 0) one.run.order.block_samples = cases.upto(1, 100000);
    const std::uint64_t records = one.run.records;
    const EpochOrder order(records, one.run.order, one.run.epoch);
    std::set<std::uint64_t> positions, samples;
    const std::uint64_t near = cases.upto(0, records - 1);
    for (int j = 0; j < 200; ++j)
      positions.insert(j % 2 == 0 ? cases.upto(0, records - 1)
                                  : near - std::min(near, cases.upto(0, 999)));
    for (const std::uint64_t position : positions) samples.insert(order[position]);
    CAPTURE(one.text());
    CHECK(samples.size() == positions.size());
    CHECK(*samples.rbegin() < records);
  }
}
