// One zlib stream whose size is known, inflated at once: fast, and refused exactly where zlib refuses it.
//
// libdeflate is as fast, but takes streams that zlib refuses: repeats of code lengths beyond the last, code words that an incomplete code
// does not have, symbols that do not exist, more lengths than a block may give. It does not tell where blocks begin, so nothing outside can
// look for them. Here everything that zlib checks is checked, and what zlib judges by how it is called (a window smaller than the data) is
// left alone. So is a stream of very many small blocks, each with a code of its own.
//
// Ownership: keeps the tables of a block, 20 KB. Not thread-safe. Failure: false, with nothing said; reads hostile bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hotpack::codecs {

// What the decoder may write behind the last byte: four literals, a match of 258 bytes, and the rest of its last copy.
inline constexpr std::size_t kInflateSlack = 512;

class StrictInflate {
 public:
  // True: `coded` is one zlib stream and nothing else, zlib accepts it, and its `size` bytes are at `into`, which must have room for
  // kInflateSlack bytes more. False: any of it does not hold, or zlib has to judge.
  [[nodiscard]] bool run(std::span<const std::byte> coded, std::uint8_t* into, std::size_t size);

 private:
  class Blocks;

  std::array<std::uint32_t, 4096> literals_;  // literals and lengths
  std::array<std::uint32_t, 1024> distances_;
};

}  // namespace hotpack::codecs
