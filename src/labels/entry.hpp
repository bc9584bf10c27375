// The result for one raw label value: the id in the low 16 bits, flags above. Only src/labels uses
// this.
#pragma once

#include <cstdint>

namespace hotpack::labels {

// All flags of a label's pixels are combined with `or`.
using Entry = std::uint32_t;
inline constexpr Entry kUnknown = 0x10000;
inline constexpr Entry kBeyondPalette = kUnknown << 1;
inline constexpr Entry kChannelsDiffer = kUnknown << 2;
inline constexpr Entry kNearest = kUnknown << 3;  // no class, but close enough to one
inline constexpr Entry kLit = kUnknown << 4;      // binary labels: reaches the threshold
inline constexpr Entry kDim = kUnknown << 5;  // binary labels: below the threshold, but not black
// binary labels of 16 bits without a threshold: neither black nor white
inline constexpr Entry kMiddle = kUnknown << 6;

}  // namespace hotpack::labels
