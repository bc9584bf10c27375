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

}  // namespace hotpack::labels
