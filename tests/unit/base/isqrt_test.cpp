#include "base/isqrt.hpp"

#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("integer roots are exact, next to squares and at the end of the range") {
  for (std::uint64_t value = 0, root = 0; value < 5000; ++value) {
    if ((root + 1) * (root + 1) == value) ++root;
    REQUIRE(isqrt_floor(value) == root);
    REQUIRE(isqrt_ceil(value) == root + (root * root < value));
  }
  for (unsigned bits = 8; bits < 32; ++bits) {
    for (const std::uint64_t root : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits,
                                     (std::uint64_t{3} << bits) / 2 + 1}) {
      CHECK(isqrt_floor(root * root - 1) == root - 1);
      CHECK(isqrt_floor(root * root) == root);
      CHECK(isqrt_floor(root * root + 1) == root);
      CHECK(isqrt_ceil(root * root + 1) == root + 1);
    }
  }
  CHECK(isqrt_floor(~std::uint64_t{0}) == 0xFFFFFFFF);
  CHECK(isqrt_ceil(~std::uint64_t{0}) == 0x100000000);
}
