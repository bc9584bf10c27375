#include "expand/image_kernels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include "expand/image_kernels_x86.hpp"

#define HOTPACK_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))
#define HOTPACK_AVX512_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi"), always_inline)) inline

namespace hotpack::expand::kernels {
namespace {

constexpr std::size_t kWide = 64;

struct Triple {
  __m512i v[3];
};

HOTPACK_AVX512_INLINE __m512i load64(const void* at) { return _mm512_loadu_si512(at); }

// Bit j is set where j mod 3 = remainder.
constexpr __mmask64 every_third(unsigned remainder) {
  __mmask64 mask = 0;
  for (unsigned j = remainder; j < kWide; j += 3) mask |= __mmask64{1} << j;
  return mask;
}

// Blends three vectors (see Thirds). Where mask `one` is set, result k takes the bytes of in[k ±
// 1]; where `two` is set, those of in[k ∓ 1]; elsewhere those of in[k].
HOTPACK_AVX512_INLINE Triple exchange(const Triple& in, int turn, __mmask64 one, __mmask64 two) {
  Triple out;
  for (int k = 0; k < 3; ++k) {
    const __m512i first = _mm512_mask_blend_epi8(one, in.v[k], in.v[(k + 3 + turn) % 3]);
    out.v[k] = _mm512_mask_blend_epi8(two, first, in.v[(k + 3 - turn) % 3]);
  }
  return out;
}

// --- planes and interleaved pixels ---

HOTPACK_AVX512_INLINE void split_wide(const std::uint8_t* in, std::uint8_t* out,
                                      std::size_t plane) {
  const Triple packed{{load64(in), load64(in + kWide), load64(in + 2 * kWide)}};
  const Triple channels = exchange(packed, -1, every_third(1), every_third(2));
  for (std::size_t c = 0; c < 3; ++c) {
    _mm512_storeu_si512(
        out + c * plane,
        _mm512_permutexvar_epi8(load64(kThirds<kWide>.place[c].data()), channels.v[c]));
  }
}

HOTPACK_AVX512_INLINE void join_wide(const std::uint8_t* in, std::size_t plane, std::uint8_t* out) {
  Triple channels;
  for (std::size_t c = 0; c < 3; ++c) {
    channels.v[c] =
        _mm512_permutexvar_epi8(load64(kThirds<kWide>.pixel[c].data()), load64(in + c * plane));
  }
  const Triple packed = exchange(channels, 1, every_third(1), every_third(2));
  for (std::size_t v = 0; v < 3; ++v) _mm512_storeu_si512(out + v * kWide, packed.v[v]);
}

HOTPACK_AVX512 void split_avx512(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out,
                                 std::size_t plane) {
  std::size_t p = 0;
  for (; pixels - p >= kWide; p += kWide) split_wide(in + 3 * p, out + p, plane);
  if (p < pixels) kAvx2.split(in + 3 * p, pixels - p, out + p, plane);
}

HOTPACK_AVX512 void join_avx512(const std::uint8_t* in, std::size_t plane, std::size_t pixels,
                                std::uint8_t* out) {
  std::size_t p = 0;
  for (; pixels - p >= kWide; p += kWide) join_wide(in + p, plane, out + 3 * p);
  if (p < pixels) kAvx2.join(in + p, plane, pixels - p, out + 3 * p);
}

// --- conversion: looks every byte of an element up separately, which is exact by construction
// ---

// table[index] for 64 indices: two permutes of 128 entries each, selected by the highest bit.
HOTPACK_AVX512_INLINE __m512i look_up(const ValueMap::Bytes& table, __m512i index) {
  const std::uint8_t* const at = table.data();
  const __m512i low = _mm512_permutex2var_epi8(load64(at), index, load64(at + kWide));
  const __m512i high =
      _mm512_permutex2var_epi8(load64(at + 2 * kWide), index, load64(at + 3 * kWide));
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

// Unpacking works in lanes of 16 bytes, so element e of a vector of 64 does not end at place e.
// The bytes are therefore permuted first: groups of 16 / kBytes are transposed as a matrix of
// kBytes columns and four lanes. This is the source of place j.
template <std::size_t kBytes>
constexpr std::size_t source_of(std::size_t j) {
  constexpr std::size_t kGroup = 16 / kBytes;
  const std::size_t group = j / kGroup;
  return kGroup * (group % kBytes * 4 + group / kBytes) + j % kGroup;
}

template <std::size_t kBytes>
constexpr __mmask64 arranged_third(unsigned remainder) {
  __mmask64 mask = 0;
  for (unsigned j = 0; j < kWide; ++j)
    mask |= __mmask64{source_of<kBytes>(j) % 3 == remainder} << j;
  return mask;
}

template <std::size_t kBytes>
HOTPACK_AVX512_INLINE __m512i load_arranged(const std::uint8_t* in) {
  if constexpr (kBytes == 4) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, load64(in));
  } else {
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), load64(in));
  }
}

