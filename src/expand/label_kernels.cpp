// Two loops here and the lanes (lanes-inl.hpp) use intrinsics, because Highway 1.0.3 has no
// equivalent. With Highway's functions, wide_ids_equal() would take 26 % longer on AVX2. Without
// VBMI's permutation, byte_planes() would take up to nine times as long on AVX-512, and the
// shuffles twice as long.
#include "expand/label_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "expand/label_kernels_portable.hpp"

// Highway compiles the rest of this file once per vector instruction set.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expand/label_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expand/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hotpack::expand::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id, std::uint8_t* bits) {
  portable::ids_equal(ids, 0, count, id, bits);
}

void wide_ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                    std::uint8_t* bits) {
  portable::wide_ids_equal(ids, 0, count, id, bits);
}

void bytes_have(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask,
                std::uint8_t* bits) {
  portable::bytes_have(bytes, 0, count, mask, bits);
}

void byte_plane(const std::uint8_t* vectors, std::size_t vector_bytes, std::size_t byte,
                std::size_t count, std::uint8_t* plane) {
  portable::byte_plane(vectors, vector_bytes, byte, 0, count, plane);
}

void lowest_bit(const std::uint8_t* plane, std::size_t count, std::uint8_t mask, std::uint8_t base,
                std::uint8_t* ids) {
  portable::lowest_bit(plane, 0, count, mask, base, ids);
}

template <class Word>
void write_ones_of(const std::uint8_t* bits, std::size_t count, Word one, Word* out, Stores) {
  portable::write_ones(bits, 0, count, one, out);
}

template <class Id>
void convert_to(const std::uint8_t* ids, std::size_t count, const IdRule& rule, ElementType type,
                std::byte* out, Stores) {
  portable::convert_to<Id>(ids, count, rule, type, out);
}

constexpr std::size_t kShuffleLane = 0;
constexpr auto kShuffle = nullptr;

#else

// Stores a bit for each lane of `mask`.
template <class Tag>
HWY_INLINE void store_bits(Tag tag, hw::Mask<Tag> mask, std::uint8_t* bits) {
  std::uint8_t eight[8];  // because Highway may write so many
  hw::StoreMaskBits(tag, mask, eight);
  std::memcpy(bits, eight, hw::MaxLanes(tag) / 8);
}

void ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id, std::uint8_t* bits) {
  const auto wanted = hw::Set(Bytes(), static_cast<std::uint8_t>(id));
  std::size_t i = 0;
  for (; i + kVector <= count; i += kVector)
    store_bits(Bytes(), hw::Eq(hw::LoadU(Bytes(), ids + i), wanted), bits + i / 8);
  portable::ids_equal(ids, i, count, id, bits);
}

