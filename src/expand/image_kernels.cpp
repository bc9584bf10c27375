// This file uses intrinsics where Highway 1.0.3 has no equivalent: with VBMI, to look bytes up in
// tables of 256 entries and (in lanes-inl.hpp) to move bytes within 64. It also uses them on AVX2,
// where Highway's functions would take 5 % longer to narrow to f16, and 10 % longer to combine
// rows.
#include "expand/image_kernels.hpp"

#include <array>
#include <cstring>
#include <type_traits>

#include "expand/image_blocks.hpp"
#include "expand/image_kernels_portable.hpp"

// Highway compiles the rest of this file once per vector instruction set.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expand/image_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expand/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hotpack::expand::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

using portable::between;
using portable::join;
using portable::mirror;
using portable::split;

#else

// Loads a table of one lane into all lanes.
template <class Tag>
HWY_INLINE hw::Vec<Tag> load_table(Tag tag, const std::uint8_t* table) {
  if constexpr (lane_of<Tag>() == hw::MaxLanes(Tag())) {
    return hw::Load(tag, table);
  } else {
    return hw::LoadDup128(tag, table);
  }
}

// --- planes and interleaved pixels
//
// Three vectors hold as many pixels of three channels as a vector has bytes. Byte j of a lane of
// vector v holds channel (v + j) mod 3, because the size of a lane mod 3 is 1. So at each position
// j, the three vectors hold three different channels, and blends alone can collect a channel in one
// vector, or distribute it again ---

template <class Tag>
HWY_INLINE hw::Mask<Tag> thirds(Tag tag, std::size_t remainder) {
  return hw::MaskFromVec(load_table(tag, kThirds<lane_of<Tag>()>.remainder[remainder].data()));
}

// Blends: bytes of `b` where `one` is set, those of `c` where `two` is set, those of `a` elsewhere.
template <class Vector, class Mask>
HWY_INLINE Vector blended(Vector a, Vector b, Vector c, Mask one, Mask two) {
  return hw::IfThenElse(two, c, hw::IfThenElse(one, b, a));
}

template <class Tag>
HWY_INLINE void split_vector(Tag tag, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t plane) {
  constexpr std::size_t kSize = lane_of<Tag>();
  const auto packed = [=](std::size_t v) HWY_ATTR {
    return load_lanes(tag, [=](std::size_t lane) HWY_ATTR { return in + kSize * (v + 3 * lane); });
  };
  const auto a = packed(0), b = packed(1), c = packed(2);
  const auto one = thirds(tag, 1), two = thirds(tag, 2);
  const auto put_channel = [=](std::size_t channel, hw::Vec<Tag> bytes) HWY_ATTR {
    const auto place = load_table(tag, kThirds<kSize>.place[channel].data());
    hw::StoreU(moved(tag, bytes, place), tag, out + channel * plane);
  };
  put_channel(0, blended(a, c, b, one, two));
  put_channel(1, blended(b, a, c, one, two));
  put_channel(2, blended(c, b, a, one, two));
}

template <class Tag>
HWY_INLINE void join_vector(Tag tag, const std::uint8_t* in, std::size_t plane, std::uint8_t* out) {
  constexpr std::size_t kSize = lane_of<Tag>();
  const auto spread = [=](std::size_t channel) HWY_ATTR {
    const auto pixel = load_table(tag, kThirds<kSize>.pixel[channel].data());
    return moved(tag, hw::LoadU(tag, in + channel * plane), pixel);
  };
  const auto a = spread(0), b = spread(1), c = spread(2);
  const auto one = thirds(tag, 1), two = thirds(tag, 2);
  const auto put_packed = [=](std::size_t v, hw::Vec<Tag> bytes) HWY_ATTR {
    store_lanes(tag, bytes,
                [=](std::size_t lane) HWY_ATTR { return out + kSize * (v + 3 * lane); });
  };
  put_packed(0, blended(a, b, c, one, two));
  put_packed(1, blended(b, c, a, one, two));
  put_packed(2, blended(c, a, b, one, two));
}

