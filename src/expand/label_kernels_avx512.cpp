#include "expand/label_kernels_x86.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>

namespace hotpack::expand {

namespace {

#define HOTPACK_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))

HOTPACK_AVX512 inline __m512i load(const std::uint8_t* at) { return _mm512_loadu_si512(at); }

inline void store_word(std::uint8_t* bits, std::uint64_t word) {
  std::memcpy(bits, &word, sizeof word);
}

HOTPACK_AVX512 void ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                              std::uint8_t* bits) {
  const __m512i wanted = _mm512_set1_epi8(static_cast<char>(id));
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64)
    store_word(bits + i / 8, _mm512_cmpeq_epi8_mask(load(ids + i), wanted));
  portable::ids_equal(ids, i, count, id, bits);
}

HOTPACK_AVX512 void wide_ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                                   std::uint8_t* bits) {
  const __m512i wanted = _mm512_set1_epi16(static_cast<short>(id));
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const __mmask32 low = _mm512_cmpeq_epi16_mask(load(ids + 2 * i), wanted);
    const __mmask32 high = _mm512_cmpeq_epi16_mask(load(ids + 2 * i + 64), wanted);
    // Not `low | high << 32`: if a call lies between them, GCC 12 spills 32 bits of `low` and
    // reloads 64.
    store_word(bits + i / 8, _mm512_kunpackd(high, low));
  }
  portable::wide_ids_equal(ids, i, count, id, bits);
}

HOTPACK_AVX512 void bytes_have(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask,
                               std::uint8_t* bits) {
  const __m512i wanted = _mm512_set1_epi8(static_cast<char>(mask));
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64)
    store_word(bits + i / 8, _mm512_test_epi8_mask(load(bytes + i), wanted));
  portable::bytes_have(bytes, i, count, mask, bits);
}

// The position of byte `byte` of 64 vectors in `vector_bytes` registers: place modulo 64, and
// register.
struct PlanePicks {
  alignas(64) std::array<std::uint8_t, 64> places;
  std::array<std::uint64_t, 64> masks;
};

PlanePicks plane_picks(std::size_t vector_bytes, std::size_t byte) {
  PlanePicks picks{};
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t at = i * vector_bytes + byte;
    picks.places[i] = static_cast<std::uint8_t>(at % 64);
    picks.masks[at / 64] |= std::uint64_t{1} << i;
  }
  return picks;
}

// Up to this vector size a shuffle of all registers is faster than 64 single bytes.
constexpr std::size_t kMostPlanes = 32;

HOTPACK_AVX512 void byte_plane(const std::uint8_t* vectors, std::size_t vector_bytes,
                               std::size_t byte, std::size_t count, std::uint8_t* plane) {
  std::size_t i = 0;
  if (vector_bytes <= kMostPlanes && count >= 64) {
    const PlanePicks picks = plane_picks(vector_bytes, byte);
    const __m512i places = _mm512_load_si512(picks.places.data());
    for (; i + 64 <= count; i += 64) {
      __m512i gathered = _mm512_setzero_si512();
      for (std::size_t r = 0; r < vector_bytes; ++r) {
        gathered = _mm512_mask_permutexvar_epi8(gathered, picks.masks[r], places,
                                                load(vectors + i * vector_bytes + 64 * r));
      }
      _mm512_storeu_si512(plane + i, gathered);
    }
  }
  portable::byte_plane(vectors, vector_bytes, byte, i, count, plane);
}

HOTPACK_AVX512 void shuffle_ids(const std::uint8_t* ids, std::size_t blocks,
                                const ChannelShuffle& shuffle, std::uint8_t* bits) {
  const __m512i largest = _mm512_set1_epi8(static_cast<char>(shuffle.largest_id));
  const std::uint8_t* const places = shuffle.places.data();
  const std::uint8_t* const probes = shuffle.probes.data();
  for (std::size_t b = 0; b < blocks; ++b, bits += 8 * shuffle.channels) {
    const __m512i block = _mm512_min_epu8(load(ids + 64 * b), largest);
    for (std::size_t k = 0; k < shuffle.channels; ++k) {
      const __m512i picked = _mm512_permutexvar_epi8(load(places + 64 * k), block);
      store_word(bits + 8 * k, _mm512_cmpeq_epi8_mask(picked, load(probes + 64 * k)));
    }
  }
}

HOTPACK_AVX512 void shuffle_bits(const std::uint8_t* vectors, std::size_t blocks,
                                 const ChannelShuffle& shuffle, std::uint8_t* bits) {
  const std::uint8_t* const places = shuffle.places.data();
  const std::uint8_t* const probes = shuffle.probes.data();
  for (std::size_t b = 0; b < blocks; ++b, bits += 8 * shuffle.channels) {
    const std::uint8_t* const block = vectors + 64 * b * shuffle.vector_bytes;
    for (std::size_t k = 0; k < shuffle.channels; ++k) {
      const __m512i picked =
          _mm512_permutexvar_epi8(load(places + 64 * k), load(block + shuffle.starts[k]));
      store_word(bits + 8 * k, _mm512_test_epi8_mask(picked, load(probes + 64 * k)));
    }
  }
}

