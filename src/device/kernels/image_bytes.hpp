// Bytes of images in registers: loads of 1 to 16 bytes, conversion of bytes to elements, and stores
// of 16 bytes.
//
// For host and device. Nothing here takes the address of a register, because all indices are
// constants once the compiler has unrolled the loops.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/kernels/image_args.hpp"
#include "device/kernels/portable.hpp"
#include "expand/half.hpp"

#if defined(__CUDACC__)
#define HOTPACK_UNROLL _Pragma("unroll")
#define HOTPACK_KEEP_LOOP _Pragma("unroll 1")
#define HOTPACK_UNROLL_FOR_SOURCE _Pragma("unroll Source::kUnroll")
#else
#define HOTPACK_UNROLL
#define HOTPACK_KEEP_LOOP
#define HOTPACK_UNROLL_FOR_SOURCE
#endif

namespace hotpack::device::image {

// The next functions differ between host and device: on a device each uses a special instruction,
// on the host it does the same in plain C++.

HOTPACK_HOST_DEVICE inline float single_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

HOTPACK_HOST_DEVICE inline std::uint32_t bits_of(float single) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(single);
#else
  return std::bit_cast<std::uint32_t>(single);
#endif
}

// Chooses four of eight bytes. Nibble i of `selector` is the number of the byte that becomes byte i
// of the result: 0 … 3 for the bytes of `low`, 4 … 7 for those of `high`.
HOTPACK_HOST_DEVICE inline std::uint32_t choose_bytes(std::uint32_t low, std::uint32_t high,
                                                      std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  std::uint32_t chosen = 0;
  for (int i = 0; i < 4; ++i)
    chosen |= static_cast<std::uint32_t>(both >> 8 * (selector >> 4 * i & 7) & 0xFF) << 8 * i;
  return chosen;
#endif
}

// The low 32 bits of (high, low) >> bits. Precondition: bits ≤ 32.
HOTPACK_HOST_DEVICE inline std::uint32_t shifted(std::uint32_t low, std::uint32_t high,
                                                 std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_rc(low, high, bits);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> bits);
#endif
}

// Loads kBytes bytes (4, 8 or 16) into words. A misaligned address is an error on a device, so the
// host stops the program for it too.
template <int kBytes>
HOTPACK_HOST_DEVICE void load_words(const std::uint8_t* from, std::uint32_t* words) {
#if defined(__CUDA_ARCH__)
  if constexpr (kBytes == 16) {
    const uint4 four = __ldg(reinterpret_cast<const uint4*>(from));
    words[0] = four.x, words[1] = four.y, words[2] = four.z, words[3] = four.w;
  } else if constexpr (kBytes == 8) {
    const uint2 two = __ldg(reinterpret_cast<const uint2*>(from));
    words[0] = two.x, words[1] = two.y;
  } else {
    words[0] = __ldg(reinterpret_cast<const unsigned*>(from));
  }
#else
  if (reinterpret_cast<std::uintptr_t>(from) % kBytes != 0) __builtin_trap();
  std::memcpy(words, from, kBytes);
#endif
}

HOTPACK_HOST_DEVICE inline std::uint32_t load_byte(const std::uint8_t* from) {
#if defined(__CUDA_ARCH__)
  return __ldg(from);
#else
  return *from;
#endif
}

// 16 bytes of output, ready to be stored.
struct Vector {
  std::uint32_t word[4];
};

// Stores 16 bytes with one instruction. It is written in assembly language, because the compiler
// may split an ordinary store of four words.
HOTPACK_HOST_DEVICE inline void store_vector(void* to, const Vector& vector) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "r"(vector.word[0]), "r"(vector.word[1]), "r"(vector.word[2]), "r"(vector.word[3]));
#else
  if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0) __builtin_trap();
  std::memcpy(to, vector.word, 16);
#endif
}

// A string of bytes in words. The first byte is the lowest of its word.
template <int kCount>
struct Bytes {
  static_assert(kCount % 4 == 0);
  std::uint32_t word[std::size_t{kCount} / 4] = {};
};

// Removes the first four bytes and appends the four of `word`.
template <int kCount>
HOTPACK_HOST_DEVICE void append_word(Bytes<kCount>& bytes, std::uint32_t word) {
  HOTPACK_UNROLL
  for (int i = 0; i + 1 < kCount / 4; ++i) bytes.word[i] = bytes.word[i + 1];
  bytes.word[kCount / 4 - 1] = word;
}

