// The conversion of each of the 256 values of an image byte. It defines the result that every
// kernel must give.
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

// The tables. Byte i of a run belongs to channel i mod period. The period is 1 for a plane of one
// channel, 3 for interleaved channels.
struct ValueMap {
  using Bytes = std::array<std::uint8_t, 256>;

  ElementType type = ElementType::f32;  // f32, f16, bf16
  std::size_t period = 1;
  alignas(64) std::array<std::array<float, 256>, kMaxPeriod> singles{};
  // the singles, rounded to 16 bits; for f16 and bf16 only
  alignas(64) std::array<std::array<std::uint16_t, 256>, kMaxPeriod> halves{};
  // The same as separate bytes, lowest byte first, for byte permutes.
  alignas(64) std::array<std::array<Bytes, 4>, kMaxPeriod> bytes{};

  // The same as arithmetic, for vectors of singles: q = x/255, t = q − mean, y = t/std. Each
  // division is a multiplication with the reciprocal, and one correction. Lane i belongs to channel
  // i mod period. `exact` means that the arithmetic gives `singles` for all values, and that no
  // result or intermediate value is so small that it could be flushed as subnormal.
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

// Makes the map. `mean` and `std` have one value per channel: 1 or 3. `type` is f32, f16 or bf16.
// Requires the default floating-point mode (default_floats.hpp).
[[nodiscard]] ValueMap make_value_map(ElementType type, const std::vector<float>& mean,
                                      const std::vector<float>& std);

}  // namespace hotpack::expand
