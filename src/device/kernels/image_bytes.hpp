// Image bytes in registers: loads of 1 to 16 bytes at a time, the elements that bytes become, and stores of 16 bytes.
//
// For host and device. Nothing here takes an address of a register: all indices are known once loops are unrolled.
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

// Where threads of different builds differ: each function has a device's instruction and the same in plain C++.

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

// Four bytes out of eight: nibble i of `selector` says which one (0 … 3 of `low`, 4 … 7 of `high`) becomes byte i.
HOTPACK_HOST_DEVICE inline std::uint32_t choose_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  std::uint32_t chosen = 0;
  for (int i = 0; i < 4; ++i) chosen |= static_cast<std::uint32_t>(both >> 8 * (selector >> 4 * i & 7) & 0xFF) << 8 * i;
  return chosen;
#endif
}

// The low half of (high, low) >> bits. bits ≤ 32.
HOTPACK_HOST_DEVICE inline std::uint32_t shifted(std::uint32_t low, std::uint32_t high, std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_rc(low, high, bits);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> bits);
#endif
}

// kBytes of 4, 8 or 16 into words. On a device a misaligned address is a fault: here too.
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

// 16 bytes on their way to memory.
struct Vector {
  std::uint32_t word[4];
};

// One store of 16 bytes, written out: the compiler takes one of four words apart where it pleases.
HOTPACK_HOST_DEVICE inline void store_vector(void* to, const Vector& vector) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(vector.word[0]), "r"(vector.word[1]),
               "r"(vector.word[2]), "r"(vector.word[3]));
#else
  if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0) __builtin_trap();
  std::memcpy(to, vector.word, 16);
#endif
}

// A string of bytes in words, the first one lowest.
template <int kCount>
struct Bytes {
  static_assert(kCount % 4 == 0);
  std::uint32_t word[std::size_t{kCount} / 4] = {};
};

// Takes the first four bytes out and puts four behind the last.
template <int kCount>
HOTPACK_HOST_DEVICE void append_word(Bytes<kCount>& bytes, std::uint32_t word) {
  HOTPACK_UNROLL
  for (int i = 0; i + 1 < kCount / 4; ++i) bytes.word[i] = bytes.word[i + 1];
  bytes.word[kCount / 4 - 1] = word;
}

// Likewise the three of a pixel.
template <int kCount>
HOTPACK_HOST_DEVICE void append_pixel(Bytes<kCount>& bytes, std::uint32_t pixel) {
  HOTPACK_UNROLL
  for (int i = 0; i + 1 < kCount / 4; ++i) bytes.word[i] = shifted(bytes.word[i], bytes.word[i + 1], 24);
  bytes.word[kCount / 4 - 1] = bytes.word[kCount / 4 - 1] >> 24 | pixel << 8;
}

// Any address: the words that hold the bytes are read, so up to 3 bytes more at either end, of the same words. They belong to the record's
// block (kBlockAlignment).
template <int kCount>
HOTPACK_HOST_DEVICE Bytes<kCount> load_anywhere(const std::uint8_t* from) {
  const auto offset = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const std::uint8_t* const first = from - offset;
  Bytes<kCount> bytes;
  std::uint32_t low = 0;
  load_words<4>(first, &low);
  HOTPACK_UNROLL
  for (int i = 0; i < kCount / 4; ++i) {
    std::uint32_t high = low;
    if (i + 1 < kCount / 4 || offset != 0) load_words<4>(first + 4 * (i + 1), &high);
    bytes.word[i] = shifted(low, high, 8 * offset);
    low = high;
  }
  return bytes;
}

// An address that is a multiple of the largest power of two (≤ 16) in kCount.
template <int kCount>
HOTPACK_HOST_DEVICE Bytes<kCount> load_aligned(const std::uint8_t* from) {
  constexpr int kStep = kCount % 16 == 0 ? 16 : kCount % 8 == 0 ? 8 : 4;
  Bytes<kCount> bytes;
  HOTPACK_UNROLL
  for (int i = 0; i < kCount / kStep; ++i) load_words<kStep>(from + kStep * i, bytes.word + kStep / 4 * i);
  return bytes;
}

// float(byte `index` of `word`), exactly: 2^23 + byte has the byte as its last digits.
HOTPACK_HOST_DEVICE inline float single_of_byte(std::uint32_t word, std::uint32_t index) {
  return single_of(choose_bytes(word, 0x4B000000, 0x7440 | index)) - 8388608.0f;
}

// What conversion needs of one channel.
struct Channel {
  float mean;
  float std;
  float reciprocal;
  std::uint32_t table;  // its first element of ImageArgs::values
};

// Element i of a vector is of channel i mod 3 of these.
struct Channels {
  Channel of[3];
};

template <class T>
HOTPACK_HOST_DEVICE T pick(std::uint32_t which, T first, T second, T third) {
  return which == 0 ? first : which == 1 ? second : third;
}