void split(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out, std::size_t plane) {
  std::size_t p = 0;
  for (; pixels - p >= kVector; p += kVector) split_vector(Bytes(), in + 3 * p, out + p, plane);
  for (; pixels - p >= 16; p += 16) split_vector(Block(), in + 3 * p, out + p, plane);
  if (p < pixels) portable::split(in + 3 * p, pixels - p, out + p, plane);
}

void join(const std::uint8_t* in, std::size_t plane, std::size_t pixels, std::uint8_t* out) {
  std::size_t p = 0;
  for (; pixels - p >= kVector; p += kVector) join_vector(Bytes(), in + p, plane, out + 3 * p);
  for (; pixels - p >= 16; p += 16) join_vector(Block(), in + p, plane, out + 3 * p);
  if (p < pixels) portable::join(in + p, plane, pixels - p, out + 3 * p);
}

// --- mirror ---

// Returns an order of bytes that reverses the first kPixels pixels of a lane and puts them at its
// end. What the bytes before them become does not matter.
template <std::size_t kSize, std::size_t kPixelBytes>
constexpr std::array<std::uint8_t, kSize> opposite() {
  constexpr std::size_t kPixels = kSize / kPixelBytes, kBytes = kPixels * kPixelBytes;
  std::array<std::uint8_t, kSize> order{};
  for (std::size_t j = 0; j < kBytes; ++j) {
    const std::size_t pixel = kPixels - 1 - j / kPixelBytes;
    order[kSize - kBytes + j] = static_cast<std::uint8_t>(kPixelBytes * pixel + j % kPixelBytes);
  }
  return order;
}
template <std::size_t kSize, std::size_t kPixelBytes>
alignas(64) constexpr auto kOpposite = opposite<kSize, kPixelBytes>();

// Reverses vectors of bytes from `p` on; returns the first one that is left.
template <class Tag>
HWY_INLINE std::size_t mirror_bytes(Tag tag, const std::uint8_t* in, std::size_t p,
                                    std::size_t pixels, std::uint8_t* out) {
  constexpr std::size_t kBytes = hw::MaxLanes(Tag());
  const auto order = load_table(tag, kOpposite<lane_of<Tag>(), 1>.data());
  for (; pixels - p >= kBytes; p += kBytes) {
    auto bytes = moved(tag, hw::LoadU(tag, in + p), order);
    if constexpr (lane_of<Tag>() < kBytes) bytes = hw::ReverseBlocks(tag, bytes);
    hw::StoreU(bytes, tag, out + pixels - p - kBytes);
  }
  return p;
}

// Reverses pixels of three bytes, one lane at a time, from pixel `p` on, and returns the first
// pixel that is not done. Each step also overwrites the byte before its pixels; the next step puts
// the right value there.
template <class Tag>
HWY_INLINE std::size_t mirror_triples(Tag tag, const std::uint8_t* in, std::size_t p,
                                      std::size_t pixels, std::uint8_t* out) {
  constexpr std::size_t kPixels = hw::MaxLanes(Tag()) / 3;
  const auto order = load_table(tag, kOpposite<lane_of<Tag>(), 3>.data());
  for (; pixels - p > kPixels; p += kPixels) {
    hw::StoreU(moved(tag, hw::LoadU(tag, in + 3 * p), order), tag,
               out + 3 * (pixels - p - kPixels) - 1);
  }
  return p;
}

void mirror(const std::uint8_t* in, std::size_t pixels, std::size_t channels, std::uint8_t* out) {
  std::size_t p = 0;
  if (channels == 1) {
    p = mirror_bytes(Block(), in, mirror_bytes(Bytes(), in, p, pixels, out), pixels, out);
  } else {
    p = mirror_triples(Block(), in, mirror_triples(Lane(), in, p, pixels, out), pixels, out);
  }
  portable::mirror(in + channels * p, pixels - p, channels, out);
}

#endif

#if HWY_TARGET <= HWY_AVX3_DL

// --- conversion: each byte of an element has a table of its own, so the elements are exactly those
// of ValueMap ---

