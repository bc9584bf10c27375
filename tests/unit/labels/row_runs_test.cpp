#include "labels/row_runs.hpp"

#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack;
using namespace hotpack::labels;
using hotpack::test::for_each_vector_target;

namespace {

using Ids = std::vector<std::uint16_t>;
using Begins = std::vector<std::uint32_t>;

// Runs of `length` pixels on average.
Ids random_row(std::size_t width, unsigned length, std::mt19937& random) {
  Ids ids(width, 7);
  for (std::size_t x = 1; x < width; ++x)
    ids[x] = random() % length == 0 ? static_cast<std::uint16_t>(random() % 5 * 256) : ids[x - 1];
  return ids;
}

Begins begins_of(const Ids& ids) {
  Begins begins{0};
  for (std::size_t x = 1; x < ids.size(); ++x)
    if (ids[x] != ids[x - 1]) begins.push_back(static_cast<std::uint32_t>(x));
  return begins;
}

}  // namespace

TEST_CASE("RowRuns finds each run, in rows of every width") {
  for_each_vector_target([] {
    std::mt19937 random(41);
    RowRuns runs;
    for (std::size_t width = 1; width < 400; ++width) {
      const Ids ids = random_row(width, 30, random);
      INFO(width << " pixels");
      REQUIRE(runs.find(ids));
      REQUIRE(Begins(runs.begins().begin(), runs.begins().end()) == begins_of(ids));
    }
  });
}

TEST_CASE("RowRuns finds a run of one pixel at every place") {
  for_each_vector_target([] {
    RowRuns runs;
    for (std::size_t x = 0; x < 200; ++x) {
      Ids ids(200, 0xFF00);
      ids[x] = 0xFFFF;
      INFO("pixel " << x);
      REQUIRE(runs.find(ids));
      REQUIRE(Begins(runs.begins().begin(), runs.begins().end()) == begins_of(ids));
    }
  });
}

TEST_CASE("RowRuns declines rows of short runs and takes the next row") {
  for_each_vector_target([] {
    RowRuns runs;
    for (const std::size_t width : {std::size_t{10}, std::size_t{64}, std::size_t{1000}}) {
      Ids ids(width);
      for (std::size_t x = 0; x < width; ++x) ids[x] = static_cast<std::uint16_t>(x);
      CHECK_FALSE(runs.find(ids));
      CHECK(runs.find(Ids(width, 3)));
      CHECK(runs.begins().size() == 1);
    }
  });
}

TEST_CASE("RowRuns reads no pixel beyond the row") {
  for_each_vector_target([] {
    RowRuns runs;
    Ids ids(300, 9);
    for (std::size_t width = 1; width < ids.size(); ++width) {
      ids[width] = 1;
      REQUIRE(runs.find({ids.data(), width}));
      REQUIRE(runs.begins().size() == 1);
      ids[width] = 9;
    }
  });
}
