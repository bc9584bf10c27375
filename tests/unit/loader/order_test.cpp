#include "hotpack/order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "unit/loader/order_golden.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

using Sizes = std::initializer_list<std::uint64_t>;

// The distance of a table of counts from equal counts, in standard deviations of chi-square.
double deviation(const std::vector<double>& counts) {
  double total = 0, square = 0;
  for (const double count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  for (const double count : counts) square += (count - expected) * (count - expected) / expected;
  const double freedom = static_cast<double>(counts.size() - 1);
  return (square - freedom) / std::sqrt(2 * freedom);
}

// The deviation of the pairs below n that `pair_of` returns for 20,000 seeds. Pairs of equal
// elements are left out if they cannot occur.
double pair_deviation(
    std::uint64_t n, bool may_be_equal,
    const std::function<std::array<std::uint64_t, 2>(std::uint64_t seed)>& pair_of) {
  std::vector<double> counts(n * n);
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    const auto [a, b] = pair_of(seed);
    ++counts[a * n + b];
  }
  if (may_be_equal) return deviation(counts);
  std::vector<double> unequal;
  for (std::uint64_t i = 0; i < n * n; ++i) {
    if (i / n != i % n) unequal.push_back(counts[i]);
  }
  return deviation(unequal);
}

std::vector<std::uint64_t> all_of(const EpochOrder& order) {
  std::vector<std::uint64_t> samples;
  for (std::uint64_t p = 0; p < order.samples(); ++p) samples.push_back(order[p]);
  return samples;
}

// The inverse of Shuffle::block, from ORDER.md. Precondition: whole windows of whole blocks.
std::uint64_t position_in_full_windows(std::uint64_t sample, std::uint64_t samples,
                                       const OrderOptions& options, std::uint64_t epoch) {
  constexpr std::uint32_t kBlocks = 2, kWindows = 3;
  const Permutation blocks(samples / options.block_samples, options.seed, epoch, kBlocks);
  const std::uint64_t place = blocks.position_of(sample / options.block_samples);
  const std::uint64_t window = place / options.window_blocks,
                      size = options.window_blocks * options.block_samples;
  const Permutation within(size, options.seed, epoch, kWindows, window);
  const std::uint64_t at =
      place % options.window_blocks * options.block_samples + sample % options.block_samples;
  return window * size + within.position_of(at);
}

constexpr double kFarOff = 6;  // deviations; the seeds are fixed, so the outcome is too

}  // namespace

TEST_CASE("a permutation holds each element once, and position_of undoes it") {
  for (std::uint64_t size = 0; size <= 300; ++size) {
    const Permutation permutation(size, 11, 2, 1);
    REQUIRE(permutation.size() == size);
    std::set<std::uint64_t> elements;
    for (std::uint64_t p = 0; p < size; ++p) {
      elements.insert(permutation[p]);
      REQUIRE(permutation[p] < size);
      REQUIRE(permutation.position_of(permutation[p]) == p);
    }
    REQUIRE(elements.size() == size);
  }
}

TEST_CASE("a permutation of any size up to the largest undoes itself") {
  for (unsigned bits = 9; bits <= 62; ++bits) {
    for (const std::uint64_t size : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits,
                                     (std::uint64_t{1} << (bits - 1)) + 1}) {
      const Permutation permutation(size, bits, 0, 1);
      for (const std::uint64_t position :
           {std::uint64_t{0}, std::uint64_t{1}, size / 3, size / 2, size - 2, size - 1}) {
        REQUIRE(permutation[position] < size);
        REQUIRE(permutation.position_of(permutation[position]) == position);
        REQUIRE(permutation[permutation.position_of(position)] == position);
      }
    }
  }
}

TEST_CASE("permutations, orders and steps are the golden ones") {
  for (const auto& one : order_golden("permutations")) {
    const Permutation permutation(number(one, "size"), number(one, "seed"), number(one, "epoch"),
                                  static_cast<std::uint32_t>(number(one, "stream")),
                                  number(one, "index"));
    std::vector<std::uint64_t> elements;
    for (const std::uint64_t position : numbers(one, "positions"))
      elements.push_back(permutation[position]);
    CHECK(elements == numbers(one, "elements"));
  }
  for (const auto& one : order_golden("orders")) {
    const auto shuffle = value_named<Shuffle>(one.at("shuffle").get<std::string>(), shuffle_name);
    const OrderOptions options = {shuffle, number(one, "seed"), number(one, "block_samples"),
                                  number(one, "window_blocks")};
    const EpochOrder order(number(one, "samples"), options, number(one, "epoch"));
    std::vector<std::uint64_t> elements;
    for (const std::uint64_t position : numbers(one, "positions"))
      elements.push_back(order[position]);
    CHECK(elements == numbers(one, "elements"));
  }
  for (const auto& one : order_golden("steps")) {
    const auto last_batch =
        value_named<LastBatch>(one.at("last_batch").get<std::string>(), last_batch_name);
    const StepPlan plan = StepPlan::make(number(one, "samples"), number(one, "global_batch_size"),
                                         last_batch, number(one, "rank"), number(one, "world_size"))
                              .value();
    const auto positions = one.at("positions").get<std::vector<std::array<std::uint64_t, 2>>>();
    REQUIRE(plan.steps() == positions.size());
    for (std::uint64_t k = 0; k < plan.steps(); ++k)
      CHECK(plan.positions(k) == Positions{positions[k][0], positions[k][1]});
  }
}

