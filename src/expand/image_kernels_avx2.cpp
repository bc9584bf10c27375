#include "expand/image_kernels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "expand/image_kernels_x86.hpp"

#define HOTPACK_AVX2 __attribute__((target("avx2,fma,f16c")))
#define HOTPACK_AVX2_INLINE __attribute__((target("avx2,fma,f16c"), always_inline)) inline

namespace hotpack::expand::kernels {
namespace {

// --- planes and interleaved pixels: three vectors of 16 bytes hold 16 pixels of three channels;
// two such groups lie side by side ---

constexpr std::size_t kGroup = 16;  // pixels in a lane
constexpr std::size_t kGroups = 2 * kGroup;

struct Triple {
  __m256i v[3];
};

HOTPACK_AVX2_INLINE __m256i load32(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}
HOTPACK_AVX2_INLINE void store32(void* at, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(at), value);
}
HOTPACK_AVX2_INLINE __m256i both_lanes(const void* at) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(static_cast<const __m128i*>(at)));
}
HOTPACK_AVX2_INLINE __m256i load_lanes(const std::uint8_t* low, const std::uint8_t* high) {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

// Byte j of vector v holds channel (v + j) mod 3, because 16 mod 3 is 1. At each byte position the
// three vectors hold three different channels, so blends alone gather a channel into one vector
// (turn −1) or spread it again (turn 1): where j mod 3 = r, result k takes in[(k − r) mod 3] or
// in[(k + r) mod 3].
HOTPACK_AVX2_INLINE Triple exchange(const Triple& in, int turn) {
  const __m256i one = both_lanes(kThirds<kGroup>.remainder[1].data()),
                two = both_lanes(kThirds<kGroup>.remainder[2].data());
  Triple out;
  for (int k = 0; k < 3; ++k) {
    const __m256i from_one = in.v[(k + 3 + turn) % 3], from_two = in.v[(k + 3 - turn) % 3];
    out.v[k] = _mm256_blendv_epi8(_mm256_blendv_epi8(in.v[k], from_one, one), from_two, two);
  }
  return out;
}

HOTPACK_AVX2_INLINE void split_groups(const std::uint8_t* in, std::uint8_t* out,
                                      std::size_t plane) {
  Triple packed;
  for (std::size_t v = 0; v < 3; ++v)
    packed.v[v] = load_lanes(in + kGroup * v, in + kGroup * (v + 3));
  const Triple channels = exchange(packed, -1);
  for (std::size_t c = 0; c < 3; ++c) {
    store32(out + c * plane,
            _mm256_shuffle_epi8(channels.v[c], both_lanes(kThirds<kGroup>.place[c].data())));
  }
}

HOTPACK_AVX2_INLINE void join_groups(const std::uint8_t* in, std::size_t plane, std::uint8_t* out) {
  Triple channels;
  for (std::size_t c = 0; c < 3; ++c) {
    channels.v[c] =
        _mm256_shuffle_epi8(load32(in + c * plane), both_lanes(kThirds<kGroup>.pixel[c].data()));
  }
  const Triple packed = exchange(channels, 1);
  for (std::size_t v = 0; v < 3; ++v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + kGroup * v),
                     _mm256_castsi256_si128(packed.v[v]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + kGroup * (v + 3)),
                     _mm256_extracti128_si256(packed.v[v], 1));
  }
}

HOTPACK_AVX2 void split_avx2(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out,
                             std::size_t plane) {
  std::size_t p = 0;
  for (; pixels - p >= kGroups; p += kGroups) split_groups(in + 3 * p, out + p, plane);
  if (p < pixels) kPortable.split(in + 3 * p, pixels - p, out + p, plane);
}

HOTPACK_AVX2 void join_avx2(const std::uint8_t* in, std::size_t plane, std::size_t pixels,
                            std::uint8_t* out) {
  std::size_t p = 0;
  for (; pixels - p >= kGroups; p += kGroups) join_groups(in + p, plane, out + 3 * p);
  if (p < pixels) kPortable.join(in + p, plane, pixels - p, out + 3 * p);
}

// --- mirror ---

