#include "pack/ordered_work.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

TEST_CASE("items are taken in order, whatever the number of threads") {
  for (const int threads : {0, 1, 2, 8}) {
    for (const std::size_t count : std::vector<std::size_t>{0, 1, 15, 400}) {
      std::vector<std::size_t> taken;
      const Result<bool> all = take_in_order(
          count, threads, [](std::size_t i) { return std::to_string(i); },
          [&](std::size_t i, const std::string& prepared) -> Result<bool> {
            CHECK(prepared == std::to_string(i));
            taken.push_back(i);
            return true;
          });
      CHECK((all.ok() && *all));
      REQUIRE(taken.size() == count);
      for (std::size_t i = 0; i < count; ++i) CHECK(taken[i] == i);
    }
  }
}

TEST_CASE("no item is taken after an error or a stop") {
  for (const int threads : {1, 2, 8}) {
    for (const bool fails : {false, true}) {
      std::size_t taken = 0;
      std::atomic<std::size_t> prepared = 0;
      const Result<bool> all = take_in_order(
          100000, threads, [&](std::size_t i) { return ++prepared, i; },
          [&](std::size_t i, std::size_t) -> Result<bool> {
            ++taken;
            if (i < 200) return true;
            if (fails) return data_error("item " + std::to_string(i));
            return false;
          });
      CHECK(taken == 201);
      CHECK(prepared < 100000);
      REQUIRE(all.ok() != fails);
      if (fails) CHECK(all.error().message == "item 200");
      if (!fails) CHECK_FALSE(*all);
    }
  }
}

TEST_CASE("exceptions of the work reach the caller") {
  for (const int threads : {1, 4}) {
    const auto run = [&] {
      (void)take_in_order(
          100, threads,
          [](std::size_t i) {
            if (i == 50) throw std::runtime_error("no");
            return i;
          },
          [](std::size_t, std::size_t) -> Result<bool> { return true; });
    };
    CHECK_THROWS_AS(run(), std::runtime_error);
  }
}