// table[index] for 64 indices: two permutes of 128 entries each, selected by the highest bit.
HWY_INLINE hw::Vec<Bytes> look_up(const ValueMap::Bytes& table, hw::Vec<Bytes> index) {
  const auto part = [&](std::size_t at)
                        HWY_ATTR { return hw::Load(Bytes(), table.data() + at).raw; };
  const hw::Vec<Bytes> low{_mm512_permutex2var_epi8(part(0), index.raw, part(64))};
  const hw::Vec<Bytes> high{_mm512_permutex2var_epi8(part(128), index.raw, part(192))};
  return hw::IfThenElse(hw::MaskFromVec(index), high, low);
}

// Returns which source byte belongs at place j before elements are made. Interleaving works in
// blocks of 16 bytes, so it would put the elements of a 64-byte vector in another order. To correct
// this, the source bytes are permuted first: groups of 16 / kBytes bytes are transposed like a
// matrix of kBytes columns and four rows.
template <std::size_t kBytes>
constexpr std::size_t source_of(std::size_t j) {
  constexpr std::size_t kGroup = 16 / kBytes;
  const std::size_t group = j / kGroup;
  return kGroup * (group % kBytes * 4 + group / kBytes) + j % kGroup;
}

template <std::size_t kBytes>
constexpr std::uint64_t arranged_third(unsigned remainder) {
  std::uint64_t mask = 0;
  for (unsigned j = 0; j < kVector; ++j)
    mask |= std::uint64_t{source_of<kBytes>(j) % 3 == remainder} << j;
  return mask;
}

template <std::size_t kBytes>
HWY_INLINE hw::Vec<Bytes> load_arranged(const std::uint8_t* in) {
  using Group = std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>;
  const hw::Repartition<Group, Bytes> groups;
  alignas(64) static constexpr auto kOrder = [] {
    std::array<Group, kVector / sizeof(Group)> order{};
    for (std::size_t g = 0; g < order.size(); ++g)
      order[g] = static_cast<Group>(source_of<kBytes>(g * sizeof(Group)) / sizeof(Group));
    return order;
  }();
  const auto bytes = hw::BitCast(groups, hw::LoadU(Bytes(), in));
  return hw::BitCast(Bytes(),
                     hw::TableLookupLanes(bytes, hw::SetTableIndices(groups, kOrder.data())));
}

// Stores the bytes of 64 elements, lowest bytes first, as elements in order.
template <std::size_t kBytes, bool kStream>
HWY_INLINE void put_elements(const hw::Vec<Bytes> (&bytes)[kBytes], std::byte* to) {
  auto* const out = reinterpret_cast<std::uint8_t*>(to);
  const auto low = hw::InterleaveLower(Bytes(), bytes[0], bytes[1]),
             high = hw::InterleaveUpper(Bytes(), bytes[0], bytes[1]);
  if constexpr (kBytes == 2) {
    put<kStream>(Bytes(), low, out);
    put<kStream>(Bytes(), high, out + kVector);
  } else {
    const hw::Repartition<std::uint16_t, Bytes> pairs;
    const auto put_pairs = [=](auto lower, auto upper, std::uint8_t* at) HWY_ATTR {
      const auto first = hw::BitCast(pairs, lower), second = hw::BitCast(pairs, upper);
      put<kStream>(Bytes(), hw::BitCast(Bytes(), hw::InterleaveLower(pairs, first, second)), at);
      put<kStream>(Bytes(), hw::BitCast(Bytes(), hw::InterleaveUpper(pairs, first, second)),
                   at + kVector);
    };
    put_pairs(low, hw::InterleaveLower(Bytes(), bytes[2], bytes[3]), out);
    put_pairs(high, hw::InterleaveUpper(Bytes(), bytes[2], bytes[3]), out + 2 * kVector);
  }
}

template <std::size_t kBytes, bool kStream>
void convert_plane(const ValueMap& map, const std::uint8_t* in, std::size_t blocks, std::byte* out,
                   std::size_t /*phase*/) {
  for (; blocks > 0; --blocks, in += kVector, out += kBytes * kVector) {
    const auto index = load_arranged<kBytes>(in);
    hw::Vec<Bytes> bytes[kBytes];
    for (std::size_t b = 0; b < kBytes; ++b) bytes[b] = look_up(map.bytes[0][b], index);
    put_elements<kBytes, kStream>(bytes, out);
  }
}