HOTPACK_HOST_DEVICE inline Channel pick_channel(std::uint32_t c, const ImageArgs& args) {
  return {pick(c, args.mean[0], args.mean[1], args.mean[2]), pick(c, args.std[0], args.std[1], args.std[2]),
          pick(c, args.reciprocal[0], args.reciprocal[1], args.reciprocal[2]), 256 * c};
}

HOTPACK_HOST_DEVICE inline Channels one_channel(const ImageArgs& args, std::uint32_t c) {
  const Channel channel = pick_channel(c, args);
  return {{channel, channel, channel}};
}

HOTPACK_HOST_DEVICE inline std::uint32_t next_channel(std::uint32_t c) { return c == 2 ? 0 : c + 1; }

// Three channels in turn, `first` of them first.
HOTPACK_HOST_DEVICE inline Channels channels_from(const ImageArgs& args, std::uint32_t first) {
  const std::uint32_t second = next_channel(first);
  return {{pick_channel(first, args), pick_channel(second, args), pick_channel(next_channel(second), args)}};
}

// a / b as expand::ValueMap::Arithmetic makes it.
HOTPACK_HOST_DEVICE inline float corrected_quotient(float a, float b, float reciprocal) {
  const float quotient = a * reciprocal;
  const float rest = std::fma(-quotient, b, a);
  return std::fma(rest, reciprocal, quotient);
}

HOTPACK_HOST_DEVICE inline float normalised(float value, const Channel& channel) {
  const float centred = corrected_quotient(value, 255.0f, 1.0f / 255.0f) - channel.mean;
  return corrected_quotient(centred, channel.std, channel.reciprocal);
}

// The types of output elements. Table: what ImageArgs::values holds. Float types: `bits` of one single; `pair` of two, the first lowest.

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
  // Never given a NaN.
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

// Elements of a vector.
template <class Element>
inline constexpr int kVector = 16 / static_cast<int>(sizeof(typename Element::Bits));

// Byte kFirst + i · kStep of a string.
template <int kFirst, int kStep, int kCount>
HOTPACK_HOST_DEVICE std::uint32_t gathered_word(const Bytes<kCount>& in, int i) {
  if constexpr (kStep == 1) {
    return in.word[i];
  } else {
    const int a = kFirst + 4 * i * kStep, b = a + kStep, c = b + kStep, d = c + kStep;
    const std::uint32_t low = choose_bytes(in.word[a / 4], in.word[b / 4], static_cast<std::uint32_t>(a % 4 | (4 + b % 4) << 4));
    const std::uint32_t high = choose_bytes(in.word[c / 4], in.word[d / 4], static_cast<std::uint32_t>(c % 4 | (4 + d % 4) << 4));
    return choose_bytes(low, high, 0x5410);
  }
}

// Sets element i of a vector that was zero.
template <class Bits>
HOTPACK_HOST_DEVICE void put(Vector& out, int i, Bits bits) {
  constexpr int kPerWord = 4 / static_cast<int>(sizeof(Bits));
  out.word[i / kPerWord] |= std::uint32_t{bits} << (8 * static_cast<int>(sizeof(Bits)) * (i % kPerWord));
}

template <class Element>
HOTPACK_HOST_DEVICE typename Element::Bits looked_up(const ImageArgs& args, std::uint32_t table, std::uint32_t byte) {
#if defined(__CUDA_ARCH__)
  return __ldg(static_cast<const typename Element::Bits*>(args.values) + table + byte);
#else
  return static_cast<const typename Element::Bits*>(args.values)[table + byte];
#endif
}

// The vector of the bytes kFirst, kFirst + kStep, … of a string; element i is of channel i mod 3 of `channels`.
template <class Element, int kFirst, int kStep, int kCount>
HOTPACK_HOST_DEVICE Vector converted(const ImageArgs& args, const Bytes<kCount>& in, const Channels& channels) {
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
      singles[i] = normalised(single_of_byte(in.word[at / 4], static_cast<std::uint32_t>(at % 4)), channels.of[i % 3]);
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
      put(out, i, looked_up<Element>(args, channels.of[i % 3].table, in.word[at / 4] >> 8 * (at % 4) & 0xFF));
    }
  }
  return out;
}

// One element of channel c.
template <class Element>
HOTPACK_HOST_DEVICE typename Element::Bits converted_byte(const ImageArgs& args, std::uint32_t byte, std::uint32_t c) {
  if constexpr (!Element::kFloat) {
    return static_cast<std::uint8_t>(byte);
  } else {
    if (args.arithmetic == 0) return looked_up<Element>(args, 256 * c, byte);
    return Element::bits(normalised(single_of_byte(byte, 0), pick_channel(c, args)));
  }
}

}  // namespace hotpack::device::image