// Removes the first three bytes and appends the three of `pixel`.
template <int kCount>
HOTPACK_HOST_DEVICE void append_pixel(Bytes<kCount>& bytes, std::uint32_t pixel) {
  HOTPACK_UNROLL
  for (int i = 0; i + 1 < kCount / 4; ++i)
    bytes.word[i] = shifted(bytes.word[i], bytes.word[i + 1], 24);
  bytes.word[kCount / 4 - 1] = bytes.word[kCount / 4 - 1] >> 24 | pixel << 8;
}

// kBytes bytes in whole words. The bytes after the last one have any value.
template <int kBytes>
using Padded = Bytes<(kBytes + 3) / 4 * 4>;

// The largest power of two (≤ 16) that divides kBytes.
template <int kBytes>
inline constexpr int kAlignment = kBytes % 16 == 0  ? 16
                                  : kBytes % 8 == 0 ? 8
                                  : kBytes % 4 == 0 ? 4
                                  : kBytes % 2 == 0 ? 2
                                                    : 1;

// Aligned pieces of memory, of kPiece (4, 8 or 16) bytes each, that contain kBytes wanted bytes.
// The first wanted byte is at `offset` in the pieces.
template <int kBytes, int kPiece>
struct Pieces {
  static constexpr int kCount = (kBytes + 2 * kPiece - 2) / kPiece, kWords = kCount * kPiece / 4;
  std::uint32_t word[std::size_t{kWords} + 1] = {};
  std::uint32_t offset = 0;
};

// Loads kBytes bytes from any address. Reads only the aligned pieces that contain these bytes; all
// pieces are in the block of the record (kBlockAlignment). Larger pieces need fewer loads. This
// matters if the bytes of neighboring threads are far apart: then each load touches many cache
// lines.
template <int kBytes, int kPiece>
HOTPACK_HOST_DEVICE Pieces<kBytes, kPiece> load_pieces(const std::uint8_t* from) {
  Pieces<kBytes, kPiece> pieces;
  pieces.offset = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) % kPiece);
  const std::uint8_t* const first = from - pieces.offset;
  HOTPACK_UNROLL
  for (int i = 0; i < pieces.kCount; ++i) {
    if (static_cast<std::uint32_t>(kPiece * i) < kBytes + pieces.offset)
      load_words<kPiece>(first + kPiece * i, pieces.word + kPiece / 4 * i);
  }
  return pieces;
}

template <int kSkipped, std::size_t kWords>
HOTPACK_HOST_DEVICE void skip_words(std::uint32_t (&word)[kWords], bool skip) {
  HOTPACK_UNROLL
  for (std::size_t i = 0; i + kSkipped < kWords; ++i) word[i] = skip ? word[i + kSkipped] : word[i];
}

// Returns the wanted bytes of the pieces.
template <int kBytes, int kPiece>
HOTPACK_HOST_DEVICE Padded<kBytes> joined(Pieces<kBytes, kPiece> pieces) {
  if constexpr (kPiece == 16) skip_words<2>(pieces.word, (pieces.offset & 8) != 0);
  if constexpr (kPiece >= 8) skip_words<1>(pieces.word, (pieces.offset & 4) != 0);
  Padded<kBytes> bytes;
  HOTPACK_UNROLL
  for (int i = 0; 4 * i < kBytes; ++i)
    bytes.word[i] = shifted(pieces.word[i], pieces.word[i + 1], 8 * (pieces.offset % 4));
  return bytes;
}

template <int kBytes>
HOTPACK_HOST_DEVICE Padded<kBytes> load_anywhere(const std::uint8_t* from) {
  return joined(load_pieces<kBytes, 4>(from));
}

// Returns a word in which all bits of the first `count` bytes are 1. With a negative count, the
// word is 0; with more than 4, all bits are 1.
HOTPACK_HOST_DEVICE inline std::uint32_t first_bytes(std::int32_t count) {
  const std::int32_t set = count < 0 ? 0 : count > 4 ? 4 : count;
  return shifted(~std::uint32_t{0}, 0, 32 - 8 * static_cast<std::uint32_t>(set));
}

