// The loops over every pixel of a label that turn raw values into class ids, with tables. Only
// src/labels uses this.
//
// Pure functions over the caller's memory; thread-safe with different outputs. The image has the
// size of `ids`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/pixels.hpp"
#include "labels/color_map.hpp"
#include "labels/entry.hpp"
#include "labels/label_decoder.hpp"
#include "labels/nearest_colors.hpp"
#include "labels/unknown_counter.hpp"

namespace hotpack::labels {

// The table for labels of up to 8 bits per sample.
struct NarrowTable {
  std::array<Entry, 256> entries{};
  std::array<FoundValue, 256> found{};  // for the report, if the entry is unknown
};

inline constexpr int kMaxChannelDifference = 16;

// Compares the brightness (luma) of pixels with a threshold t. Luma is rounded from 1000ths, so it
// reaches t exactly if its weighted sum reaches 1000 t − 500; this saves a division per pixel.
class LumaThreshold {
 public:
  explicit LumaThreshold(int threshold) : least_(1000 * threshold - 500) {}
  [[nodiscard]] bool reached(int r, int g, int b) const {
    return 299 * r + 587 * g + 114 * b >= least_;
  }

 private:
  int least_;
};

[[nodiscard]] inline bool channels_differ(int r, int g, int b) {
  return std::max({r, g, b}) - std::min({r, g, b}) > kMaxChannelDifference;
}

// Each of these functions maps all pixels of a label to `ids`. It counts pixels with unknown values
// and pixels that got the class of the nearest color, and returns the flags of all pixels,
// combined.
[[nodiscard]] Entry map_rgb(ConstPixels rgb, const ColorMap& colors, std::uint16_t unknown_id,
                            MutableIds ids, UnknownCounter& unknown);
// Uses the nearest color, which it usually computes once per color of the label.
[[nodiscard]] Entry map_rgb_nearest(ConstPixels rgb, const NearestColors& colors,
                                    std::uint16_t unknown_id, MutableIds ids,
                                    UnknownCounter& unknown);
// For RGB pixels whose colors are ids. `entries` has 65536 elements; a larger id is unknown.
[[nodiscard]] Entry map_rgb_ids(ConstPixels rgb, RgbId formula, const std::vector<Entry>& entries,
                                std::uint16_t unknown_id, MutableIds ids, UnknownCounter& unknown);
// For RGB pixels whose red value is the id; the other channels are not read.
[[nodiscard]] Entry map_red(ConstPixels rgb, const NarrowTable& table, MutableIds ids,
                            UnknownCounter& unknown);
// The same for 16 bits per channel. `entries` has 65536 elements.
[[nodiscard]] Entry map_wide_red(ConstIds rgb, const std::vector<Entry>& entries, MutableIds ids,
                                 UnknownCounter& unknown);
// For samples below 256.
[[nodiscard]] Entry map_narrow(ConstIds samples, const NarrowTable& table, MutableIds ids,
                               UnknownCounter& unknown);
// For samples below 65536. `entries` has 65536 elements; reports unknown samples as ids.
[[nodiscard]] Entry map_wide(ConstIds samples, const std::vector<Entry>& entries, MutableIds ids,
                             UnknownCounter& unknown);
// Writes class_ids[1] for pixels that reach the threshold, else class_ids[0].
[[nodiscard]] Entry threshold_rgb(ConstPixels rgb, LumaThreshold threshold,
                                  const std::array<std::uint16_t, 2>& class_ids, MutableIds ids);

}  // namespace hotpack::labels
