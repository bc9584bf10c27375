#include "labels/fill_units.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack::labels;

namespace {

template <class Unit>
void check_fill(Unit value) {
  for (std::size_t count = 0; count < 50; ++count) {
    std::vector<Unit> memory(count + 20, 7);
    fill_units(value, count, memory.data() + 10);
    const auto begin = memory.begin() + 10, end = begin + static_cast<std::ptrdiff_t>(count);
    INFO(sizeof(Unit) << " bytes, " << count << " units");
    REQUIRE(std::count(begin, end, value) == end - begin);
    REQUIRE(std::count(memory.begin(), begin, Unit{7}) == 10);
    REQUIRE(std::count(end, memory.end(), Unit{7}) == 10);
  }
}

}  // namespace

TEST_CASE("fill_units fills every count of units, and no byte beyond") {
  check_fill<std::uint16_t>(0x1234);
  check_fill<std::uint32_t>(0x12345678);
}

TEST_CASE("fill_units fills memory without alignment") {
  std::vector<unsigned char> memory(64);
  fill_units(std::uint16_t{0x0202}, 20, memory.data() + 3);
  CHECK(std::count(memory.begin(), memory.end(), 2) == 40);
  CHECK(memory[2] == 0);
  CHECK(memory[3] == 2);
  CHECK(memory[42] == 2);
  CHECK(memory[43] == 0);
}
