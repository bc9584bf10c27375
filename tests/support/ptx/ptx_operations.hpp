// What instructions of PTX do that no operator of C++ does, and the table of a translated file.
// Included by what ptx_to_cpp.py writes.
//
// Semantics: "PTX ISA", section 9.7. Pure functions, but those that read or write memory; which
// address that may be, the host's own protection tells. What a device would trap on ends the
// process with the kernel and the line of its PTX.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "support/ptx/ptx_kernels.hpp"

namespace hotpack::test::ptx {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S8 = std::int8_t;
using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using F32 = float;
using F64 = double;
using device::ThreadPlace;

// ---- Memory

// Where an instruction comes from.
struct Origin {
  const char* kernel;
  const char* file;
};

[[noreturn, gnu::cold]] void misaligned(const Origin& origin, int line, U64 address,
                                        unsigned bytes);
[[noreturn, gnu::cold]] void outside_parameters(const Origin& origin, int line, S64 offset,
                                                unsigned bytes);
[[noreturn, gnu::cold]] void trapped(const Origin& origin, int line);

inline unsigned char* memory(U64 address) { return reinterpret_cast<unsigned char*>(address); }

// Memory of one access: a device traps where its address is no multiple of its size, all elements
// of a vector together.
template <unsigned kBytes>
unsigned char* aligned(U64 address, const Origin& origin, int line) {
  if (address % kBytes != 0) [[unlikely]]
    misaligned(origin, line, address, kBytes);
  return memory(address);
}

// The same among a kernel's parameters, kAll bytes, whose beginning is aligned enough for all.
template <unsigned kBytes, unsigned kAll>
unsigned char* parameter(U64 parameters, U64 address, const Origin& origin, int line) {
  const U64 offset = address - parameters;
  if (offset > kAll || kAll - offset < kBytes) [[unlikely]]
    outside_parameters(origin, line, static_cast<S64>(offset), kBytes);
  if (offset % kBytes != 0) [[unlikely]]
    misaligned(origin, line, address, kBytes);
  return memory(address);
}

template <class T>
T loaded(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(unsigned char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// ---- Numbers and their bits

inline F32 float_of(U32 bits) { return std::bit_cast<F32>(bits); }
inline F64 float_of(U64 bits) { return std::bit_cast<F64>(bits); }
inline F64 float_of(unsigned long long bits) { return std::bit_cast<F64>(static_cast<U64>(bits)); }
inline U32 bits_of(F32 value) { return std::bit_cast<U32>(value); }
inline U64 bits_of(F64 value) { return std::bit_cast<U64>(value); }

// Round to nearest even. Overflow is infinity, a NaN 0x7FFF.
inline U16 half_of(F32 value) {
  const U32 bits = bits_of(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7FFFFFFF;
  if (rest > 0x7F800000) return 0x7FFF;
  if (rest >= 0x47800000) return static_cast<U16>(sign | 0x7C00);  // 65536 and more
  // Halves below 2^-14 are multiples of 2^-24; the others lose 13 bits.
  if (rest < 0x38800000) {
    const F32 steps = float_of(rest) * 0x1p24F;  // exact, below 1024
    return static_cast<U16>(sign | static_cast<U32>(std::nearbyint(steps)));
  }
  const U32 cut = rest - 0x38000000, half = cut >> 13, lost = cut & 0x1FFF;
  return static_cast<U16>(sign |
                          (half + (lost > 0x1000 || (lost == 0x1000 && half % 2 == 1) ? 1 : 0)));
}

inline U16 bfloat16_of(F32 value) {
  const U32 bits = bits_of(value), upper = bits >> 16, lost = bits & 0xFFFF;
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FFF;
  return static_cast<U16>(upper + (lost > 0x8000 || (lost == 0x8000 && upper % 2 == 1) ? 1 : 0));
}

// A float without a fraction as a whole number: what does not fit is the nearest that does, a NaN
// is 0.
template <class Whole, class Float>
Whole fitted(Float value) {
  constexpr Whole kLowest = std::numeric_limits<Whole>::min(),
                  kHighest = std::numeric_limits<Whole>::max();
  if (value != value) return 0;
  if (value <= static_cast<Float>(kLowest)) return kLowest;
  if (value >= static_cast<Float>(kHighest)) return kHighest;
  return static_cast<Whole>(value);
}

// The host's rounding mode is the usual one: to nearest even.
template <class Float>
Float nearest_whole(Float value) {
  return std::nearbyint(value);
}
template <class Float>
Float whole_towards_zero(Float value) {
  return std::trunc(value);
}
template <class Float>
Float whole_below(Float value) {
  return std::floor(value);
}
template <class Float>
Float whole_above(Float value) {
  return std::ceil(value);
}
template <class Whole, class Float>
Whole nearest(Float value) {
  return fitted<Whole>(std::nearbyint(value));
}
template <class Whole, class Float>
Whole towards_zero(Float value) {
  return fitted<Whole>(std::trunc(value));
}
template <class Whole, class Float>
Whole downwards(Float value) {
  return fitted<Whole>(std::floor(value));
}
template <class Whole, class Float>
Whole upwards(Float value) {
  return fitted<Whole>(std::ceil(value));
}

// Between whole numbers: the nearest that fits.
template <class To, class From>
To saturated(From value) {
  if (std::in_range<To>(value)) return static_cast<To>(value);
  return value < From{0} ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max();
}

// ---- Arithmetic

template <class T>
T negated(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return -value;
  } else {
    return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(value));
  }
}

template <class T>
T magnitude(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(value);
  } else {
    return value < 0 ? negated(value) : value;
  }
}

template <class T>
bool unordered(T a, T b) {
  return a != a || b != b;
}

// Of a number and a NaN: the number; −0 is below +0.
template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

template <class T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <class T>
T fused(T a, T b, T c) {
  return std::fma(a, b, c);
}

inline U32 high_product(U32 a, U32 b) { return static_cast<U32>(U64{a} * b >> 32); }
inline S32 high_product(S32 a, S32 b) { return static_cast<S32>(S64{a} * b >> 32); }
inline U64 high_product(U64 a, U64 b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<U64>(static_cast<Wide>(a) * b >> 64);
}
inline S64 high_product(S64 a, S64 b) {
  __extension__ using Wide = __int128;
  return static_cast<S64>(static_cast<Wide>(a) * b >> 64);
}

// By zero: any value, says PTX; all ones as devices do. The lowest number by −1 wraps around.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return negated(a);
  }
  return static_cast<T>(a / b);
}

