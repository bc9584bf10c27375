#include "codecs/png_filters.hpp"

#include <cstdlib>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hotpack::codecs {

namespace {

std::uint8_t sum(unsigned a, unsigned b) { return static_cast<std::uint8_t>(a + b); }

std::uint8_t paeth(int left, int above, int corner) {
  const int from_left = std::abs(above - corner), from_above = std::abs(left - corner),
            from_corner = std::abs(left + above - 2 * corner);
  if (from_left <= from_above && from_left <= from_corner) return static_cast<std::uint8_t>(left);
  return static_cast<std::uint8_t>(from_above <= from_corner ? above : corner);
}

void undo_up(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
             std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] = sum(in[i], above[i]);
}

void undo_sub(const std::uint8_t* in, std::uint8_t* out, std::size_t size, std::size_t step) {
  std::memcpy(out, in, step);
  for (std::size_t i = step; i < size; ++i) out[i] = sum(in[i], out[i - step]);
}

void undo_average(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                  std::size_t size, std::size_t step) {
  for (std::size_t i = 0; i < step; ++i) out[i] = sum(in[i], above[i] / 2u);
  for (std::size_t i = step; i < size; ++i)
    out[i] = sum(in[i], (above[i] + unsigned{out[i - step]}) / 2u);
}

void undo_paeth(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                std::size_t size, std::size_t step) {
  for (std::size_t i = 0; i < step; ++i) out[i] = sum(in[i], above[i]);
  for (std::size_t i = step; i < size; ++i)
    out[i] = sum(in[i], paeth(out[i - step], above[i], above[i - step]));
}

#if defined(__SSE2__)

// Loads a pixel of three bytes into the low lanes of a register. The fourth byte belongs to a
// neighbor and is never stored.
__m128i load_pixel(const std::uint8_t* at) {
  int value;
  std::memcpy(&value, at, sizeof value);
  return _mm_cvtsi32_si128(value);
}

void store_pixel(std::uint8_t* at, __m128i pixel) {
  const int value = _mm_cvtsi128_si32(pixel);
  std::memcpy(at, &value, 3);
}

__m128i absolute(__m128i x) { return _mm_max_epi16(x, _mm_sub_epi16(_mm_setzero_si128(), x)); }
__m128i choose(__m128i mask, __m128i yes, __m128i no) {
  return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

void undo_sub_3(const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  __m128i left = _mm_setzero_si128();
  for (std::size_t i = 0; i < size; i += 3) {
    left = _mm_add_epi8(left, load_pixel(in + i));
    store_pixel(out + i, left);
  }
}

void undo_average_3(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                    std::size_t size) {
  const __m128i one = _mm_set1_epi8(1);
  __m128i left = _mm_setzero_si128();
  for (std::size_t i = 0; i < size; i += 3) {
    const __m128i up = load_pixel(above + i);
    // The instruction rounds averages up; PNG rounds them down.
    const __m128i average =
        _mm_sub_epi8(_mm_avg_epu8(left, up), _mm_and_si128(_mm_xor_si128(left, up), one));
    left = _mm_add_epi8(average, load_pixel(in + i));
    store_pixel(out + i, left);
  }
}

void undo_paeth_3(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                  std::size_t size) {
  const __m128i zero = _mm_setzero_si128();
  __m128i left = zero, corner = zero;  // 16-bit lanes
  for (std::size_t i = 0; i < size; i += 3) {
    const __m128i up = _mm_unpacklo_epi8(load_pixel(above + i), zero);
    const __m128i towards_left = _mm_sub_epi16(up, corner),
                  towards_up = _mm_sub_epi16(left, corner);
    const __m128i from_left = absolute(towards_left), from_up = absolute(towards_up);
    const __m128i from_corner = absolute(_mm_add_epi16(towards_left, towards_up));
    const __m128i least = _mm_min_epi16(from_corner, _mm_min_epi16(from_left, from_up));
    const __m128i nearest = choose(_mm_cmpeq_epi16(least, from_left), left,
                                   choose(_mm_cmpeq_epi16(least, from_up), up, corner));
    const __m128i coded = _mm_unpacklo_epi8(load_pixel(in + i), zero);
    corner = up;
    left = _mm_and_si128(_mm_add_epi16(nearest, coded), _mm_set1_epi16(255));
    store_pixel(out + i, _mm_packus_epi16(left, left));
  }
}

#endif

}  // namespace

void undo_filter_portable(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above,
                          std::uint8_t* out, std::size_t size, std::size_t pixel_bytes) {
  if (filter == 0) std::memcpy(out, in, size);
  if (filter == 1) undo_sub(in, out, size, pixel_bytes);
  if (filter == 2) undo_up(in, above, out, size);
  if (filter == 3) undo_average(in, above, out, size, pixel_bytes);
  if (filter == 4) undo_paeth(in, above, out, size, pixel_bytes);
}

void undo_filter(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above,
                 std::uint8_t* out, std::size_t size, std::size_t pixel_bytes) {
#if defined(__SSE2__)
  if (pixel_bytes == 3 && filter == 1) return undo_sub_3(in, out, size);
  if (pixel_bytes == 3 && filter == 3) return undo_average_3(in, above, out, size);
  if (pixel_bytes == 3 && filter == 4) return undo_paeth_3(in, above, out, size);
#endif
  undo_filter_portable(filter, in, above, out, size, pixel_bytes);
}

}  // namespace hotpack::codecs