TEST_CASE("every element and every pair is equally likely at every position") {
  for (const std::uint64_t n : Sizes{2, 3, 4, 5, 7, 8, 9, 16, 17, 64, 100}) {
    CAPTURE(n);
    std::vector<std::vector<double>> counts(n, std::vector<double>(n));
    for (std::uint64_t seed = 0; seed < 10000; ++seed) {
      const Permutation permutation(n, seed, 0, 1);
      for (std::uint64_t p = 0; p < n; ++p) ++counts[p][permutation[p]];
    }
    for (const auto& at_position : counts) CHECK(std::abs(deviation(at_position)) < kFarOff);
    const auto elements_at = [n](std::uint64_t p, std::uint64_t q) {
      return [=](std::uint64_t seed) {
        const Permutation permutation(n, seed, 0, 1);
        return std::array{permutation[p], permutation[q]};
      };
    };
    CHECK(std::abs(pair_deviation(n, false, elements_at(0, 1))) < kFarOff);
    CHECK(std::abs(pair_deviation(n, false, elements_at(0, n - 1))) < kFarOff);
    CHECK(std::abs(pair_deviation(n, false, elements_at(n / 2, n / 2 - 1))) < kFarOff);
  }
}

TEST_CASE("all orders of a few samples occur, each as often") {
  for (const std::uint64_t n : Sizes{3, 4, 5}) {
    std::vector<double> counts(n == 3 ? 6 : n == 4 ? 24 : 120);
    for (std::uint64_t seed = 0; seed < 60000; ++seed) {
      const Permutation permutation(n, seed, 9, 1);
      // of the order among all orders: counts later elements that are smaller
      std::uint64_t rank = 0;
      for (std::uint64_t p = 0; p < n; ++p) {
        rank *= n - p;
        for (std::uint64_t q = p + 1; q < n; ++q) rank += permutation[q] < permutation[p];
      }
      ++counts[rank];
    }
    CAPTURE(n);
    CHECK(std::abs(deviation(counts)) < kFarOff);
  }
}

TEST_CASE("epochs, seeds, streams and indices have orders of their own") {
  for (const std::uint64_t n : Sizes{2, 3, 5, 8, 17, 100}) {
    CAPTURE(n);
    const auto against = [n](std::uint64_t seed_step, std::uint64_t epoch, std::uint32_t stream,
                             std::uint64_t index) {
      return pair_deviation(n, true, [=](std::uint64_t seed) {
        return std::array{Permutation(n, seed, 0, 1)[0],
                          Permutation(n, seed + seed_step, epoch, stream, index)[0]};
      });
    };
    CHECK(std::abs(against(0, 1, 1, 0)) < kFarOff);
    CHECK(std::abs(against(0, kMaxEpoch, 1, 0)) < kFarOff);
    CHECK(std::abs(against(1, 0, 1, 0)) < kFarOff);
    CHECK(std::abs(against(std::uint64_t{1} << 32, 0, 1, 0)) < kFarOff);
    CHECK(std::abs(against(0, 0, 2, 0)) < kFarOff);
    CHECK(std::abs(against(0, 0, 1, 1)) < kFarOff);
    CHECK(std::abs(against(0, 0, 1, std::uint64_t{1} << 32)) < kFarOff);
  }
}

TEST_CASE("file order is the order of the files") {
  const EpochOrder order(1000, {.shuffle = Shuffle::none, .seed = 3}, 5);
  for (std::uint64_t p = 0; p < 1000; ++p) REQUIRE(order[p] == p);
}

