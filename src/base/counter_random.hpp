// Random words as a function of their purpose: no state, no order of calls, the same on every
// machine.
//
// The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011): a bijection of 128-bit counters under a 64-bit key. Pure functions; thread-safe; they
// cannot fail.
#pragma once

#include <array>
#include <cstdint>

namespace hotpack {

// The purpose of random words. Each purpose is a stream of its own: words of different streams are
// independent. The numbers determine the order of samples: never change one.
enum class Stream : std::uint32_t { samples = 1, blocks = 2, windows = 3, augmentation = 4 };

using RandomWords = std::array<std::uint32_t, 4>;

inline constexpr std::uint32_t low_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
inline constexpr std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

[[nodiscard]] constexpr RandomWords philox4x32(RandomWords counter,
                                               std::array<std::uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high_word(second) ^ counter[1] ^ key[0], low_word(second),
               high_word(first) ^ counter[3] ^ key[1], low_word(first)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

// Returns four random words for `subject` (the number of a sample, a window, …) in an epoch below
// 2^32. Pass draw = 1, 2, … below 2^24 for more words for the same subject. Precondition: stream <
// 256.
[[nodiscard]] constexpr RandomWords random_words(std::uint64_t seed, std::uint64_t epoch,
                                                 std::uint32_t stream, std::uint64_t subject,
                                                 std::uint32_t draw = 0) {
  return philox4x32({low_word(subject), high_word(subject), low_word(epoch), stream | draw << 8},
                    {low_word(seed), high_word(seed)});
}

// Returns a mixed `value`: every bit of the result depends on every bit of `value`, and different
// values have different results. This is the finalizer of splitmix64 with the constants of
// Stafford's variant 13.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

// Maps a random word to a number 0 … below − 1: ⌊word · below / 2^32⌋. Each number has probability
// 1 / below, with an error of less than 2^-32. Precondition: below ≤ 2^32.
[[nodiscard]] constexpr std::uint64_t scaled_word(std::uint32_t word, std::uint64_t below) {
  return word * below >> 32;
}

}  // namespace hotpack
