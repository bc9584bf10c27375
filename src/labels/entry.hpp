// What one raw value of a label becomes: the id in the low 16 bits, flags above. Inside this room only.
#pragma once

#include <cstdint>

namespace hotpack::labels {

// The flags of all pixels of a label are gathered by `or`.
using Entry = std::uint32_t;
inline constexpr Entry kUnknown = 0x10000;
inline constexpr Entry kBeyondPalette = kUnknown << 1;
inline constexpr Entry kChannelsDiffer = kUnknown << 2;
inline constexpr Entry kNearest = kUnknown << 3;  // of no class, but near enough to one
inline constexpr Entry kLit = kUnknown << 4;      // of binary labels: reaches the threshold
inline constexpr Entry kDim = kUnknown << 5;      // does not, and is not black

}  // namespace hotpack::labels
