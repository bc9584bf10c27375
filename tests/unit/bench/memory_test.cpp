#include "bench/memory.hpp"

#include "support/catch.hpp"

TEST_CASE("available memory is a sensible number") {
  const std::uint64_t bytes = hotpack::bench::available_memory();
  CHECK(bytes > (std::uint64_t{1} << 20));
  CHECK(bytes < (std::uint64_t{1} << 50));
}