template <bool kStream>
HOTPACK_AVX512_INLINE void put(std::byte* out, __m512i value) {
  if constexpr (kStream) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(out), value);
  } else {
    _mm512_storeu_si512(out, value);
  }
}

// Stores the bytes of 64 elements, lowest bytes first, as elements in order.
template <std::size_t kBytes, bool kStream>
HOTPACK_AVX512_INLINE void put_elements(const __m512i (&bytes)[kBytes], std::byte* out) {
  const __m512i low = _mm512_unpacklo_epi8(bytes[0], bytes[1]),
                high = _mm512_unpackhi_epi8(bytes[0], bytes[1]);
  if constexpr (kBytes == 2) {
    put<kStream>(out, low);
    put<kStream>(out + kWide, high);
  } else {
    const __m512i upper_low = _mm512_unpacklo_epi8(bytes[2], bytes[3]),
                  upper_high = _mm512_unpackhi_epi8(bytes[2], bytes[3]);
    put<kStream>(out, _mm512_unpacklo_epi16(low, upper_low));
    put<kStream>(out + kWide, _mm512_unpackhi_epi16(low, upper_low));
    put<kStream>(out + 2 * kWide, _mm512_unpacklo_epi16(high, upper_high));
    put<kStream>(out + 3 * kWide, _mm512_unpackhi_epi16(high, upper_high));
  }
}

template <std::size_t kBytes, bool kStream>
HOTPACK_AVX512 void convert_plane(const ValueMap& map, const std::uint8_t* in, std::size_t blocks,
                                  std::byte* out, std::size_t /*phase*/) {
  for (; blocks > 0; --blocks, in += kWide, out += kBytes * kWide) {
    const __m512i index = load_arranged<kBytes>(in);
    __m512i bytes[kBytes];
    for (std::size_t b = 0; b < kBytes; ++b) bytes[b] = look_up(map.bytes[0][b], index);
    put_elements<kBytes, kStream>(bytes, out);
  }
}

// Three interleaved channels: blends collect their bytes, look them up, and blend them back.
template <std::size_t kBytes, bool kStream>
HOTPACK_AVX512 void convert_turns(const ValueMap& map, const std::uint8_t* in, std::size_t blocks,
                                  std::byte* out, std::size_t phase) {
  constexpr __mmask64 kOne = arranged_third<kBytes>(1), kTwo = arranged_third<kBytes>(2);
  const std::array<ValueMap::Bytes, 4>* const tables[3] = {
      &map.bytes[phase % 3], &map.bytes[(phase + 1) % 3], &map.bytes[(phase + 2) % 3]};
  for (; blocks > 0; --blocks, in += 3 * kWide, out += 3 * kBytes * kWide) {
    const Triple packed{{load_arranged<kBytes>(in), load_arranged<kBytes>(in + kWide),
                         load_arranged<kBytes>(in + 2 * kWide)}};
    const Triple channels = exchange(packed, -1, kOne, kTwo);
    __m512i bytes[3][kBytes];
    for (std::size_t b = 0; b < kBytes; ++b) {
      Triple found;
      for (std::size_t c = 0; c < 3; ++c) found.v[c] = look_up((*tables[c])[b], channels.v[c]);
      const Triple turned = exchange(found, 1, kOne, kTwo);
      for (std::size_t v = 0; v < 3; ++v) bytes[v][b] = turned.v[v];
    }
    for (std::size_t v = 0; v < 3; ++v)
      put_elements<kBytes, kStream>(bytes[v], out + v * kBytes * kWide);
  }
}

