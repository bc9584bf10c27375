#include "base/counter_random.hpp"

#include <set>

#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("Philox gives its authors' known answers") {
  constexpr std::uint32_t kOnes = 0xFFFFFFFF;
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) ==
        RandomWords{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
  CHECK(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        RandomWords{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  CHECK(philox4x32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}) ==
        RandomWords{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("every part of a random word's purpose changes it") {
  constexpr std::uint64_t kHigh = std::uint64_t{1} << 32;
  const std::set<RandomWords> words = {
      random_words(1, 1, 1, 1),         random_words(2, 1, 1, 1),
      random_words(1 + kHigh, 1, 1, 1), random_words(1, 2, 1, 1),
      random_words(1, 1, 2, 1),         random_words(1, 1, 1, 2),
      random_words(1, 1, 1, 1 + kHigh), random_words(1, 1, 1, 1, 1)};
  CHECK(words.size() == 8);
}

TEST_CASE("a scaled word stays below its bound and reaches both ends") {
  CHECK(scaled_word(0, 10) == 0);
  CHECK(scaled_word(0xFFFFFFFF, 10) == 9);
  CHECK(scaled_word(0xFFFFFFFF, 1) == 0);
  CHECK(scaled_word(0xFFFFFFFF, std::uint64_t{1} << 32) == 0xFFFFFFFF);
}