// Loads the bytes begin … end - 1 of a string into `bytes`; byte 0 of the string would be at
// `from`. Reads only the aligned words that contain these bytes. begin ≥ 0; `end` may have any
// value. Precondition: these bytes of `bytes` are zeros.
template <int kBytes>
HOTPACK_HOST_DEVICE void add_some(Padded<kBytes>& bytes, const std::uint8_t* from,
                                  std::int32_t begin, std::int32_t end) {
  Pieces<kBytes, 4> pieces;
  pieces.offset = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const std::uint8_t* const first = from - pieces.offset;
  const auto offset = static_cast<std::int32_t>(pieces.offset);
  const std::int32_t before = begin + offset, behind = end > begin ? end + offset : 0;
  HOTPACK_UNROLL
  for (int i = 0; i < pieces.kCount; ++i) {
    if (4 * i < behind && 4 * i + 4 > before) load_words<4>(first + 4 * i, pieces.word + i);
  }
  const Padded<kBytes> all = joined(pieces);
  HOTPACK_UNROLL
  for (int i = 0; 4 * i < kBytes; ++i)
    bytes.word[i] |= all.word[i] & first_bytes(end - 4 * i) & ~first_bytes(begin - 4 * i);
}

// Loads kCount bytes. Precondition: the address is a multiple of kAlignment<kCount>.
template <int kCount>
HOTPACK_HOST_DEVICE Bytes<kCount> load_aligned(const std::uint8_t* from) {
  constexpr int kStep = kAlignment<kCount>;
  Bytes<kCount> bytes;
  HOTPACK_UNROLL
  for (int i = 0; i < kCount / kStep; ++i)
    load_words<kStep>(from + kStep * i, bytes.word + kStep / 4 * i);
  return bytes;
}

HOTPACK_HOST_DEVICE constexpr int smaller(int a, int b) { return a < b ? a : b; }

HOTPACK_HOST_DEVICE constexpr std::uint32_t selector_of(int a, int b, int c, int d) {
  return static_cast<std::uint32_t>(a | b << 4 | c << 8 | d << 12);
}

// A word is selected from the 12 bytes of three words in two steps. These functions return what
// each step selects: the first step takes bytes 0 … 7; the second takes bytes from 8 on and keeps
// those of the first step (`stays` is their place).
HOTPACK_HOST_DEVICE constexpr int chosen_first(int byte) { return byte < 8 ? byte : 0; }
HOTPACK_HOST_DEVICE constexpr int chosen_then(int byte, int stays) {
  return byte < 8 ? stays : byte - 4;
}

// The word of bytes a, b, c and d of a string. All of them lie in at most three consecutive words.
template <int kCount>
HOTPACK_HOST_DEVICE std::uint32_t word_of(const Bytes<kCount>& in, int a, int b, int c, int d) {
  const int word = smaller(smaller(a, b), smaller(c, d)) / 4;
  a -= 4 * word, b -= 4 * word, c -= 4 * word, d -= 4 * word;
  const std::uint32_t second = word + 1 < kCount / 4 ? in.word[word + 1] : 0;
  const std::uint32_t two =
      choose_bytes(in.word[word], second,
                   selector_of(chosen_first(a), chosen_first(b), chosen_first(c), chosen_first(d)));
  if (a < 8 && b < 8 && c < 8 && d < 8) return two;
  return choose_bytes(
      two, in.word[word + 2],
      selector_of(chosen_then(a, 0), chosen_then(b, 1), chosen_then(c, 2), chosen_then(d, 3)));
}

// The word of the four bytes kFirst + 4 i · kStep, kFirst + (4 i + 1) · kStep, … of a string.
template <int kFirst, int kStep, int kCount>
HOTPACK_HOST_DEVICE std::uint32_t gathered_word(const Bytes<kCount>& in, int i) {
  const int first = kFirst + 4 * i * kStep;
  return kStep == 1 ? in.word[i]
                    : word_of(in, first, first + kStep, first + 2 * kStep, first + 3 * kStep);
}

// The order of kPixels pixels is reversed. Returns the index of the byte that moves to index `at`;
// 0 for bytes after the last pixel.
template <int kPixels, int kPixelBytes>
HOTPACK_HOST_DEVICE constexpr int mirrored_place(int at) {
  return at < kPixels * kPixelBytes
             ? (kPixels - 1 - at / kPixelBytes) * kPixelBytes + at % kPixelBytes
             : 0;
}

// Reverses the order of the pixels. The bytes of each pixel keep their order.
template <int kPixels, int kPixelBytes>
HOTPACK_HOST_DEVICE Padded<kPixels * kPixelBytes> mirrored(
    const Padded<kPixels * kPixelBytes>& in) {
  constexpr auto place = mirrored_place<kPixels, kPixelBytes>;
  Padded<kPixels * kPixelBytes> out;
  HOTPACK_UNROLL
  for (int i = 0; 4 * i < kPixels * kPixelBytes; ++i) {
    out.word[i] = word_of(in, place(4 * i), place(4 * i + 1), place(4 * i + 2), place(4 * i + 3));
  }
  return out;
}

