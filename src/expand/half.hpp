// Converts single precision to the 16-bit formats, rounded to nearest even. Uses integer
// arithmetic, so that the processor's floating-point mode does not matter.
//
// Pure functions; thread-safe. Values that are too large become infinite; NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace hotpack::expand {

// Returns value / 2^shift, rounded to nearest, ties to even. Precondition: 0 < shift < 32.
[[nodiscard]] constexpr std::uint32_t shift_to_even(std::uint32_t value, unsigned shift) {
  const std::uint32_t below_half = (std::uint32_t{1} << (shift - 1)) - 1;
  return (value + below_half + (value >> shift & 1)) >> shift;
}

// Returns the bits of an IEEE half.
[[nodiscard]] constexpr std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  constexpr std::uint32_t kInfinity = 0x7F800000, kSmallestNormal = 0x38800000,
                          kBeyondRange = 0x47800000;  // 2^-14, 2^16
  std::uint32_t half = 0;
  if (magnitude > kInfinity) {
    half = 0x7E00;
  } else if (magnitude >= kBeyondRange) {
    half = 0x7C00;
  } else if (magnitude >= kSmallestNormal) {
    // rounding may carry into the exponent, up to infinity, which is the right result
    half = shift_to_even(magnitude - (kSmallestNormal - (1u << 23)), 13);
  } else if (const std::uint32_t shift = 126 - (magnitude >> 23); shift <= 24) {
    // here in units of 2^-24; smaller values round to 0
    half = shift_to_even((magnitude & 0x7FFFFF) | 0x800000, shift);
  }
  return static_cast<std::uint16_t>(sign | half);
}

// Returns the bits of a bfloat16, which is the rounded upper half of a float.
[[nodiscard]] constexpr std::uint16_t bfloat16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>(shift_to_even(bits, 16));
}

}  // namespace hotpack::expand
