#include "bench/fill.hpp"

#include <cstring>

#include "expand/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hotpack::bench {

namespace {

#if defined(__x86_64__)

constexpr std::size_t kLine = 64;

// Returns a word of four equal bytes.
int word_of(std::uint8_t value) { return static_cast<int>(value * 0x01010101U); }

__attribute__((target("avx512f"))) void fill_avx512(std::byte* out, std::size_t lines,
                                                    std::uint8_t value) {
  const __m512i filler = _mm512_set1_epi32(word_of(value));
  for (std::size_t line = 0; line < lines; ++line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(out + line * kLine), filler);
}

__attribute__((target("avx2"))) void fill_avx2(std::byte* out, std::size_t lines,
                                               std::uint8_t value) {
  const __m256i filler = _mm256_set1_epi32(word_of(value));
  for (std::size_t half = 0; half < 2 * lines; ++half)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(out + half * kLine / 2), filler);
}

void fill_sse2(std::byte* out, std::size_t lines, std::uint8_t value) {
  const __m128i filler = _mm_set1_epi32(word_of(value));
  for (std::size_t quarter = 0; quarter < 4 * lines; ++quarter)
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + quarter * kLine / 4), filler);
}

// Fills whole cache lines and returns how many bytes it wrote.
std::size_t fill_lines(std::byte* out, std::size_t bytes, std::uint8_t value) {
  const std::size_t lines = bytes / kLine;
  switch (expand::best_level()) {
    case expand::Level::avx512:
      fill_avx512(out, lines, value);
      break;
    case expand::Level::avx2:
      fill_avx2(out, lines, value);
      break;
    case expand::Level::portable:
      fill_sse2(out, lines, value);
      break;
  }
  _mm_sfence();
  return lines * kLine;
}

#else

std::size_t fill_lines(std::byte*, std::size_t, int) { return 0; }

#endif

}  // namespace

void stream_fill(std::byte* out, std::size_t bytes, std::uint8_t value) {
  const std::size_t written = fill_lines(out, bytes, value);
  std::memset(out + written, value, bytes - written);
}

}  // namespace hotpack::bench