// Interleaves the bytes of three channels.
template <int kPixels>
HOTPACK_HOST_DEVICE Padded<3 * kPixels> woven(const Padded<kPixels> (&channels)[3]) {
  Padded<3 * kPixels> out;
  HOTPACK_UNROLL
  for (int i = 0; 4 * i < 3 * kPixels; ++i) {
    const int from = i / 3;  // three words of one of each channel
    const std::uint32_t a = channels[0].word[from], b = channels[1].word[from],
                        c = channels[2].word[from];
    out.word[i] = i % 3 == 0   ? choose_bytes(choose_bytes(a, b, 0x1040), c, 0x3410)
                  : i % 3 == 1 ? choose_bytes(choose_bytes(a, b, 0x6205), c, 0x3250)
                               : choose_bytes(choose_bytes(a, b, 0x0730), c, 0x7216);
  }
  return out;
}

// Returns the string without its first `unwanted` (≤ 3) bytes.
template <int kWanted, int kCount>
HOTPACK_HOST_DEVICE Bytes<kWanted> without_first(const Bytes<kCount>& in, std::uint32_t unwanted) {
  Bytes<kWanted> out;
  HOTPACK_UNROLL
  for (int i = 0; i < kWanted / 4; ++i)
    out.word[i] = shifted(in.word[i], 4 * i + 4 < kCount ? in.word[i + 1] : 0, 8 * unwanted);
  return out;
}

// float(byte `index` of `word`), exactly: the last bits of 2^23 + byte are the byte.
HOTPACK_HOST_DEVICE inline float single_of_byte(std::uint32_t word, std::uint32_t index) {
  return single_of(choose_bytes(word, 0x4B000000, 0x7440 | index)) - 8388608.0f;
}

// The numbers for conversion of one channel.
struct Channel {
  float mean;
  float std;
  float reciprocal;
  std::uint32_t table;  // its first element of ImageArgs::values
};

// The channels of a vector's elements: element i has channel of[i % 3].
struct Channels {
  Channel of[3];
};

template <class T>
HOTPACK_HOST_DEVICE T pick(std::uint32_t which, T first, T second, T third) {
  return which == 0 ? first : which == 1 ? second : third;
}

HOTPACK_HOST_DEVICE inline Channel pick_channel(std::uint32_t c, const ImageArgs& args) {
  return {pick(c, args.mean[0], args.mean[1], args.mean[2]),
          pick(c, args.std[0], args.std[1], args.std[2]),
          pick(c, args.reciprocal[0], args.reciprocal[1], args.reciprocal[2]), 256 * c};
}

HOTPACK_HOST_DEVICE inline Channels one_channel(const ImageArgs& args, std::uint32_t c) {
  const Channel channel = pick_channel(c, args);
  return {{channel, channel, channel}};
}

HOTPACK_HOST_DEVICE inline std::uint32_t next_channel(std::uint32_t c) {
  return c == 2 ? 0 : c + 1;
}

// The three channels in turn, beginning with `first`.
HOTPACK_HOST_DEVICE inline Channels channels_from(const ImageArgs& args, std::uint32_t first) {
  const std::uint32_t second = next_channel(first);
  return {{pick_channel(first, args), pick_channel(second, args),
           pick_channel(next_channel(second), args)}};
}

// a / b, computed as expand::ValueMap::Arithmetic does.
HOTPACK_HOST_DEVICE inline float corrected_quotient(float a, float b, float reciprocal) {
  const float quotient = a * reciprocal;
  const float rest = std::fma(-quotient, b, a);
  return std::fma(rest, reciprocal, quotient);
}

HOTPACK_HOST_DEVICE inline float normalized(float value, const Channel& channel) {
  const float centered = corrected_quotient(value, 255.0f, 1.0f / 255.0f) - channel.mean;
  return corrected_quotient(centered, channel.std, channel.reciprocal);
}

// The types of output elements. The table ImageArgs::values has elements of type Bits. For float
// types, `bits` converts a single-precision number, and `pair` converts two, the first to the lower
// half of a word.

struct AsU8 {
  using Bits = std::uint8_t;
  static constexpr bool kFloat = false;
};