TEST_CASE("block shuffle mixes the samples of a window's blocks and of no others") {
  for (const std::uint64_t samples : Sizes{96, 97, 100, 103}) {
    constexpr std::uint64_t kBlock = 8, kWindow = 3;
    const std::uint64_t blocks = (samples + kBlock - 1) / kBlock;
    const auto order = all_of(EpochOrder(samples, {Shuffle::block, 5, kBlock, kWindow}, 2));
    CAPTURE(samples);
    CHECK(std::set(order.begin(), order.end()).size() == samples);
    std::set<std::uint64_t> done;
    std::uint64_t position = 0;
    for (std::uint64_t window = 0; window * kWindow < blocks; ++window) {
      // The window's blocks are those of its first samples, until each has been seen whole.
      std::multiset<std::uint64_t> seen;
      const std::uint64_t wanted = std::min(kWindow, blocks - window * kWindow);
      const auto whole = [&](std::uint64_t block) {
        return seen.count(block) == std::min(kBlock, samples - block * kBlock);
      };
      std::set<std::uint64_t> distinct;
      const auto finished = [&] {
        return distinct.size() == wanted && std::all_of(distinct.begin(), distinct.end(), whole);
      };
      while (!finished() && position < samples) {
        seen.insert(order[position] / kBlock);
        distinct.insert(order[position++] / kBlock);
      }
      CHECK(distinct.size() == wanted);
      for (const std::uint64_t block : distinct) CHECK(done.insert(block).second);
    }
    CHECK(position == samples);
  }
}

TEST_CASE("the order before mixing has the same samples per window") {
  constexpr std::uint64_t kBlock = 8, kWindow = 3;
  for (std::uint64_t samples = 90; samples <= 106; ++samples) {
    const EpochOrder order(samples, {Shuffle::block, samples, kBlock, kWindow}, 1);
    CAPTURE(samples);
    std::set<std::uint64_t> mixed, unmixed;  // of the window so far
    std::uint64_t blocks = 0, moved = 0;
    for (std::uint64_t p = 0; p < samples; ++p) {
      const bool block_begins = order.unmixed(p) % kBlock == 0;
      if (block_begins && blocks++ % kWindow == 0) {
        CHECK(mixed == unmixed);
        mixed.clear();
        unmixed.clear();
      }
      if (!block_begins) CHECK(order.unmixed(p) == order.unmixed(p - 1) + 1);
      CHECK(mixed.insert(order[p]).second);
      CHECK(unmixed.insert(order.unmixed(p)).second);
      moved += order[p] != order.unmixed(p);
    }
    CHECK(mixed == unmixed);
    CHECK(blocks == (samples + kBlock - 1) / kBlock);
    CHECK(moved > samples / 2);
  }
}

TEST_CASE("nothing is mixed within windows but blocks") {
  for (const Shuffle shuffle : {Shuffle::full, Shuffle::none}) {
    const EpochOrder order(100, {.shuffle = shuffle, .seed = 3}, 2);
    for (std::uint64_t p = 0; p < 100; ++p) CHECK(order.unmixed(p) == order[p]);
  }
}

TEST_CASE("block shuffle takes the short block anywhere") {
  std::set<std::uint64_t> positions;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto order = all_of(EpochOrder(9, {Shuffle::block, seed, 4, 1}, 0));
    CHECK(std::set(order.begin(), order.end()).size() == 9);
    positions.insert(
        static_cast<std::uint64_t>(std::find(order.begin(), order.end(), 8) - order.begin()));
  }
  CHECK(positions == std::set<std::uint64_t>{0, 4, 8});
}

TEST_CASE("blocks and windows larger than the data set cover all of it") {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  for (const auto& [block, window] :
       {std::pair{kMost, kMost}, {std::uint64_t{1}, kMost}, {kMost, std::uint64_t{1}}}) {
    const auto order = all_of(EpochOrder(50, {Shuffle::block, 1, block, window}, 0));
    CHECK(std::set(order.begin(), order.end()).size() == 50);
    CHECK(order != all_of(EpochOrder(50, {Shuffle::block, 1, block, window}, 1)));
  }
}

TEST_CASE("the largest data set shuffled by blocks undoes itself") {
  const OrderOptions options = {Shuffle::block, 1, 256, 16};
  const EpochOrder order(kMaxSamples, options, kMaxEpoch);
  for (std::uint64_t p = 0; p < 100; ++p) {
    const std::uint64_t near_end = kMaxSamples - 1 - p * p * p,
                        anywhere = p * (kMaxSamples / 100) + p;
    CHECK(position_in_full_windows(order[near_end], kMaxSamples, options, kMaxEpoch) == near_end);
    CHECK(position_in_full_windows(order[anywhere], kMaxSamples, options, kMaxEpoch) == anywhere);
  }
}

TEST_CASE("steps are shared by ranks as evenly as can be") {
  const auto plan = [](std::uint64_t rank) {
    return StepPlan::make(100, 10, LastBatch::drop, rank, 4).value();
  };
  CHECK(plan(0).positions(3) == Positions{30, 32});
  CHECK(plan(1).positions(3) == Positions{32, 35});
  CHECK(plan(2).positions(3) == Positions{35, 37});
  CHECK(plan(3).positions(3) == Positions{37, 40});
  CHECK(plan(3).rows() == 3);
  CHECK(plan(0).steps() == 10);
}