// Three interleaved channels: blends collect their bytes, look them up, and blend them back.
template <std::size_t kBytes, bool kStream>
void convert_turns(const ValueMap& map, const std::uint8_t* in, std::size_t blocks, std::byte* out,
                   std::size_t phase) {
  constexpr std::uint64_t kOne = arranged_third<kBytes>(1), kTwo = arranged_third<kBytes>(2);
  const hw::Mask<Bytes> one{kOne}, two{kTwo};
  const std::array<ValueMap::Bytes, 4>* const tables[3] = {
      &map.bytes[phase % 3], &map.bytes[(phase + 1) % 3], &map.bytes[(phase + 2) % 3]};
  for (; blocks > 0; --blocks, in += 3 * kVector, out += 3 * kBytes * kVector) {
    const auto a = load_arranged<kBytes>(in), b = load_arranged<kBytes>(in + kVector),
               c = load_arranged<kBytes>(in + 2 * kVector);
    const auto first = blended(a, c, b, one, two), second = blended(b, a, c, one, two),
               third = blended(c, b, a, one, two);
    hw::Vec<Bytes> bytes[3][kBytes];
    for (std::size_t i = 0; i < kBytes; ++i) {
      const auto x = look_up((*tables[0])[i], first), y = look_up((*tables[1])[i], second),
                 z = look_up((*tables[2])[i], third);
      bytes[0][i] = blended(x, y, z, one, two);
      bytes[1][i] = blended(y, z, x, one, two);
      bytes[2][i] = blended(z, x, y, one, two);
    }
    for (std::size_t v = 0; v < 3; ++v)
      put_elements<kBytes, kStream>(bytes[v], out + v * kBytes * kVector);
  }
}

template <bool kStream>
constexpr BlockConverters kPlane{kVector, convert_plane<4, kStream>, convert_plane<2, kStream>,
                                 convert_plane<2, kStream>};
template <bool kStream>
constexpr BlockConverters kTurns{3 * kVector, convert_turns<4, kStream>, convert_turns<2, kStream>,
                                 convert_turns<2, kStream>};

void convert(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out,
             Stores stores) {
  if (map.period == 1) return convert_run(kPlane<false>, kPlane<true>, map, in, count, out, stores);
  convert_run(kTurns<false>, kTurns<true>, map, in, count, out, stores);
}

#elif HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2

// --- conversion, with arithmetic that make_value_map found exact: with a fused multiply-add ---

using Floats = hw::FixedTag<float, 8>;
using Ints = hw::RebindToSigned<Floats>;
using Words = hw::RebindToUnsigned<Floats>;
using Halves = hw::Repartition<std::uint16_t, Floats>;
constexpr std::size_t kFloats = hw::MaxLanes(Floats());
// bytes: whole periods and whole cache lines of output for every type
constexpr std::size_t kBlock = 96;

HWY_INLINE hw::Vec<Floats> corrected_quotient(hw::Vec<Floats> a, hw::Vec<Floats> b,
                                              hw::Vec<Floats> reciprocal) {
  const auto quotient = hw::Mul(a, reciprocal);
  return hw::MulAdd(hw::NegMulAdd(quotient, b, a), reciprocal, quotient);
}

// Loads eight bytes from `in`; the first belongs to the channel of `lane`.
HWY_INLINE hw::Vec<Floats> convert_eight(const std::uint8_t* in, const ValueMap::Arithmetic& with,
                                         std::size_t lane) {
  const auto values = hw::PromoteTo(Ints(), hw::LoadU(hw::Rebind<std::uint8_t, Floats>(), in));
  const auto scaled = corrected_quotient(hw::ConvertTo(Floats(), values), hw::Set(Floats(), 255.0f),
                                         hw::Set(Floats(), kReciprocal255));
  const auto centered = hw::Sub(scaled, hw::LoadU(Floats(), with.mean.data() + lane));
  return corrected_quotient(centered, hw::LoadU(Floats(), with.std.data() + lane),
                            hw::LoadU(Floats(), with.reciprocal.data() + lane));
}

