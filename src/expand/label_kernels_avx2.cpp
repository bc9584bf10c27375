#include "expand/label_kernels_x86.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

namespace hotpack::expand {

namespace {

#define HOTPACK_AVX2 __attribute__((target("avx2")))

HOTPACK_AVX2 inline __m256i load(const std::uint8_t* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

HOTPACK_AVX2 inline std::uint32_t top_bits(__m256i bytes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

inline void store_half(std::uint8_t* bits, std::uint32_t half) {
  std::memcpy(bits, &half, sizeof half);
}

HOTPACK_AVX2 void ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                            std::uint8_t* bits) {
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(id));
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32)
    store_half(bits + i / 8, top_bits(_mm256_cmpeq_epi8(load(ids + i), wanted)));
  portable::ids_equal(ids, i, count, id, bits);
}

HOTPACK_AVX2 void wide_ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                                 std::uint8_t* bits) {
  const __m256i wanted = _mm256_set1_epi16(static_cast<short>(id));
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i low = _mm256_cmpeq_epi16(load(ids + 2 * i), wanted);
    const __m256i high = _mm256_cmpeq_epi16(load(ids + 2 * i + 32), wanted);
    store_half(bits + i / 8,
               top_bits(_mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0b11'01'10'00)));
  }
  portable::wide_ids_equal(ids, i, count, id, bits);
}

HOTPACK_AVX2 void bytes_have(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask,
                             std::uint8_t* bits) {
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(mask));
  const __m256i zero = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    store_half(bits + i / 8,
               ~top_bits(_mm256_cmpeq_epi8(_mm256_and_si256(load(bytes + i), wanted), zero)));
  }
  portable::bytes_have(bytes, i, count, mask, bits);
}

HOTPACK_AVX2 void byte_plane(const std::uint8_t* vectors, std::size_t vector_bytes,
                             std::size_t byte, std::size_t count, std::uint8_t* plane) {
  std::size_t i = 0;
  if (vector_bytes == 2) {
    const __m256i low = _mm256_set1_epi16(255);
    const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(8 * byte));
    for (; i + 32 <= count; i += 32) {
      const __m256i first = _mm256_and_si256(_mm256_srl_epi16(load(vectors + 2 * i), shift), low);
      const __m256i second =
          _mm256_and_si256(_mm256_srl_epi16(load(vectors + 2 * i + 32), shift), low);
      const __m256i bytes =
          _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0b11'01'10'00);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(plane + i), bytes);
    }
  }
  portable::byte_plane(vectors, vector_bytes, byte, i, count, plane);
}

// The windows of two lanes, with each byte at the place that the shuffle needs.
HOTPACK_AVX2 inline __m256i picked(const std::uint8_t* block, const ChannelShuffle& shuffle,
                                   std::size_t pair) {
  const auto* const low = reinterpret_cast<const __m128i*>(block + shuffle.starts[2 * pair]);
  const auto* const high = reinterpret_cast<const __m128i*>(block + shuffle.starts[2 * pair + 1]);
  return _mm256_shuffle_epi8(_mm256_loadu2_m128i(high, low),
                             load(shuffle.places.data() + 32 * pair));
}

HOTPACK_AVX2 void shuffle_ids(const std::uint8_t* ids, std::size_t blocks,
                              const ChannelShuffle& shuffle, std::uint8_t* bits) {
  const __m256i largest = _mm256_set1_epi8(static_cast<char>(shuffle.largest_id));
  for (std::size_t b = 0; b < blocks; ++b, bits += 8 * shuffle.channels) {
    for (std::size_t pair = 0; pair < 2 * shuffle.channels; ++pair) {
      const __m256i found = _mm256_min_epu8(picked(ids + 64 * b, shuffle, pair), largest);
      store_half(bits + 4 * pair,
                 top_bits(_mm256_cmpeq_epi8(found, load(shuffle.probes.data() + 32 * pair))));
    }
  }
}

HOTPACK_AVX2 void shuffle_bits(const std::uint8_t* vectors, std::size_t blocks,
                               const ChannelShuffle& shuffle, std::uint8_t* bits) {
  for (std::size_t b = 0; b < blocks; ++b, bits += 8 * shuffle.channels) {
    const std::uint8_t* const block = vectors + 64 * b * shuffle.vector_bytes;
    for (std::size_t pair = 0; pair < 2 * shuffle.channels; ++pair) {
      const __m256i probe = load(shuffle.probes.data() + 32 * pair);
      store_half(bits + 4 * pair,
                 top_bits(_mm256_cmpeq_epi8(_mm256_and_si256(picked(block, shuffle, pair), probe),
                                            probe)));
    }
  }
}

void shuffle(const std::uint8_t* vectors, std::size_t blocks, const ChannelShuffle& shuffle,
             std::uint8_t* bits) {
  shuffle.ids ? shuffle_ids(vectors, blocks, shuffle, bits)
              : shuffle_bits(vectors, blocks, shuffle, bits);
}

