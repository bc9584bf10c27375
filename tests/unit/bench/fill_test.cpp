#include "bench/fill.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("a fill writes every byte and no other") {
  const std::size_t bytes = GENERATE(0U, 1U, 63U, 64U, 65U, 1000U, 4096U);
  alignas(64) static std::byte memory[8192];
  std::fill(std::begin(memory), std::end(memory), std::byte{7});
  hotpack::bench::stream_fill(memory, bytes, 0xA5);
  CHECK(std::count(std::begin(memory), std::begin(memory) + bytes, std::byte{0xA5}) ==
        static_cast<std::ptrdiff_t>(bytes));
  CHECK(std::count(std::begin(memory) + bytes, std::end(memory), std::byte{7}) ==
        static_cast<std::ptrdiff_t>(sizeof memory - bytes));
}
