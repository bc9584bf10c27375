// Rounds to 16-bit floats by searching the nearest of all values: slow and certain.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace reference {

// The value of the bits of a finite, non-negative half.
inline double half_value(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10), mantissa = static_cast<int>(bits & 0x3FF);
  return exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
}

inline double bfloat16_value(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 7), mantissa = static_cast<int>(bits & 0x7F);
  return exponent == 0 ? std::ldexp(mantissa, -133) : std::ldexp(128 + mantissa, exponent - 134);
}

// The nearest of the values of bits 0 … `infinity`, where infinity counts as the next power of
// two; ties go to the even one.
template <class Value>
std::uint16_t nearest(float single, unsigned infinity, Value value_of) {
  const double magnitude = std::fabs(static_cast<double>(single));
  unsigned low = 0, high = infinity;  // value_of(low) <= magnitude, unless it is beyond infinity's
  if (magnitude >= value_of(infinity)) low = infinity;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (value_of(middle) <= magnitude ? low : high) = middle;
  }
  const double down = magnitude - value_of(low), up = value_of(high) - magnitude;
  const unsigned bits = low == high || down < up || (down == up && low % 2 == 0) ? low : high;
  return static_cast<std::uint16_t>(bits | (std::signbit(single) ? 0x8000u : 0u));
}

inline std::uint16_t half(float single) { return nearest(single, 0x7C00, half_value); }
inline std::uint16_t bfloat16(float single) { return nearest(single, 0x7F80, bfloat16_value); }

}  // namespace reference
