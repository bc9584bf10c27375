// The results of converting each of the 256 values of an image byte to an element. They define what
// every kernel must produce.
//
// Made once, then read by any number of threads. Does not fail; the caller has checked mean and
// std.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hotpack/expand.hpp"

namespace hotpack::expand {

inline constexpr std::size_t kMaxPeriod = 3;

// Tables of the converted values, one per channel. In a run of bytes, byte i belongs to channel i
// mod period. The period is 1 for a plane of one channel, 3 for interleaved channels.
struct ValueMap {
  using Bytes = std::array<std::uint8_t, 256>;

  ElementType type = ElementType::f32;  // f32, f16, bf16
  std::size_t period = 1;
  alignas(64) std::array<std::array<float, 256>, kMaxPeriod> singles{};
  // the singles, rounded to 16 bits; for f16 and bf16 only
  alignas(64) std::array<std::array<std::uint16_t, 256>, kMaxPeriod> halves{};
  // The same as separate bytes, lowest byte first, for byte permutes.
  alignas(64) std::array<std::array<Bytes, 4>, kMaxPeriod> bytes{};

  // The same conversion by arithmetic, for vectors of single-precision numbers: q = x/255, t = q −
  // mean, y = t/std. Each division is a multiplication by the reciprocal, and one correction. Lane
  // i belongs to channel i mod period. `exact` is true if this arithmetic gives `singles` for all
  // 256 values, and if no result or intermediate value is so small (subnormal) that a processor
  // mode could flush it to zero.
  struct Arithmetic {
    static constexpr std::size_t kLanes = 32;
    alignas(64) std::array<float, kLanes> mean{};
    alignas(64) std::array<float, kLanes> std{};
    alignas(64) std::array<float, kLanes> reciprocal{};  // 1 / std
    bool exact = false;
  } arithmetic;
};

// 1 / 255, rounded.
inline constexpr float kReciprocal255 = 1.0f / 255.0f;

// Makes the tables for elements of `type`: f32, f16 or bf16. `mean` and `std` have one value per
// channel: 1 or 3. Requires the default floating-point mode (default_floats.hpp).
[[nodiscard]] ValueMap make_value_map(ElementType type, const std::vector<float>& mean,
                                      const std::vector<float>& std);

}  // namespace hotpack::expand