struct AsF32 {
  using Bits = std::uint32_t;
  static constexpr bool kFloat = true;
  HOTPACK_HOST_DEVICE static Bits bits(float value) { return bits_of(value); }
};

struct AsF16 {
  using Bits = std::uint16_t;
  static constexpr bool kFloat = true;
  HOTPACK_HOST_DEVICE static Bits bits(float value) {
#if defined(__CUDA_ARCH__)
    Bits half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
#else
    return expand::half_bits(value);
#endif
  }
  HOTPACK_HOST_DEVICE static std::uint32_t pair(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint32_t both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
#else
    return std::uint32_t{bits(second)} << 16 | bits(first);
#endif
  }
};

struct AsBf16 {
  using Bits = std::uint16_t;
  static constexpr bool kFloat = true;
  // Precondition: `value` is not a NaN.
  HOTPACK_HOST_DEVICE static Bits bits(float value) {
    const std::uint32_t whole = bits_of(value);
    return static_cast<Bits>((whole + 0x7FFF + (whole >> 16 & 1)) >> 16);
  }
  HOTPACK_HOST_DEVICE static std::uint32_t pair(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
#else
    return std::uint32_t{bits(second)} << 16 | bits(first);
#endif
  }
};

// The number of elements in a vector.
template <class Element>
inline constexpr int kVector = 16 / static_cast<int>(sizeof(typename Element::Bits));

// Sets element i of a vector. Precondition: the element is zero.
template <class Bits>
HOTPACK_HOST_DEVICE void put(Vector& out, int i, Bits bits) {
  constexpr int kPerWord = 4 / static_cast<int>(sizeof(Bits));
  out.word[i / kPerWord] |= std::uint32_t{bits}
                            << (8 * static_cast<int>(sizeof(Bits)) * (i % kPerWord));
}

template <class Element>
HOTPACK_HOST_DEVICE typename Element::Bits looked_up(const ImageArgs& args, std::uint32_t table,
                                                     std::uint32_t byte) {
#if defined(__CUDA_ARCH__)
  return __ldg(static_cast<const typename Element::Bits*>(args.values) + table + byte);
#else
  return static_cast<const typename Element::Bits*>(args.values)[table + byte];
#endif
}

// Converts the bytes kFirst, kFirst + kStep, … of a string to a vector of elements. Element i has
// the channel i mod 3 of `channels`.
template <class Element, int kFirst, int kStep, int kCount>
HOTPACK_HOST_DEVICE Vector converted(const ImageArgs& args, const Bytes<kCount>& in,
                                     const Channels& channels) {
  constexpr int kElements = kVector<Element>;
  Vector out = {};
  if constexpr (!Element::kFloat) {
    HOTPACK_UNROLL
    for (int i = 0; i < 4; ++i) out.word[i] = gathered_word<kFirst, kStep>(in, i);
  } else if (args.arithmetic != 0) {
    float singles[std::size_t{kElements}];
    HOTPACK_UNROLL
    for (int i = 0; i < kElements; ++i) {
      const int at = kFirst + i * kStep;
      singles[i] = normalized(single_of_byte(in.word[at / 4], static_cast<std::uint32_t>(at % 4)),
                              channels.of[i % 3]);
    }
    HOTPACK_UNROLL
    for (int i = 0; i < 4; ++i) {
      if constexpr (sizeof(typename Element::Bits) == 4) {
        out.word[i] = Element::bits(singles[i]);
      } else {
        out.word[i] = Element::pair(singles[2 * i], singles[2 * i + 1]);
      }
    }
  } else {
    HOTPACK_UNROLL
    for (int i = 0; i < kElements; ++i) {
      const int at = kFirst + i * kStep;
      put(out, i,
          looked_up<Element>(args, channels.of[i % 3].table,
                             in.word[at / 4] >> 8 * (at % 4) & 0xFF));
    }
  }
  return out;
}

// Converts one byte of channel c.
template <class Element>
HOTPACK_HOST_DEVICE typename Element::Bits converted_byte(const ImageArgs& args, std::uint32_t byte,
                                                          std::uint32_t c) {
  if constexpr (!Element::kFloat) {
    return static_cast<std::uint8_t>(byte);
  } else {
    if (args.arithmetic == 0) return looked_up<Element>(args, 256 * c, byte);
    return Element::bits(normalized(single_of_byte(byte, 0), pick_channel(c, args)));
  }
}

}  // namespace hotpack::device::image