TEST_CASE("the last samples are dropped, padded or wrapped") {
  const EpochOrder order(10, {.seed = 7}, 0);
  const auto plan = [](LastBatch last_batch) { return StepPlan::make(10, 4, last_batch).value(); };
  CHECK(plan(LastBatch::drop).steps() == 2);
  CHECK(plan(LastBatch::pad).steps() == 3);
  CHECK(plan(LastBatch::wrap).steps() == 3);
  CHECK(plan(LastBatch::pad).positions(2) == Positions{8, 12});
  CHECK(plan(LastBatch::pad).sample(order, 9) == order[9]);
  CHECK(plan(LastBatch::pad).sample(order, 10) == std::nullopt);
  CHECK(plan(LastBatch::wrap).sample(order, 11) == order[1]);
  // A batch larger than the data set contains it several times.
  CHECK(StepPlan::make(3, 8, LastBatch::wrap).value().sample(EpochOrder(3, {}, 0), 7) ==
        EpochOrder(3, {}, 0)[1]);
  CHECK(StepPlan::make(3, 8, LastBatch::pad).value().steps() == 1);
}

TEST_CASE("a short last step is shared by ranks as evenly as can be") {
  const auto plan = [](std::uint64_t rank) {
    return StepPlan::make(97, 10, LastBatch::keep, rank, 4).value();
  };
  CHECK(plan(0).steps() == 10);
  CHECK(plan(1).positions(8) == Positions{82, 85});
  CHECK(plan(0).positions(9) == Positions{90, 91});
  CHECK(plan(1).positions(9) == Positions{91, 93});
  CHECK(plan(2).positions(9) == Positions{93, 95});
  CHECK(plan(3).positions(9) == Positions{95, 97});
  CHECK(plan(1).rows() == 3);
  CHECK(plan(1).global_batch_size() == 10);
  // A rank may have more rows in the last step than in the others.
  const StepPlan more = StepPlan::make(15, 8, LastBatch::keep, 2, 5).value();
  CHECK(more.positions(0) == Positions{3, 4});
  CHECK(more.positions(1) == Positions{10, 12});
  CHECK(more.rows() == 2);
  // A batch larger than the data set is as large as the data set.
  const StepPlan one = StepPlan::make(3, 8, LastBatch::keep).value();
  CHECK(one.steps() == 1);
  CHECK(one.positions(0) == Positions{0, 3});
  CHECK(one.rows() == 3);
  CHECK(StepPlan::make(12, 4, LastBatch::keep).value().positions(2) == Positions{8, 12});
}

TEST_CASE("impossible steps are refused with numbers and advice") {
  const auto message = [](std::uint64_t samples, std::uint64_t batch, LastBatch last_batch,
                          std::uint64_t rank, std::uint64_t world_size) {
    const auto plan = StepPlan::make(samples, batch, last_batch, rank, world_size);
    REQUIRE(!plan.ok());
    CHECK(plan.error().code == ErrorCode::usage);
    return plan.error().message;
  };
  CHECK(message(40, 64, LastBatch::drop, 0, 1) ==
        "a step of 64 samples is larger than the 40 samples of the data set, so last_batch drop "
        "leaves no step; use a smaller batch, or last_batch keep, pad or wrap");
  CHECK(message(10, 4, LastBatch::keep, 0, 3) ==
        "steps of 4 samples leave 2 of the 10 samples for the last one, fewer than world_size 3, "
        "so with last_batch keep a process would have an empty last batch; use another batch size, "
        "fewer processes, or last_batch pad");
  CHECK(StepPlan::make(10, 4, LastBatch::keep, 0, 2).ok());
  CHECK_THAT(message(0, 4, LastBatch::wrap, 0, 1), ContainsSubstring("has no samples"));
  CHECK_THAT(message(kMaxSamples + 1, 4, LastBatch::wrap, 0, 1),
             ContainsSubstring("4611686018427387905 samples"));
  CHECK_THAT(message(40, 0, LastBatch::pad, 0, 1), ContainsSubstring("global_batch_size is 0"));
  CHECK_THAT(message(40, kMaxSamples + 1, LastBatch::pad, 0, 1),
             ContainsSubstring("4611686018427387905"));
  CHECK_THAT(message(40, 8, LastBatch::drop, 0, 0), ContainsSubstring("world_size is 0"));
  CHECK_THAT(message(40, 8, LastBatch::drop, 4, 4),
             ContainsSubstring("rank 4 is not below world_size 4; ranks are numbered from 0 to 3"));
  CHECK_THAT(message(40, 8, LastBatch::drop, 0, 9),
             ContainsSubstring("a step of 8 samples is smaller than world_size 9"));
}
