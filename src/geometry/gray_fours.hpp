// Collects the source pixels of each output of a gray row in groups of four, side by side, for
// vector code. Only src/geometry uses this; a pure function, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hotpack::geometry {

// The source pixels of output i begin at in + starts[i]. Fills `fours` with pixels 0 to 3 of all
// outputs, then with pixels 4 to 7 of all outputs, and so on, until each output has at least `taps`
// pixels. Each element of `fours` has four pixels, the first in the lowest byte.
inline void collect_fours(const std::vector<std::int32_t>& starts, std::size_t taps,
                          const std::uint8_t* in, std::uint32_t* fours) {
  for (std::size_t tap = 0; tap < taps; tap += 4) {
    for (const std::int32_t start : starts) {
      const std::uint8_t* at = in + start + tap;
      *fours++ = at[0] | std::uint32_t{at[1]} << 8 | std::uint32_t{at[2]} << 16 |
                 std::uint32_t{at[3]} << 24;
    }
  }
}

}  // namespace hotpack::geometry
