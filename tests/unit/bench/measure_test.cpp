#include "bench/measure.hpp"

#include "base/error.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::bench;

TEST_CASE("a median is the middle value, or the mean of the middle two") {
  CHECK(median({}) == 0);
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 5}) == 5);
  CHECK(median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("a rate is work by its time") {
  const Rate rate = rate_of({2.0, 10, 3000});
  CHECK(rate.samples_per_second == 5);
  CHECK(rate.bytes_per_second == 1500);
}

TEST_CASE("contestants take turns, and the median of each counts") {
  std::string order;
  double slow[] = {100, 4, 1, 2};  // the first round does not count
  std::size_t round = 0;
  const std::vector<Measurement> turns = {
      [&](double seconds) -> Result<Work> {
        order += "a";
        return Work{slow[round++], static_cast<std::uint64_t>(seconds), 8};
      },
      [&](double) -> Result<Work> {
        order += "b";
        return Work{1, 7, 70};
      }};
  const auto rates = take_turns(turns, 3, 16);
  REQUIRE(rates.ok());
  CHECK(order == "abababab");
  REQUIRE(rates->size() == 2);
  CHECK((*rates)[0].bytes_per_second == 4);
  CHECK((*rates)[0].samples_per_second == 8);
  CHECK((*rates)[1].bytes_per_second == 70);
}

TEST_CASE("the first error of a turn ends the measurement") {
  int calls = 0;
  const std::vector<Measurement> turns = {[&](double) -> Result<Work> {
    if (++calls == 2) return damaged_error("record 3", "shard");
    return Work{1, 1, 1};
  }};
  const auto rates = take_turns(turns, 5, 1);
  REQUIRE_FALSE(rates.ok());
  CHECK(rates.error().message == "record 3");
  CHECK(calls == 2);
}
