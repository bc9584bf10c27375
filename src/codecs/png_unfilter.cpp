#include "codecs/png_unfilter.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/png_filters.hpp"
#include "codecs/png_runs.hpp"

namespace hotpack::codecs {
namespace {

// In a row filtered with one of these, each pixel waits for the one to its left.
bool is_serial(std::uint8_t filter) { return filter >= 3; }

void undo_row(const FilteredRows& rows, std::size_t y, const std::uint8_t* above, Content content) {
  const std::uint8_t* const in = rows.coded_row(y);
  std::uint8_t* const out = rows.row(y);
  if (in[0] == 0) {
    std::memcpy(out, in + 1, rows.size);
    return;
  }
  if (in[0] == 1) return undo_sub_row(in + 1, out, rows.size, rows.pixel_bytes);
  if (in[0] == 4 && content == Content::runs)
    return undo_paeth_runs(in + 1, above, out, rows.size, rows.pixel_bytes);
  undo_filter(in[0], in + 1, above, out, rows.size, rows.pixel_bytes);
}

// True if eight rows from `y` on take less time together than one after the other.
bool pays_together(const FilteredRows& rows, std::size_t y) {
  constexpr int kLeastSerial = 2;
  int serial = 0;
  for (std::size_t k = 0; k < kWavefrontRows; ++k) serial += is_serial(rows.coded_row(y + k)[0]);
  return serial >= kLeastSerial;
}

}  // namespace

void undo_filters(const FilteredRows& rows, std::size_t height, Content content,
                  const std::uint8_t* zeros) {
  const auto above = [&](std::size_t y) { return y == 0 ? zeros : rows.row(y - 1); };
  const bool together = content == Content::varied && height >= kWavefrontRows &&
                        rows.size >= kLeastWavefrontPixels * rows.pixel_bytes;
  for (std::size_t y = 0; y < height;) {
    // The last group also decodes again some rows that are already decoded.
    const std::size_t first = std::min(y, height - kWavefrontRows);
    if (together && is_serial(rows.coded_row(y)[0]) && pays_together(rows, first)) {
      undo_wavefront(rows, first, above(first));
      y = first + kWavefrontRows;
    } else {
      undo_row(rows, y, above(y), content);
      ++y;
    }
  }
}

}  // namespace hotpack::codecs
