// Decompresses (inflates) a whole zlib stream whose decompressed size is known. It is fast, and
// refuses exactly what zlib refuses.
//
// libdeflate is as fast, but accepts streams that zlib refuses: repeats of code lengths beyond the
// last one, code words that an incomplete code does not have, symbols that do not exist, and more
// lengths than a block may have. It does not report where blocks begin, so its caller cannot check
// for them. This class checks everything that zlib checks. It leaves two kinds of streams to zlib:
// those whose result depends on how zlib is called (with a window smaller than the data), and those
// of very many small blocks with a code of their own.
//
// Ownership: keeps the tables of a block, 23 KB. Not thread-safe. Failure: returns false without a
// reason. The bytes may come from an attacker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hotpack::codecs {

// How many bytes the decoder may write beyond the end of the decompressed data: nine literals, a
// match of 258 bytes, and the rest of the last copy.
inline constexpr std::size_t kInflateSlack = 512;

class StrictInflate {
 public:
  // Returns true if `coded` is exactly one zlib stream that zlib accepts and that decompresses to
  // `size` bytes. Writes these bytes to `into`, which must have room for kInflateSlack more bytes.
  // Returns false if zlib refuses the stream, or if only zlib itself can decide.
  [[nodiscard]] bool run(std::span<const std::byte> coded, std::uint8_t* into, std::size_t size);

 private:
  class Blocks;

  std::array<std::uint32_t, 4672> literals_;  // literals and lengths
  std::array<std::uint32_t, 1024> distances_;
};

}  // namespace hotpack::codecs