HOTPACK_AVX2 void mirror_bytes(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out) {
  const __m256i order = _mm256_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,  //
                                         15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  std::size_t p = 0;
  for (; pixels - p >= 32; p += 32) {
    const __m256i lanes = _mm256_shuffle_epi8(load32(in + p), order);
    store32(out + pixels - p - 32, _mm256_permute4x64_epi64(lanes, 0x4E));
  }
  mirror_portable(in + p, pixels - p, 1, out);
}

// Reverses five pixels at once, which are loaded as 16 bytes. This also writes the byte before
// them, which the next pixels overwrite.
HOTPACK_AVX2 void mirror_triples(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out) {
  const __m128i order = _mm_setr_epi8(15, 12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2);
  std::size_t p = 0;
  for (; pixels - p >= 6; p += 5) {
    const __m128i five = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 3 * p));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 3 * (pixels - p - 5) - 1),
                     _mm_shuffle_epi8(five, order));
  }
  mirror_portable(in + 3 * p, pixels - p, 3, out);
}

void mirror_avx2(const std::uint8_t* in, std::size_t pixels, std::size_t channels,
                 std::uint8_t* out) {
  return channels == 1 ? mirror_bytes(in, pixels, out) : mirror_triples(in, pixels, out);
}

// --- conversion, with arithmetic that make_value_map found exact ---

constexpr std::size_t kLanes = 8;
// bytes: whole periods and whole cache lines of output for every type
constexpr std::size_t kBlock = 96;

HOTPACK_AVX2_INLINE __m256 corrected_quotient(__m256 a, __m256 b, __m256 reciprocal) {
  const __m256 quotient = _mm256_mul_ps(a, reciprocal);
  const __m256 rest = _mm256_fnmadd_ps(quotient, b, a);
  return _mm256_fmadd_ps(rest, reciprocal, quotient);
}

// Loads eight bytes from `in`; the first belongs to the channel of `lane`.
HOTPACK_AVX2_INLINE __m256 convert_eight(const std::uint8_t* in, const ValueMap::Arithmetic& with,
                                         std::size_t lane) {
  const __m256i values =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(in)));
  const __m256 scaled = corrected_quotient(_mm256_cvtepi32_ps(values), _mm256_set1_ps(255.0f),
                                           _mm256_set1_ps(kReciprocal255));
  const __m256 centered = _mm256_sub_ps(scaled, _mm256_loadu_ps(with.mean.data() + lane));
  return corrected_quotient(centered, _mm256_loadu_ps(with.std.data() + lane),
                            _mm256_loadu_ps(with.reciprocal.data() + lane));
}

HOTPACK_AVX2_INLINE __m256i upper_half(__m256 values) {
  const __m256i bits = _mm256_castps_si256(values);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  return _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF))),
                           16);
}

// Converts sixteen singles to sixteen elements of two bytes.
template <ElementType kType>
HOTPACK_AVX2_INLINE __m256i narrowed(__m256 low, __m256 high) {
  if constexpr (kType == ElementType::f16) {
    constexpr int kToEven = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    return _mm256_set_m128i(_mm256_cvtps_ph(high, kToEven), _mm256_cvtps_ph(low, kToEven));
  } else {
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(upper_half(low), upper_half(high)), 0xD8);
  }
}

template <bool kStream>
HOTPACK_AVX2_INLINE void put(std::byte* out, __m256i value) {
  if constexpr (kStream) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(out), value);
  } else {
    store32(out, value);
  }
}

template <ElementType kType, bool kStream>
HOTPACK_AVX2_INLINE void convert_block(const ValueMap::Arithmetic& with, const std::uint8_t* in,
                                       std::byte* out, std::size_t phase) {
  for (std::size_t i = 0; i < kBlock; i += 2 * kLanes) {
    const __m256 low = convert_eight(in + i, with, phase + i % 24);
    const __m256 high = convert_eight(in + i + kLanes, with, phase + (i + kLanes) % 24);
    if constexpr (kType == ElementType::f32) {
      put<kStream>(out + 4 * i, _mm256_castps_si256(low));
      put<kStream>(out + 4 * (i + kLanes), _mm256_castps_si256(high));
    } else {
      put<kStream>(out + 2 * i, narrowed<kType>(low, high));
    }
  }
}