template <class T>
T remainder_of(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// Four products of bytes and c.
template <class A, class B>
U32 dot_product(U32 a, U32 b, U32 c) {
  for (int i = 0; i < 32; i += 8)
    c += static_cast<U32>(static_cast<A>(a >> i) * static_cast<B>(b >> i));
  return c;
}

// ---- Bits

template <class T>
T shifted_left(T value, U32 amount) {
  return amount < 8 * sizeof(T) ? static_cast<T>(value << amount) : T{0};
}

template <class T>
T shifted_right(T value, U32 amount) {
  if (amount < 8 * sizeof(T)) return static_cast<T>(value >> amount);
  return static_cast<T>(value < T{0} ? -1 : 0);
}

inline U32 clamped(U32 amount) { return amount < 32 ? amount : 32; }

// 64 bits shifted by 0 … 32; to the left: the upper half.
inline U32 funnel_right(U32 low, U32 high, U32 amount) {
  return static_cast<U32>((U64{high} << 32 | low) >> amount);
}
inline U32 funnel_left(U32 low, U32 high, U32 amount) {
  return static_cast<U32>((U64{high} << 32 | low) << amount >> 32);
}

// prmt: bits 0 … 2 of a nibble choose one of eight bytes, bit 3 says that its sign fills the byte.
inline U32 permuted(U32 a, U32 b, U32 selector) {
  const U64 bytes = U64{b} << 32 | a;
  U32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const U32 nibble = selector >> 4 * i & 0xF,
              byte = static_cast<U32>(bytes >> 8 * (nibble & 7)) & 0xFF;
    result |= (nibble < 8 ? byte : (byte & 0x80) != 0 ? 0xFF : 0) << 8 * i;
  }
  return result;
}

// bfe: position and count by their lowest byte; what is asked for beyond the highest bit is the
// sign, or 0.
template <class T>
T extracted(T value, U32 position, U32 count) {
  constexpr U32 kWidth = 8 * sizeof(T);
  position &= 0xFF, count &= 0xFF;
  if (count == 0) return 0;
  const U32 last = position + count - 1 < kWidth - 1 ? position + count - 1 : kWidth - 1;
  const bool sign = std::is_signed_v<T> &&
                    (shifted_right(static_cast<std::make_unsigned_t<T>>(value), last) & 1) != 0;
  U64 result = 0;
  for (U32 i = 0; i < kWidth; ++i) {
    const bool bit = i < count && position + i < kWidth
                         ? (static_cast<U64>(value) >> (position + i) & 1) != 0
                         : sign;
    result |= U64{bit} << i;
  }
  return static_cast<T>(result);
}

template <class T>
T inserted(T bits, T into, U32 position, U32 count) {
  constexpr U32 kWidth = 8 * sizeof(T);
  position &= 0xFF, count &= 0xFF;
  const T ones = count >= kWidth ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
  const T mask = shifted_left(ones, position);
  return static_cast<T>((into & ~mask) | (shifted_left(bits, position) & mask));
}

// bfind: no bit is set: all ones.
template <class T>
U32 highest_bit(T value) {
  return value == 0 ? ~U32{0} : static_cast<U32>(std::bit_width(value) - 1);
}
template <class T>
U32 left_to_highest_bit(T value) {
  return value == 0 ? ~U32{0} : static_cast<U32>(std::countl_zero(value));
}

inline U32 reversed_bits(U32 value) {
  value = (value & 0x55555555) << 1 | (value >> 1 & 0x55555555);
  value = (value & 0x33333333) << 2 | (value >> 2 & 0x33333333);
  value = (value & 0x0F0F0F0F) << 4 | (value >> 4 & 0x0F0F0F0F);
  return __builtin_bswap32(value);
}
inline U64 reversed_bits(U64 value) {
  return U64{reversed_bits(static_cast<U32>(value))} << 32 |
         reversed_bits(static_cast<U32>(value >> 32));
}

// Bit i of kTable is the result for the bits i = 4a + 2b + c.
template <int kTable>
U32 logic_of_three(U32 a, U32 b, U32 c) {
  U32 result = 0;
  for (int i = 0; i < 8; ++i) {
    if ((kTable >> i & 1) != 0)
      result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  }
  return result;
}

// ---- Launches

// Every thread of a launch, the last one first: threads of a device have no order, so none may need
// another.
template <void (*kThread)(U64 parameters, const ThreadPlace& place)>
void launch(const void* args, const LaunchSize& size) {
  const U64 parameters = reinterpret_cast<U64>(args);
  ThreadPlace place{0, size.block_threads, 0, 0, size.grid_x, size.grid_y};
  for (place.block_y = size.grid_y; place.block_y-- > 0;) {
    for (place.block_x = size.grid_x; place.block_x-- > 0;) {
      for (place.thread = size.block_threads; place.thread-- > 0;) kThread(parameters, place);
    }
  }
}

}  // namespace hotpack::test::ptx