void shuffle(const std::uint8_t* vectors, std::size_t blocks, const ChannelShuffle& shuffle,
             std::uint8_t* bits) {
  shuffle.ids ? shuffle_ids(vectors, blocks, shuffle, bits)
              : shuffle_bits(vectors, blocks, shuffle, bits);
}

// The lowest set bit of each nibble; 255 if there is none.
HOTPACK_AVX512 inline __m512i nibble_table(int first) {
  const char a = static_cast<char>(first), b = static_cast<char>(first + 1),
             c = static_cast<char>(first + 2), d = static_cast<char>(first + 3);
  return _mm512_maskz_broadcast_i32x4(
      0xFFFF, _mm_setr_epi8(-1, a, b, a, c, a, b, a, d, a, b, a, c, a, b, a));
}

HOTPACK_AVX512 void lowest_bit(const std::uint8_t* plane, std::size_t count, std::uint8_t mask,
                               std::uint8_t base, std::uint8_t* ids) {
  const __m512i low_table = nibble_table(0), high_table = nibble_table(4);
  const __m512i kept = _mm512_set1_epi8(static_cast<char>(mask)), nibble = _mm512_set1_epi8(15);
  const __m512i first = _mm512_set1_epi8(static_cast<char>(base));
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const __m512i bytes = _mm512_and_si512(load(plane + i), kept);
    const __m512i low = _mm512_shuffle_epi8(low_table, _mm512_and_si512(bytes, nibble));
    const __m512i high =
        _mm512_shuffle_epi8(high_table, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble));
    const __m512i found = _mm512_adds_epu8(_mm512_min_epu8(low, high), first);
    _mm512_storeu_si512(ids + i, _mm512_min_epu8(load(ids + i), found));
  }
  portable::lowest_bit(plane, i, count, mask, base, ids);
}

template <bool kStream>
HOTPACK_AVX512 inline void store(void* at, __m512i value) {
  if constexpr (kStream) {
    _mm512_stream_si512(static_cast<__m512i*>(at), value);
  } else {
    _mm512_storeu_si512(at, value);
  }
}

// Writes 64 elements of 1, 2 or 4 bytes: element i is `one` if bit i of the word is set, else 0.
template <bool kStream>
HOTPACK_AVX512 inline void store_ones(std::uint64_t word, std::uint8_t one, std::uint8_t* out) {
  store<kStream>(out, _mm512_maskz_set1_epi8(word, static_cast<char>(one)));
}

template <bool kStream>
HOTPACK_AVX512 inline void store_ones(std::uint64_t word, std::uint16_t one, std::uint16_t* out) {
  store<kStream>(out,
                 _mm512_maskz_set1_epi16(static_cast<__mmask32>(word), static_cast<short>(one)));
  store<kStream>(out + 32, _mm512_maskz_set1_epi16(static_cast<__mmask32>(word >> 32),
                                                   static_cast<short>(one)));
}

template <bool kStream>
HOTPACK_AVX512 inline void store_ones(std::uint64_t word, std::uint32_t one, std::uint32_t* out) {
  const __m512i ones = _mm512_set1_epi32(static_cast<int>(one));
  store<kStream>(out, _mm512_maskz_mov_epi32(static_cast<__mmask16>(word), ones));
  store<kStream>(out + 16, _mm512_maskz_mov_epi32(static_cast<__mmask16>(word >> 16), ones));
  store<kStream>(out + 32, _mm512_maskz_mov_epi32(static_cast<__mmask16>(word >> 32), ones));
  store<kStream>(out + 48, _mm512_maskz_mov_epi32(static_cast<__mmask16>(word >> 48), ones));
}

struct OneBlocks {
  // Writes elements from index `at` on; returns the index of the first element that is not written.
  template <class Word, bool kStream>
  HOTPACK_AVX512 static std::size_t run(const std::uint8_t* bits, std::size_t at, std::size_t count,
                                        Word one, Word* out) {
    for (; x86::has_word(at, count); at += 64)
      store_ones<kStream>(x86::word_at(bits, at), one, out + at);
    return at;
  }
};

HOTPACK_AVX512 void convert_ids(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                                ElementType type, std::byte* out, Stores stores) {
  x86::convert_to<std::uint8_t>(ids, count, rule, type, out, stores);
}

HOTPACK_AVX512 void convert_wide_ids(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                                     ElementType type, std::byte* out, Stores stores) {
  x86::convert_to<std::uint16_t>(ids, count, rule, type, out, stores);
}

constexpr LabelKernels kAvx512{ids_equal,
                               wide_ids_equal,
                               bytes_have,
                               byte_plane,
                               shuffle,
                               lowest_bit,
                               x86::write_ones<OneBlocks>,
                               convert_ids,
                               convert_wide_ids};

}  // namespace

const LabelKernels& avx512_label_kernels() { return kAvx512; }

}  // namespace hotpack::expand

#endif