template <ElementType kType, bool kStream>
HOTPACK_AVX2 void convert_blocks(const ValueMap& map, const std::uint8_t* in, std::size_t blocks,
                                 std::byte* out, std::size_t phase) {
  constexpr std::size_t kOutBytes = kBlock * (kType == ElementType::f32 ? 4 : 2);
  for (std::size_t b = 0; b < blocks; ++b)
    convert_block<kType, kStream>(map.arithmetic, in + b * kBlock, out + b * kOutBytes, phase);
}

template <bool kStream>
constexpr BlockConverters kConverters{kBlock, convert_blocks<ElementType::f32, kStream>,
                                      convert_blocks<ElementType::f16, kStream>,
                                      convert_blocks<ElementType::bf16, kStream>};

void convert_avx2(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out,
                  Stores stores) {
  if (!map.arithmetic.exact) return convert_portable(map, in, count, out, stores);
  convert_run(kConverters<false>, kConverters<true>, map, in, count, out, stores);
}

// --- resampling ---

// Eight bytes hold both pixels: multiplies their channels, as pairs of 16 bits, with the two
// weights.
HOTPACK_AVX2 void across_triples(const std::uint8_t* in, std::size_t width, const ColumnTap* taps,
                                 std::size_t columns, std::int16_t* out) {
  constexpr char kNone = -1;
  const __m128i pairs = _mm_setr_epi8(0, kNone, 3, kNone, 1, kNone, 4, kNone, 2, kNone, 5, kNone,
                                      kNone, kNone, kNone, kNone);
  std::size_t x = 0;
  for (; x < columns && 3 * static_cast<std::size_t>(taps[x].first) + 8 <= 3 * width;
       ++x, out += 3) {
    const __m128i both = _mm_loadl_epi64(
        reinterpret_cast<const __m128i*>(in + 3 * static_cast<std::size_t>(taps[x].first)));
    std::int32_t weights;
    std::memcpy(&weights, &taps[x].first_weight, sizeof weights);
    const __m128i sums =
        _mm_srli_epi32(_mm_madd_epi16(_mm_shuffle_epi8(both, pairs), _mm_set1_epi32(weights)), 4);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_packs_epi32(sums, sums));
  }
  across_portable(in, 3, taps + x, columns - x, out);
}

void across_avx2(const std::uint8_t* in, std::size_t width, std::size_t channels,
                 const ColumnTap* taps, std::size_t columns, std::int16_t* out) {
  return channels == 3 ? across_triples(in, width, taps, columns, out)
                       : across_portable(in, channels, taps, columns, out);
}

// The upper halves of the products of sixteen sums.
HOTPACK_AVX2_INLINE __m256i weighted(const std::int16_t* row, __m256i weight) {
  return _mm256_mulhi_epi16(load32(row), weight);
}

HOTPACK_AVX2_INLINE __m256i rounded(__m256i upper, __m256i lower) {
  return _mm256_srai_epi16(_mm256_add_epi16(_mm256_add_epi16(upper, lower), _mm256_set1_epi16(2)),
                           2);
}

HOTPACK_AVX2 void between_avx2(const std::int16_t* upper, int upper_weight,
                               const std::int16_t* lower, int lower_weight, std::size_t count,
                               std::uint8_t* out) {
  const __m256i first = _mm256_set1_epi16(static_cast<std::int16_t>(upper_weight));
  const __m256i second = _mm256_set1_epi16(static_cast<std::int16_t>(lower_weight));
  std::size_t i = 0;
  for (; count - i >= 32; i += 32) {
    const __m256i low = rounded(weighted(upper + i, first), weighted(lower + i, second));
    const __m256i high = rounded(weighted(upper + i + 16, first), weighted(lower + i + 16, second));
    store32(out + i, _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xD8));
  }
  between_portable(upper + i, upper_weight, lower + i, lower_weight, count - i, out + i);
}

}  // namespace

const ImageKernels kAvx2{split_avx2,   join_avx2,   mirror_avx2,
                         convert_avx2, across_avx2, between_avx2};

}  // namespace hotpack::expand::kernels

#endif