// The lowest set bit of each nibble; 255 if there is none.
HOTPACK_AVX2 inline __m256i nibble_table(int first) {
  const char a = static_cast<char>(first), b = static_cast<char>(first + 1),
             c = static_cast<char>(first + 2), d = static_cast<char>(first + 3);
  return _mm256_broadcastsi128_si256(
      _mm_setr_epi8(-1, a, b, a, c, a, b, a, d, a, b, a, c, a, b, a));
}

HOTPACK_AVX2 void lowest_bit(const std::uint8_t* plane, std::size_t count, std::uint8_t mask,
                             std::uint8_t base, std::uint8_t* ids) {
  const __m256i low_table = nibble_table(0), high_table = nibble_table(4);
  const __m256i kept = _mm256_set1_epi8(static_cast<char>(mask)), nibble = _mm256_set1_epi8(15);
  const __m256i first = _mm256_set1_epi8(static_cast<char>(base));
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i bytes = _mm256_and_si256(load(plane + i), kept);
    const __m256i low = _mm256_shuffle_epi8(low_table, _mm256_and_si256(bytes, nibble));
    const __m256i high =
        _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
    const __m256i found = _mm256_adds_epu8(_mm256_min_epu8(low, high), first);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(ids + i), _mm256_min_epu8(load(ids + i), found));
  }
  portable::lowest_bit(plane, i, count, mask, base, ids);
}

template <bool kStream>
HOTPACK_AVX2 inline void store(void* at, __m256i value) {
  if constexpr (kStream) {
    _mm256_stream_si256(static_cast<__m256i*>(at), value);
  } else {
    _mm256_storeu_si256(static_cast<__m256i*>(at), value);
  }
}

// Writes 32 elements of 1, 2 or 4 bytes: element i is `one` if bit i of `half` is set, else 0. Each
// lane of a vector gets a copy of the byte (or word) of `half` that contains its bit, and masks
// this bit with `own`.
template <bool kStream>
HOTPACK_AVX2 inline void store_ones(std::uint32_t half, std::uint8_t one, std::uint8_t* out) {
  const __m256i spread =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i own = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(half)), spread);
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, own), own);
  store<kStream>(out, _mm256_and_si256(set, _mm256_set1_epi8(static_cast<char>(one))));
}

template <bool kStream>
HOTPACK_AVX2 inline void store_ones(std::uint32_t half, std::uint16_t one, std::uint16_t* out) {
  const __m256i own = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                        8192, 16384, -32768);
  const __m256i ones = _mm256_set1_epi16(static_cast<short>(one));
  for (std::size_t part = 0; part < 2; ++part) {
    const __m256i bits = _mm256_set1_epi16(static_cast<short>(half >> (16 * part)));
    store<kStream>(out + 16 * part,
                   _mm256_and_si256(_mm256_cmpeq_epi16(_mm256_and_si256(bits, own), own), ones));
  }
}

template <bool kStream>
HOTPACK_AVX2 inline void store_ones(std::uint32_t half, std::uint32_t one, std::uint32_t* out) {
  const __m256i bits = _mm256_set1_epi32(static_cast<int>(half));
  const __m256i ones = _mm256_set1_epi32(static_cast<int>(one));
  const __m256i first = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (std::size_t part = 0; part < 4; ++part) {
    const __m256i own = _mm256_slli_epi32(first, static_cast<int>(8 * part));
    store<kStream>(out + 8 * part,
                   _mm256_and_si256(_mm256_cmpeq_epi32(_mm256_and_si256(bits, own), own), ones));
  }
}

struct OneBlocks {
  // Writes elements from index `at` on; returns the index of the first element that is not written.
  template <class Word, bool kStream>
  HOTPACK_AVX2 static std::size_t run(const std::uint8_t* bits, std::size_t at, std::size_t count,
                                      Word one, Word* out) {
    for (; x86::has_word(at, count); at += 64) {
      const std::uint64_t word = x86::word_at(bits, at);
      store_ones<kStream>(static_cast<std::uint32_t>(word), one, out + at);
      store_ones<kStream>(static_cast<std::uint32_t>(word >> 32), one, out + at + 32);
    }
    return at;
  }
};

HOTPACK_AVX2 void convert_ids(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                              ElementType type, std::byte* out, Stores stores) {
  x86::convert_to<std::uint8_t>(ids, count, rule, type, out, stores);
}

HOTPACK_AVX2 void convert_wide_ids(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                                   ElementType type, std::byte* out, Stores stores) {
  x86::convert_to<std::uint16_t>(ids, count, rule, type, out, stores);
}

constexpr LabelKernels kAvx2{ids_equal,
                             wide_ids_equal,
                             bytes_have,
                             byte_plane,
                             shuffle,
                             lowest_bit,
                             x86::write_ones<OneBlocks>,
                             convert_ids,
                             convert_wide_ids};

}  // namespace

const LabelKernels& avx2_label_kernels() { return kAvx2; }

}  // namespace hotpack::expand

#endif
