// Rows of an image of which some bytes beyond the end can be read, so that vector code can load
// whole vectors. Only src/geometry uses this.
//
// Rows near the end of the image are copied into a buffer with room behind them; behind every other
// row, further rows of the image follow. The bytes behind a row's end may be anything, and results
// must not depend on them. Owns the buffer; not thread-safe; throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/pixels.hpp"

namespace hotpack::geometry {

class PaddedRows {
 public:
  // So many bytes behind the end of a row can be read.
  static constexpr std::size_t kSlack = 64;

  // Row y of `source`. A row that was returned earlier may be overwritten.
  const std::uint8_t* row(const ConstPixels& source, int y) {
    const std::size_t rows_below = static_cast<std::size_t>(source.height - 1 - y);
    if (rows_below * source.row_bytes >= kSlack) return source.row(y);
    const std::size_t bytes =
        static_cast<std::size_t>(source.width) * static_cast<std::size_t>(source.channels);
    auto* copy = copy_.reserve_as<std::uint8_t>(bytes + kSlack);
    std::memcpy(copy, source.row(y), bytes);
    std::memset(copy + bytes, 0, kSlack);
    return copy;
  }

 private:
  Buffer copy_;
};

}  // namespace hotpack::geometry
