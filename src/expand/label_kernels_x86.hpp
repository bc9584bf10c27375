// The label kernels for processors with AVX2 and with AVX-512 (F, BW, VL, DQ, VBMI), and the code
// that both share.
//
// As label_kernels.hpp. Only on x86-64. Call label_kernels(), which chooses a level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "expand/label_kernels.hpp"
#include "expand/label_kernels_portable.hpp"

#if defined(__x86_64__)

#include <emmintrin.h>

namespace hotpack::expand {

[[nodiscard]] const LabelKernels& avx2_label_kernels();
[[nodiscard]] const LabelKernels& avx512_label_kernels();

namespace x86 {

// True if word_at() can load 64 bits from bit `at` on, without reading a byte beyond the last of
// `count` bits.
[[nodiscard]] inline bool has_word(std::size_t at, std::size_t count) {
  return count - at >= (at % 8 == 0 ? 64 : 72);
}

// Loads bits at … at + 63.
[[nodiscard]] inline std::uint64_t word_at(const std::uint8_t* bits, std::size_t at) {
  const std::uint8_t* const first = bits + at / 8;
  const unsigned shift = static_cast<unsigned>(at % 8);
  std::uint64_t word;
  std::memcpy(&word, first, sizeof word);
  if (shift == 0) return word;
  return word >> shift | std::uint64_t{first[8]} << (64 - shift);
}

// Writes a row of elements. Calls `Blocks::run<Word, streaming>` for the part of the row that
// consists of whole vectors (for streaming stores: whole cache lines too). The portable loop writes
// the ends.
template <class Blocks, class Word>
void write_ones_of(const std::uint8_t* bits, std::size_t count, Word one, Word* out,
                   Stores stores) {
  if (stores == Stores::cached) {
    portable::write_ones(bits, Blocks::template run<Word, false>(bits, 0, count, one, out), count,
                         one, out);
    return;
  }
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(out) % 64;
  const std::size_t head = std::min(count, past_line == 0 ? 0 : (64 - past_line) / sizeof(Word));
  portable::write_ones(bits, 0, head, one, out);
  portable::write_ones(bits, Blocks::template run<Word, true>(bits, head, count, one, out), count,
                       one, out);
}

template <class Blocks>
void write_ones(const std::uint8_t* bits, std::size_t count, ElementType type, std::byte* out,
                Stores stores) {
  const std::uint32_t one = one_pattern(type);
  if (type == ElementType::u8) {
    write_ones_of<Blocks>(bits, count, static_cast<std::uint8_t>(one),
                          reinterpret_cast<std::uint8_t*>(out), stores);
  } else if (type == ElementType::f32) {
    write_ones_of<Blocks>(bits, count, one, reinterpret_cast<std::uint32_t*>(out), stores);
  } else {
    write_ones_of<Blocks>(bits, count, static_cast<std::uint16_t>(one),
                          reinterpret_cast<std::uint16_t*>(out), stores);
  }
}

// Stores one cache line of converted ids, bypassing the cache. Uses only instructions that every
// x86-64 processor has.
template <class Id>
[[gnu::always_inline]] inline void convert_line(const std::uint8_t* ids, const IdRule& rule,
                                                std::byte* out) {
  alignas(kLineBytes) std::byte line[kLineBytes];
  portable::convert<Id, Id>(ids, kLineBytes / sizeof(Id), rule, line);
  for (std::size_t i = 0; i < kLineBytes; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(line + i)));
  }
}

// Converts whole cache lines; `out` is aligned to a cache line. Returns the number of bytes
// converted. Works on several pages at once, as stream_copy() does.
template <class Id>
[[gnu::always_inline]] inline std::size_t convert_lines(const std::uint8_t* ids, std::size_t bytes,
                                                        const IdRule& rule, std::byte* out) {
  constexpr std::size_t kPageBytes = 4096, kGroupBytes = 4 * kPageBytes;
  std::size_t done = 0;
  for (; bytes - done >= kGroupBytes; done += kGroupBytes) {
    for (std::size_t line = done; line < done + kPageBytes; line += kLineBytes) {
      for (std::size_t at = line; at < line + kGroupBytes; at += kPageBytes)
        convert_line<Id>(ids + at, rule, out + at);
    }
  }
  for (; bytes - done >= kLineBytes; done += kLineBytes)
    convert_line<Id>(ids + done, rule, out + done);
  return done;
}

// Converts ids to elements of the same size, in three parts: the part before the first whole cache
// line of the output, whole lines, and the rest.
template <class Id>
[[gnu::always_inline]] inline void convert_streaming(const std::uint8_t* ids, std::size_t count,
                                                     const IdRule& rule, std::byte* out) {
  const std::size_t bytes = count * sizeof(Id);
  std::size_t done = std::min(bytes, bytes_to_line(out));
  portable::convert<Id, Id>(ids, done / sizeof(Id), rule, out);
  done += convert_lines<Id>(ids + done, bytes - done, rule, out + done);
  portable::convert<Id, Id>(ids + done, (bytes - done) / sizeof(Id), rule, out + done);
}

template <class Id>
[[gnu::always_inline]] inline void convert_to(const std::uint8_t* ids, std::size_t count,
                                              const IdRule& rule, ElementType type, std::byte* out,
                                              Stores stores) {
  if (stores == Stores::streaming && element_bytes(type) == sizeof(Id))
    return convert_streaming<Id>(ids, count, rule, out);
  portable::convert_to<Id>(ids, count, rule, type, out);
}

}  // namespace x86

}  // namespace hotpack::expand

#endif