// Rounds to a multiple of 2^16; the lower bits are left over.
HWY_INLINE hw::Vec<Halves> upper_half_rounded(hw::Vec<Floats> values) {
  const auto bits = hw::BitCast(Words(), values);
  const auto odd = hw::And(hw::ShiftRight<16>(bits), hw::Set(Words(), 1));
  return hw::BitCast(Halves(), hw::Add(bits, hw::Add(odd, hw::Set(Words(), 0x7FFF))));
}

// Converts sixteen singles to sixteen elements of two bytes.
template <ElementType kType>
HWY_INLINE hw::Vec<Halves> narrowed(hw::Vec<Floats> low, hw::Vec<Floats> high) {
  if constexpr (kType == ElementType::f16) {
    const hw::Rebind<hwy::float16_t, Floats> half;
    // Combine() would clear the upper half first.
    return hw::Vec<Halves>{
        _mm256_set_m128i(hw::DemoteTo(half, high).raw, hw::DemoteTo(half, low).raw)};
  } else {
    return hw::ConcatOdd(Halves(), upper_half_rounded(high), upper_half_rounded(low));
  }
}

template <ElementType kType, bool kStream>
HWY_INLINE void convert_block(const ValueMap::Arithmetic& with, const std::uint8_t* in,
                              std::byte* out, std::size_t phase) {
  for (std::size_t i = 0; i < kBlock; i += 2 * kFloats) {
    const auto low = convert_eight(in + i, with, phase + i % 24);
    const auto high = convert_eight(in + i + kFloats, with, phase + (i + kFloats) % 24);
    if constexpr (kType == ElementType::f32) {
      put<kStream>(Floats(), low, reinterpret_cast<float*>(out + 4 * i));
      put<kStream>(Floats(), high, reinterpret_cast<float*>(out + 4 * (i + kFloats)));
    } else {
      put<kStream>(Halves(), narrowed<kType>(low, high),
                   reinterpret_cast<std::uint16_t*>(out + 2 * i));
    }
  }
}

template <ElementType kType, bool kStream>
void convert_blocks(const ValueMap& map, const std::uint8_t* in, std::size_t blocks, std::byte* out,
                    std::size_t phase) {
  constexpr std::size_t kOutBytes = kBlock * (kType == ElementType::f32 ? 4 : 2);
  for (std::size_t b = 0; b < blocks; ++b)
    convert_block<kType, kStream>(map.arithmetic, in + b * kBlock, out + b * kOutBytes, phase);
}

template <bool kStream>
constexpr BlockConverters kConverters{kBlock, convert_blocks<ElementType::f32, kStream>,
                                      convert_blocks<ElementType::f16, kStream>,
                                      convert_blocks<ElementType::bf16, kStream>};

void convert(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out,
             Stores stores) {
  if (!map.arithmetic.exact) return portable::convert(map, in, count, out);
  convert_run(kConverters<false>, kConverters<true>, map, in, count, out, stores);
}

#else

void convert(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out,
             Stores /*stores*/) {
  portable::convert(map, in, count, out);
}

#endif

// --- resampling ---

#if HWY_TARGET != HWY_SCALAR && HWY_ARCH_X86

// Resamples pixels of three channels: one load of eight bytes has both source pixels of an output
// pixel. Multiplies their channels, as pairs of 16 bits, with the two weights and adds each pair.
// Used on x86 only, because elsewhere this takes more instructions.
// Returns the number of columns done.
std::size_t across_triples(const std::uint8_t* in, std::size_t width, const ColumnTap* taps,
                           std::size_t columns, std::int16_t* out) {
  const hw::FixedTag<std::uint8_t, 8> eight;
  const hw::FixedTag<std::int16_t, 8> shorts;
  const hw::FixedTag<std::int32_t, 4> ints;
  const hw::Half<decltype(shorts)> sums_tag;
  alignas(16) static constexpr std::uint8_t kPairs[16] = {0, 128, 3, 128, 1,   128, 4,   128,
                                                          2, 128, 5, 128, 128, 128, 128, 128};
  const auto pairs = hw::Load(Block(), kPairs);
  std::size_t x = 0;
  for (; x < columns && 3 * static_cast<std::size_t>(taps[x].first) + 8 <= 3 * width;
       ++x, out += 3) {
    const auto both = hw::LoadU(eight, in + 3 * static_cast<std::size_t>(taps[x].first));
    std::int32_t weights;
    std::memcpy(&weights, &taps[x].first_weight, sizeof weights);
    auto odd = hw::Zero(ints);
    const auto even = hw::ReorderWidenMulAccumulate(
        ints, hw::BitCast(shorts, hw::TableLookupBytesOr0(both, pairs)),
        hw::BitCast(shorts, hw::Set(ints, weights)), hw::Zero(ints), odd);
    const auto sums = hw::RearrangeToOddPlusEven(even, odd);
    hw::StoreU(hw::DemoteTo(sums_tag, hw::ShiftRight<4>(sums)), sums_tag, out);
  }
  return x;
}