void wide_ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                    std::uint8_t* bits) {
  const hw::Repartition<std::uint16_t, Bytes> words;
  const auto wanted = hw::Set(words, static_cast<std::uint16_t>(id));
  const auto equal = [&](const std::uint8_t* at) HWY_ATTR {
    return hw::Eq(hw::BitCast(words, hw::LoadU(Bytes(), at)), wanted);
  };
  std::size_t i = 0;
  for (; i + kVector <= count; i += kVector) {
    const auto low = equal(ids + 2 * i), high = equal(ids + 2 * i + kVector);
#if HWY_TARGET <= HWY_AVX3
    store_bits(words, low, bits + i / 8);
    store_bits(words, high, bits + (i + kVector / 2) / 8);
#elif HWY_TARGET == HWY_AVX2
    // ConcatEven() would clear the upper bytes first.
    const __m256i both =
        _mm256_packs_epi16(hw::VecFromMask(words, low).raw, hw::VecFromMask(words, high).raw);
    const hw::Vec<Bytes> ordered{_mm256_permute4x64_epi64(both, 0b11'01'10'00)};
    store_bits(Bytes(), hw::MaskFromVec(ordered), bits + i / 8);
#else
    const auto both = hw::ConcatEven(Bytes(), hw::BitCast(Bytes(), hw::VecFromMask(words, high)),
                                     hw::BitCast(Bytes(), hw::VecFromMask(words, low)));
    store_bits(Bytes(), hw::MaskFromVec(both), bits + i / 8);
#endif
  }
  portable::wide_ids_equal(ids, i, count, id, bits);
}

void bytes_have(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask,
                std::uint8_t* bits) {
  const auto wanted = hw::Set(Bytes(), mask), zero = hw::Zero(Bytes());
  std::size_t i = 0;
  if (mask == 255) {
    for (; i + kVector <= count; i += kVector)
      store_bits(Bytes(), hw::Ne(hw::LoadU(Bytes(), bytes + i), zero), bits + i / 8);
  } else {
    for (; i + kVector <= count; i += kVector)
      store_bits(Bytes(), hw::TestBit(hw::LoadU(Bytes(), bytes + i), wanted), bits + i / 8);
  }
  portable::bytes_have(bytes, i, count, mask, bits);
}

#if HWY_TARGET <= HWY_AVX3_DL

// Up to this vector size a shuffle of all registers is faster than 64 single bytes.
constexpr std::size_t kMostPlanes = 32;

std::size_t byte_planes(const std::uint8_t* vectors, std::size_t vector_bytes, std::size_t byte,
                        std::size_t count, std::uint8_t* plane) {
  std::size_t i = 0;
  if (vector_bytes > kMostPlanes || count < kVector) return i;
  const portable::PlanePicks picks = portable::plane_picks(vector_bytes, byte);
  const auto places = hw::Load(Bytes(), picks.places.data());
  for (; i + kVector <= count; i += kVector) {
    auto gathered = hw::Zero(Bytes());
    for (std::size_t r = 0; r < vector_bytes; ++r) {
      const auto part = hw::LoadU(Bytes(), vectors + i * vector_bytes + kVector * r);
      gathered.raw =
          _mm512_mask_permutexvar_epi8(gathered.raw, picks.masks[r], places.raw, part.raw);
    }
    hw::StoreU(gathered, Bytes(), plane + i);
  }
  return i;
}

#else

std::size_t byte_planes(const std::uint8_t* vectors, std::size_t vector_bytes, std::size_t byte,
                        std::size_t count, std::uint8_t* plane) {
  std::size_t i = 0;
  if (vector_bytes != 2) return i;
  for (; i + kVector <= count; i += kVector) {
    const auto low = hw::LoadU(Bytes(), vectors + 2 * i);
    const auto high = hw::LoadU(Bytes(), vectors + 2 * i + kVector);
    hw::StoreU(byte == 0 ? hw::ConcatEven(Bytes(), high, low) : hw::ConcatOdd(Bytes(), high, low),
               Bytes(), plane + i);
  }
  return i;
}

#endif

void byte_plane(const std::uint8_t* vectors, std::size_t vector_bytes, std::size_t byte,
                std::size_t count, std::uint8_t* plane) {
  const std::size_t done = byte_planes(vectors, vector_bytes, byte, count, plane);
  portable::byte_plane(vectors, vector_bytes, byte, done, count, plane);
}

// Returns the source bytes of the elements of one vector, each at the place of its element. Lane i
// loads the window that begins at block + starts[i], and `places` says which byte of the window
// each element takes.
HWY_INLINE hw::Vec<Bytes> picked(const std::uint8_t* block, const std::uint32_t* starts,
                                 const std::uint8_t* places) {
  const auto lane_at = [=](std::size_t lane) HWY_ATTR { return block + starts[lane]; };
  return moved(Bytes(), load_lanes(Bytes(), lane_at), hw::LoadU(Bytes(), places));
}

void shuffle_ids(const std::uint8_t* ids, std::size_t blocks, const ChannelShuffle& shuffle,
                 std::uint8_t* bits) {
  const auto largest = hw::Set(Bytes(), shuffle.largest_id);
  const std::uint32_t* const starts = shuffle.starts.data();
  const std::uint8_t* const places = shuffle.places.data();
  const std::uint8_t* const probes = shuffle.probes.data();
  const std::size_t elements = shuffle.probes.size();
  for (std::size_t b = 0; b < blocks; ++b, ids += ChannelShuffle::kBlock, bits += elements / 8) {
#if HWY_TARGET <= HWY_AVX3_DL
    const auto block = hw::Min(hw::LoadU(Bytes(), ids), largest);  // the only window
#endif
    for (std::size_t at = 0; at < elements; at += kVector) {
#if HWY_TARGET <= HWY_AVX3_DL
      const auto found = moved(Bytes(), block, hw::LoadU(Bytes(), places + at));
#else
      const auto found = hw::Min(picked(ids, starts + at / kLane, places + at), largest);
#endif
      store_bits(Bytes(), hw::Eq(found, hw::LoadU(Bytes(), probes + at)), bits + at / 8);
    }
  }
}

void shuffle_bits(const std::uint8_t* vectors, std::size_t blocks, const ChannelShuffle& shuffle,
                  std::uint8_t* bits) {
  const std::uint32_t* const starts = shuffle.starts.data();
  const std::uint8_t* const places = shuffle.places.data();
  const std::uint8_t* const probes = shuffle.probes.data();
  const std::size_t elements = shuffle.probes.size();
  const std::size_t block_bytes = ChannelShuffle::kBlock * shuffle.vector_bytes;
  for (std::size_t b = 0; b < blocks; ++b, vectors += block_bytes, bits += elements / 8) {
    for (std::size_t at = 0; at < elements; at += kVector) {
      const auto probe = hw::LoadU(Bytes(), probes + at);
      const auto found = picked(vectors, starts + at / kLane, places + at);
      store_bits(Bytes(), hw::TestBit(found, probe), bits + at / 8);
    }
  }
}

void shuffle(const std::uint8_t* vectors, std::size_t blocks, const ChannelShuffle& shuffle,
             std::uint8_t* bits) {
  shuffle.ids ? shuffle_ids(vectors, blocks, shuffle, bits)
              : shuffle_bits(vectors, blocks, shuffle, bits);
}

constexpr std::size_t kShuffleLane = kLane;
constexpr auto kShuffle = shuffle;

// The lowest set bit of each nibble; 255 if there is none.
alignas(16) constexpr std::uint8_t kLowNibble[16] = {255, 0, 1, 0, 2, 0, 1, 0,
                                                     3,   0, 1, 0, 2, 0, 1, 0};
alignas(16) constexpr std::uint8_t kHighNibble[16] = {255, 4, 5, 4, 6, 4, 5, 4,
                                                      7,   4, 5, 4, 6, 4, 5, 4};

void lowest_bit(const std::uint8_t* plane, std::size_t count, std::uint8_t mask, std::uint8_t base,
                std::uint8_t* ids) {
  const hw::Repartition<std::uint16_t, Bytes> words;
  const auto low_table = hw::LoadDup128(Bytes(), kLowNibble);
  const auto high_table = hw::LoadDup128(Bytes(), kHighNibble);
  const auto kept = hw::Set(Bytes(), mask), nibble = hw::Set(Bytes(), 15),
             first = hw::Set(Bytes(), base);
  std::size_t i = 0;
  for (; i + kVector <= count; i += kVector) {
    const auto bytes = hw::And(hw::LoadU(Bytes(), plane + i), kept);
    const auto low = hw::TableLookupBytes(low_table, hw::And(bytes, nibble));
    const auto shifted = hw::BitCast(Bytes(), hw::ShiftRight<4>(hw::BitCast(words, bytes)));
    const auto high = hw::TableLookupBytes(high_table, hw::And(shifted, nibble));
    const auto found = hw::SaturatedAdd(hw::Min(low, high), first);
    hw::StoreU(hw::Min(hw::LoadU(Bytes(), ids + i), found), Bytes(), ids + i);
  }
  portable::lowest_bit(plane, i, count, mask, base, ids);
}

// Returns true if word_at() can load 64 bits beginning with bit `at` without reading beyond the
// last of `count` bits.
HWY_INLINE bool has_word(std::size_t at, std::size_t count) {
  return count - at >= (at % 8 == 0 ? 64 : 72);
}

// Loads bits at … at + 63.
HWY_INLINE std::uint64_t word_at(const std::uint8_t* bits, std::size_t at) {
  const std::uint8_t* const first = bits + at / 8;
  const unsigned shift = static_cast<unsigned>(at % 8);
  std::uint64_t word;
  std::memcpy(&word, first, sizeof word);
  if (shift == 0) return word;
  return word >> shift | std::uint64_t{first[8]} << (64 - shift);
}

#if HWY_TARGET <= HWY_AVX3

// Writes 64 elements.
template <bool kStream, class Word>
HWY_INLINE void store_ones(std::uint64_t word, Word one, Word* out) {
  const hw::Repartition<Word, Bytes> tag;
  constexpr std::size_t kElements = hw::MaxLanes(decltype(tag)());
  const auto ones = hw::Set(tag, one);
  for (std::size_t i = 0; i < 64; i += kElements) {
    const std::uint64_t rest = word >> i;
    const auto mask = hw::LoadMaskBits(tag, reinterpret_cast<const std::uint8_t*>(&rest));
    put<kStream>(tag, hw::IfThenElseZero(mask, ones), out + i);
  }
}

#else

// Where element i finds its bit: in which of eight bytes, and at which place of an element.
template <class Word>
struct OwnBits {
  alignas(64) std::array<Word, 64> bytes{};
  alignas(64) std::array<Word, 64> bits{};
};

template <class Word>
constexpr OwnBits<Word> own_bits() {
  OwnBits<Word> own;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t first = i / (8 * sizeof(Word)) * sizeof(Word);
    for (std::size_t k = 0; k < sizeof(Word); ++k)
      own.bytes[i] = static_cast<Word>(own.bytes[i] | (first + k) << 8 * k);
    own.bits[i] = static_cast<Word>(Word{1} << i % (8 * sizeof(Word)));
  }
  return own;
}

template <class Word>
constexpr OwnBits<Word> kOwnBits = own_bits<Word>();

// Writes 64 elements, one per bit of `word`: `one` for a bit that is set, else 0.
template <bool kStream, class Word>
HWY_INLINE void store_ones(std::uint64_t word, Word one, Word* out) {
  const hw::Repartition<Word, Bytes> tag;
  constexpr std::size_t kElements = hw::MaxLanes(decltype(tag)());
  const hw::Repartition<std::uint64_t, Bytes> words;
  const auto bits = hw::BitCast(Bytes(), hw::Set(words, word));
  const auto ones = hw::Set(tag, one);
  for (std::size_t i = 0; i < 64; i += kElements) {
    const auto places = hw::BitCast(Bytes(), hw::Load(tag, kOwnBits<Word>.bytes.data() + i));
    const auto spread = hw::BitCast(tag, hw::TableLookupBytes(bits, places));
    const auto mask = hw::TestBit(spread, hw::Load(tag, kOwnBits<Word>.bits.data() + i));
    put<kStream>(tag, hw::IfThenElseZero(mask, ones), out + i);
  }
}

#endif

// Writes elements from `at` on; returns the first one that is left.
template <bool kStream, class Word>
HWY_INLINE std::size_t write_words(const std::uint8_t* bits, std::size_t at, std::size_t count,
                                   Word one, Word* out) {
  for (; has_word(at, count); at += 64) store_ones<kStream>(word_at(bits, at), one, out + at);
  return at;
}

// Writes `count` elements with vector instructions; with streaming stores, the vectors begin at a
// whole cache line of the output. The portable loop writes what is before and behind.
template <class Word>
void write_ones_of(const std::uint8_t* bits, std::size_t count, Word one, Word* out,
                   Stores stores) {
  std::size_t at = 0;
  if (stores == Stores::streaming) {
    at = std::min(count, bytes_to_line(out) / sizeof(Word));
    portable::write_ones(bits, 0, at, one, out);
    at = write_words<true>(bits, at, count, one, out);
  } else {
    at = write_words<false>(bits, at, count, one, out);
  }
  portable::write_ones(bits, at, count, one, out);
}

// Stores one cache line of converted ids, bypassing the cache.
template <class Id>
HWY_INLINE void convert_line(const std::uint8_t* ids, const IdRule& rule, std::byte* out) {
  const hw::Repartition<Id, Bytes> tag;
  const auto limit = hw::Set(tag, static_cast<Id>(rule.class_count));
  const auto ignored = hw::Set(tag, static_cast<Id>(rule.ignored));
  for (std::size_t i = 0; i < kLineBytes; i += kVector) {
    const auto id = hw::BitCast(tag, hw::LoadU(Bytes(), ids + i));
    const auto kept = hw::IfThenElse(hw::Lt(id, limit), id, ignored);
    hw::Stream(hw::BitCast(Bytes(), kept), Bytes(), reinterpret_cast<std::uint8_t*>(out + i));
  }
}

// Converts ids to elements of the same size, as many as fill whole cache lines. `out` is aligned to
// a cache line. Returns the number of bytes converted. Like stream_copy(), works on several pages
// of memory at once.
template <class Id>
HWY_INLINE std::size_t convert_lines(const std::uint8_t* ids, std::size_t bytes, const IdRule& rule,
                                     std::byte* out) {
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

// Converts ids to elements of the same size with streaming stores, in three parts: the elements
// before the first whole cache line of the output, whole lines, and the rest.
template <class Id>
HWY_INLINE void convert_streaming(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                                  std::byte* out) {
  const std::size_t bytes = count * sizeof(Id);
  std::size_t done = std::min(bytes, bytes_to_line(out));
  portable::convert<Id, Id>(ids, done / sizeof(Id), rule, out);
  done += convert_lines<Id>(ids + done, bytes - done, rule, out + done);
  portable::convert<Id, Id>(ids + done, (bytes - done) / sizeof(Id), rule, out + done);
}

template <class Id>
HWY_INLINE void convert_to(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                           ElementType type, std::byte* out, Stores stores) {
  if (stores == Stores::streaming && element_bytes(type) == sizeof(Id))
    return convert_streaming<Id>(ids, count, rule, out);
  portable::convert_to<Id>(ids, count, rule, type, out);
}

#endif

void write_ones(const std::uint8_t* bits, std::size_t count, ElementType type, std::byte* out,
                Stores stores) {
  const std::uint32_t one = one_pattern(type);
  if (type == ElementType::u8) {
    write_ones_of(bits, count, static_cast<std::uint8_t>(one), reinterpret_cast<std::uint8_t*>(out),
                  stores);
  } else if (type == ElementType::f32) {
    write_ones_of(bits, count, one, reinterpret_cast<std::uint32_t*>(out), stores);
  } else {
    write_ones_of(bits, count, static_cast<std::uint16_t>(one),
                  reinterpret_cast<std::uint16_t*>(out), stores);
  }
}

void convert_ids(const std::uint8_t* ids, std::size_t count, const IdRule& rule, ElementType type,
                 std::byte* out, Stores stores) {
  convert_to<std::uint8_t>(ids, count, rule, type, out, stores);
}

void convert_wide_ids(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                      ElementType type, std::byte* out, Stores stores) {
  convert_to<std::uint16_t>(ids, count, rule, type, out, stores);
}

const LabelKernels& label_table() {
  static constexpr LabelKernels kKernels{ids_equal,        wide_ids_equal, bytes_have, byte_plane,
                                         kShuffle,         lowest_bit,     write_ones, convert_ids,
                                         convert_wide_ids, kShuffleLane};
  return kKernels;
}

}  // namespace hotpack::expand::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::expand {

HWY_EXPORT(label_table);

const LabelKernels& label_kernels() { return HWY_DYNAMIC_DISPATCH(label_table)(); }

}  // namespace hotpack::expand
#endif
