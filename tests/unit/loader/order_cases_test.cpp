// What must hold of every order, over a large random set of (N, G, world, tail, shuffle, seed, epoch).
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hotpack/order.hpp"
#include "support/catch.hpp"

using namespace hotpack;

namespace {

struct Case {
  std::uint64_t samples = 1, global_batch = 1, world = 1, other_world = 1, epoch = 0;
  Tail tail = Tail::drop;
  OrderOptions order;

  [[nodiscard]] std::string text() const {
    return "N " + std::to_string(samples) + ", G " + std::to_string(global_batch) + ", worlds " + std::to_string(world) + " and " +
           std::to_string(other_world) + ", epoch " + std::to_string(epoch) + ", tail " + std::string(tail_name(tail)) + ", shuffle " +
           std::string(shuffle_name(order.shuffle)) + ", B " + std::to_string(order.block_samples) + ", W " +
           std::to_string(order.window_blocks) + ", seed " + std::to_string(order.seed);
  }
};

class Cases {
 public:
  Case next(std::uint64_t most_samples) {
    Case one;
    one.tail = static_cast<Tail>(upto(0, 2));
    one.samples = upto(1, most_samples);
    one.global_batch = upto(1, std::min<std::uint64_t>(one.tail == Tail::drop ? one.samples : one.samples + 9, 40));
    one.world = upto(1, one.global_batch);
    one.other_world = upto(1, one.global_batch);
    one.epoch = upto(0, 1) == 0 ? upto(0, 3) : upto(0, kMaxEpoch);
    one.order = {static_cast<Shuffle>(upto(0, 2)), words_(), upto(1, one.samples + 3), upto(1, 8)};
    return one;
  }
  std::uint64_t upto(std::uint64_t low, std::uint64_t high) { return low + words_() % (high - low + 1); }

 private:
  std::mt19937_64 words_{20240229};
};

constexpr std::int64_t kEmpty = -1;

std::vector<StepPlan> plans_of(const Case& one, std::uint64_t world) {
  std::vector<StepPlan> plans;
  for (std::uint64_t rank = 0; rank < world; ++rank) {
    plans.push_back(StepPlan::make(one.samples, one.global_batch, one.tail, rank, world).value());
  }
  return plans;
}

// The samples of the steps from `first_step` on, rank by rank within a step; nothing where ranks overlap, leave a gap, differ in their
// steps, or change their number of rows.
std::vector<std::int64_t> handed_out(const Case& one, std::uint64_t world, std::uint64_t first_step) {
  const EpochOrder order(one.samples, one.order, one.epoch);
  const auto plans = plans_of(one, world);
  std::vector<std::int64_t> samples;
  std::uint64_t next = first_step * one.global_batch;
  for (std::uint64_t step = first_step; step < plans[0].steps(); ++step) {
    for (const StepPlan& plan : plans) {
      const Positions positions = plan.positions(step);
      if (plan.steps() != plans[0].steps() || positions.first != next || positions.size() != plan.rows() || plan.rows() == 0) return {};
      for (; next < positions.last; ++next) {
        const auto sample = plan.sample(order, next);
        samples.push_back(sample ? static_cast<std::int64_t>(*sample) : kEmpty);
      }
    }
    if (next != (step + 1) * one.global_batch) return {};
  }
  return samples;
}

// Each once: `most` different samples, all of the data set.
bool each_once(const Case& one, const std::vector<std::int64_t>& samples, std::size_t most) {
  std::vector<bool> seen(one.samples);
  for (std::size_t i = 0; i < most; ++i) {
    if (samples[i] < 0 || static_cast<std::uint64_t>(samples[i]) >= one.samples || seen[static_cast<std::size_t>(samples[i])]) return false;
    seen[static_cast<std::size_t>(samples[i])] = true;
  }
  return true;
}

bool epoch_is_right(const Case& one, const std::vector<std::int64_t>& samples) {
  const std::uint64_t rest = one.samples % one.global_batch;
  if (one.tail == Tail::drop) return samples.size() == one.samples - rest && each_once(one, samples, samples.size());
  if (samples.size() != one.samples + (rest == 0 ? 0 : one.global_batch - rest)) return false;
  for (std::size_t i = one.samples; i < samples.size(); ++i) {
    if (samples[i] != (one.tail == Tail::pad ? kEmpty : samples[i % one.samples])) return false;
  }
  return each_once(one, samples, one.samples);
}

bool resumes(const Case& one, const std::vector<std::int64_t>& samples, std::uint64_t step) {
  const auto rest = handed_out(one, one.other_world, step);
  const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(step * one.global_batch);
  return std::equal(begin, samples.end(), rest.begin(), rest.end());
}

std::string fault_of(const Case& one, Cases& cases) {
  const auto samples = handed_out(one, one.world, 0);
  if (!epoch_is_right(one, samples)) return "epoch: " + one.text();
  const std::uint64_t step = cases.upto(0, samples.size() / one.global_batch);
  if (!resumes(one, samples, step)) return "resume at step " + std::to_string(step) + ": " + one.text();
  return {};
}

constexpr std::size_t kMostFaults = 3;

struct Outcome {
  std::size_t cases = 0;
  std::vector<std::string> faults;  // the first few
};

Outcome run(Cases& cases, std::size_t count, std::uint64_t most_samples) {
  Outcome outcome;
  for (; outcome.cases < count; ++outcome.cases) {
    const std::string fault = fault_of(cases.next(most_samples), cases);
    if (!fault.empty() && outcome.faults.size() < kMostFaults) outcome.faults.push_back(fault);
  }
  return outcome;
}

}  // namespace

TEST_CASE("in 100,000 random epochs each sample comes once, ranks share every step, and any world size resumes") {
  Cases cases;
  const Outcome small = run(cases, 100000, 40);
  const Outcome medium = run(cases, 1000, 2000);
  CHECK(small.faults == std::vector<std::string>());
  CHECK(medium.faults == std::vector<std::string>());
  CHECK(small.cases + medium.cases == 101000);
}

TEST_CASE("an epoch resumes at every one of its steps on every world size") {
  Cases cases;
  for (int i = 0; i < 30; ++i) {
    Case one = cases.next(60);
    one.global_batch = std::min<std::uint64_t>(one.global_batch, 8);
    one.world = 1;
    const auto samples = handed_out(one, 1, 0);
    CAPTURE(one.text());
    REQUIRE(epoch_is_right(one, samples));
    for (one.other_world = 1; one.other_world <= one.global_batch; ++one.other_world) {
      for (std::uint64_t step = 0; step <= samples.size() / one.global_batch; ++step) REQUIRE(resumes(one, samples, step));
    }
  }
}

TEST_CASE("orders of very many samples never give one twice") {
  Cases cases;
  for (int i = 0; i < 300; ++i) {
    Case one = cases.next(kMaxSamples);
    if (i % 2 == 0) one.order.block_samples = cases.upto(1, 100000);
    const EpochOrder order(one.samples, one.order, one.epoch);
    std::set<std::uint64_t> positions, samples;
    const std::uint64_t near = cases.upto(0, one.samples - 1);
    for (int j = 0; j < 200; ++j) positions.insert(j % 2 == 0 ? cases.upto(0, one.samples - 1) : near - std::min(near, cases.upto(0, 999)));
    for (const std::uint64_t position : positions) samples.insert(order[position]);
    CAPTURE(one.text());
    CHECK(samples.size() == positions.size());
    CHECK(*samples.rbegin() < one.samples);
  }
}
