#include "base/root.hpp"

#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("integer roots are exact, next to squares and at the end of the range") {
  for (std::uint64_t value = 0, root = 0; value < 5000; ++value) {
    if ((root + 1) * (root + 1) == value) ++root;
    REQUIRE(floor_root(value) == root);
    REQUIRE(ceil_root(value) == root + (root * root < value));
  }
  for (unsigned bits = 8; bits < 32; ++bits) {
    for (const std::uint64_t root : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits, (std::uint64_t{3} << bits) / 2 + 1}) {
      CHECK(floor_root(root * root - 1) == root - 1);
      CHECK(floor_root(root * root) == root);
      CHECK(floor_root(root * root + 1) == root);
      CHECK(ceil_root(root * root + 1) == root + 1);
    }
  }
  CHECK(floor_root(~std::uint64_t{0}) == 0xFFFFFFFF);
  CHECK(ceil_root(~std::uint64_t{0}) == 0x100000000);
}
