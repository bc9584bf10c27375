// Fast division of 64-bit numbers by a number that is known before the launch: a multiplication and
// a correction. Exact for every dividend.
//
// Pure functions for host and device. Precondition: the divisor is not 0.
#pragma once

#include <cstdint>

#include "device/kernels/portable.hpp"

namespace hotpack::device {

// Returns ⌊(2^64 − 1) / divisor⌋, which divide() needs. The host computes it before the launch. Its
// upper half is ⌊(2^32 − 1) / divisor⌋.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t reciprocal_of(std::uint32_t divisor) {
  return ~std::uint64_t{0} / divisor;
}

// The upper 64 bits of the product a · b.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t high_product(std::uint64_t a,
                                                                    std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
#endif
}

// Returns ⌊dividend / divisor⌋. The upper half of dividend · reciprocal is this quotient or one
// less, because it differs from the exact quotient by less than 1; a comparison then corrects it.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t divide(std::uint32_t dividend,
                                                              std::uint32_t divisor,
                                                              std::uint64_t reciprocal) {
  const auto guess = static_cast<std::uint32_t>((reciprocal >> 32) * dividend >> 32);
  return guess + (dividend - guess * divisor >= divisor ? 1U : 0U);
}

// As above. Small dividends, which are nearly all, are divided with 32-bit instructions here too.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t divide(std::uint64_t dividend,
                                                              std::uint32_t divisor,
                                                              std::uint64_t reciprocal) {
  if (dividend >> 32 == 0) return divide(static_cast<std::uint32_t>(dividend), divisor, reciprocal);
  const std::uint64_t guess = high_product(dividend, reciprocal);
  return guess + (dividend - guess * divisor >= divisor ? 1U : 0U);
}

}  // namespace hotpack::device
