// Nearest-neighbour resampling of class ids, in three named variants. Integers (or the exact doubles of the named library) only.
//
// NearestPlacer belongs to one worker and reuses its index tables; not thread-safe. The formulas are in FORMAT.md ("Geometry").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fit.hpp"
#include "base/picture.hpp"

namespace hotpack::geometry {

enum class LabelFilter {
  nearest,      // centre-aligned, exact: floor((2i+1)·s / (2d))
  nearest_cv,   // OpenCV's INTER_NEAREST: min(floor(i · (1.0 / (double(d) / s))), s−1)
  nearest_pil,  // Pillow's NEAREST: accumulated double steps
};
[[nodiscard]] std::string_view label_filter_name(LabelFilter filter);                        // "nearest", "nearest-cv", "nearest-pil"
[[nodiscard]] std::optional<LabelFilter> label_filter_from_name(std::string_view name);

// The source index of every output index: `target` entries in [0, source).
void nearest_indices(LabelFilter filter, int source, int target, std::vector<int>& indices);

class NearestPlacer {
 public:
  // Fills `record` from `source`: resampled to region.width × region.height, placed at region.x, region.y, clipped; the rest becomes `pad_id`.
  void place(ConstIds source, Region region, LabelFilter filter, std::uint16_t pad_id, MutableIds record);

 private:
  std::vector<int> columns_, rows_;
};

}  // namespace hotpack::geometry