#else

std::size_t across_triples(const std::uint8_t* /*in*/, std::size_t /*width*/,
                           const ColumnTap* /*taps*/, std::size_t /*columns*/,
                           std::int16_t* /*out*/) {
  return 0;
}

#endif

void across(const std::uint8_t* in, std::size_t width, std::size_t channels, const ColumnTap* taps,
            std::size_t columns, std::int16_t* out) {
  const std::size_t done = channels == 3 ? across_triples(in, width, taps, columns, out) : 0;
  portable::across(in, channels, taps + done, columns - done, out + 3 * done);
}

#if HWY_TARGET != HWY_SCALAR

// The lower bytes of `low` and `high`, whose upper bytes are zero.
template <class Tag, class Sums>
HWY_INLINE hw::Vec<Tag> lower_bytes(Tag tag, Sums low, Sums high) {
#if HWY_TARGET == HWY_AVX2
  // ConcatEven() would clear the upper bytes first.
  if constexpr (hw::MaxLanes(Tag()) == 32) {
    const __m256i both = _mm256_packus_epi16(low.raw, high.raw);
    return hw::Vec<Tag>{_mm256_permute4x64_epi64(both, 0b11'01'10'00)};
  }
#endif
  return hw::ConcatEven(tag, hw::BitCast(tag, high), hw::BitCast(tag, low));
}

// Combines vectors of sums from `i` on; returns the first one that is left.
template <class Tag>
HWY_INLINE std::size_t between_vectors(Tag tag, const std::int16_t* upper, int upper_weight,
                                       const std::int16_t* lower, int lower_weight, std::size_t i,
                                       std::size_t count, std::uint8_t* out) {
  const hw::Repartition<std::int16_t, Tag> sums;
  const auto first = hw::Set(sums, static_cast<std::int16_t>(upper_weight));
  const auto second = hw::Set(sums, static_cast<std::int16_t>(lower_weight));
  // By reference: vectors of SVE cannot be captured by copy.
  const auto rounded = [&](std::size_t at) HWY_ATTR {
    const auto above = hw::MulHigh(hw::LoadU(sums, upper + at), first);
    const auto below = hw::MulHigh(hw::LoadU(sums, lower + at), second);
    return hw::ShiftRight<2>(hw::Add(hw::Add(above, below), hw::Set(sums, 2)));
  };
  for (; count - i >= hw::MaxLanes(tag); i += hw::MaxLanes(tag)) {
    const auto low = rounded(i), high = rounded(i + hw::MaxLanes(sums));
    hw::StoreU(lower_bytes(tag, low, high), tag, out + i);
  }
  return i;
}

void between(const std::int16_t* upper, int upper_weight, const std::int16_t* lower,
             int lower_weight, std::size_t count, std::uint8_t* out) {
  std::size_t i = 0;
  i = between_vectors(Bytes(), upper, upper_weight, lower, lower_weight, i, count, out);
  if constexpr (kVector > 32) {
    const hw::Half<Bytes> half;
    i = between_vectors(half, upper, upper_weight, lower, lower_weight, i, count, out);
  }
  portable::between(upper + i, upper_weight, lower + i, lower_weight, count - i, out + i);
}

#endif

const ImageKernels& image_table() {
  static constexpr ImageKernels kKernels{split, join, mirror, convert, across, between};
  return kKernels;
}

}  // namespace hotpack::expand::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::expand {

HWY_EXPORT(image_table);

const ImageKernels& image_kernels() { return HWY_DYNAMIC_DISPATCH(image_table)(); }

}  // namespace hotpack::expand
#endif