template <bool kStream>
constexpr BlockConverters kPlane{kWide, convert_plane<4, kStream>, convert_plane<2, kStream>,
                                 convert_plane<2, kStream>};
template <bool kStream>
constexpr BlockConverters kTurns{3 * kWide, convert_turns<4, kStream>, convert_turns<2, kStream>,
                                 convert_turns<2, kStream>};

void convert_avx512(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out,
                    Stores stores) {
  if (map.period == 1) return convert_run(kPlane<false>, kPlane<true>, map, in, count, out, stores);
  convert_run(kTurns<false>, kTurns<true>, map, in, count, out, stores);
}

// --- the opposite order ---

HOTPACK_AVX512 void mirror_bytes(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out) {
  alignas(64) static constexpr auto kOpposite = [] {
    std::array<std::uint8_t, kWide> order{};
    for (std::size_t j = 0; j < kWide; ++j) order[j] = static_cast<std::uint8_t>(kWide - 1 - j);
    return order;
  }();
  const __m512i order = load64(kOpposite.data());
  std::size_t p = 0;
  for (; pixels - p >= kWide; p += kWide)
    _mm512_storeu_si512(out + pixels - p - kWide, _mm512_permutexvar_epi8(order, load64(in + p)));
  if (p < pixels) kAvx2.mirror(in + p, pixels - p, 1, out);
}

// Reverses 21 pixels at once, which are loaded as 64 bytes. This also writes the byte before them,
// which the next pixels overwrite.
HOTPACK_AVX512 void mirror_triples(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out) {
  constexpr std::size_t kPixels = 21;
  alignas(64) static constexpr auto kOpposite = [] {
    std::array<std::uint8_t, kWide> order{};
    for (std::size_t j = 0; j < 3 * kPixels; ++j)
      order[j + 1] = static_cast<std::uint8_t>(3 * (kPixels - 1 - j / 3) + j % 3);
    return order;
  }();
  const __m512i order = load64(kOpposite.data());
  std::size_t p = 0;
  for (; pixels - p > kPixels; p += kPixels) {
    _mm512_storeu_si512(out + 3 * (pixels - p - kPixels) - 1,
                        _mm512_permutexvar_epi8(order, load64(in + 3 * p)));
  }
  if (p < pixels) kAvx2.mirror(in + 3 * p, pixels - p, 3, out);
}

void mirror_avx512(const std::uint8_t* in, std::size_t pixels, std::size_t channels,
                   std::uint8_t* out) {
  return channels == 1 ? mirror_bytes(in, pixels, out) : mirror_triples(in, pixels, out);
}

// --- resampling, with vectors as wide as is useful ---

void across_as_avx2(const std::uint8_t* in, std::size_t width, std::size_t channels,
                    const ColumnTap* taps, std::size_t columns, std::int16_t* out) {
  kAvx2.across(in, width, channels, taps, columns, out);
}

void between_as_avx2(const std::int16_t* upper, int upper_weight, const std::int16_t* lower,
                     int lower_weight, std::size_t count, std::uint8_t* out) {
  kAvx2.between(upper, upper_weight, lower, lower_weight, count, out);
}

}  // namespace

const ImageKernels kAvx512{split_avx512,   join_avx512,    mirror_avx512,
                           convert_avx512, across_as_avx2, between_as_avx2};

}  // namespace hotpack::expand::kernels

#endif
