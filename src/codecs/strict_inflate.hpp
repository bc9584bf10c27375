// Inflates one zlib stream of known size at once: fast, and refusing exactly what zlib refuses.
//
// libdeflate is as fast, but accepts streams that zlib refuses: repeats of code lengths beyond
// the last, code words that an incomplete code does not have, symbols that do not exist, more
// lengths than a block may have. It does not report where blocks begin, so its caller cannot
// check for them. This class checks everything that zlib checks. It leaves alone what zlib
// decides by how it is called (a window smaller than the data), and streams of very many small
// blocks with a code of their own.
//
// Ownership: keeps the tables of a block, 23 KB. Not thread-safe. Failure: returns false without
// a reason. The bytes may be hostile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hotpack::codecs {

// What the decoder may write beyond the last byte: nine literals, a match of 258 bytes, and the
// rest of its last copy.
inline constexpr std::size_t kInflateSlack = 512;

class StrictInflate {
 public:
  // True: `coded` is exactly one zlib stream, zlib accepts it, and its `size` bytes are at
  // `into`, which must have room for kInflateSlack more bytes. False: one of these does not hold,
  // or zlib has to decide.
  [[nodiscard]] bool run(std::span<const std::byte> coded, std::uint8_t* into, std::size_t size);

 private:
  class Blocks;

  std::array<std::uint32_t, 4672> literals_;  // literals and lengths
  std::array<std::uint32_t, 1024> distances_;
};

}  // namespace hotpack::codecs
