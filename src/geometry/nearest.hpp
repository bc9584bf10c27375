// Nearest-neighbour resampling of class ids, in three named variants. Integers (or the exact doubles of the named library) only.
//
// NearestPlacer belongs to one worker and reuses its index tables; not thread-safe. The formulas are in FORMAT.md ("Geometry").
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"

namespace hotpack::geometry {

// The source index of every output index: `target` entries in [0, source). Both sizes are at least 1. With all three filters the
// indices never fall, and an unchanged size gives i for i.
void nearest_indices(LabelFilter filter, int source, int target, std::vector<int>& indices);

class NearestPlacer {
 public:
  // Fills `record` from `source`: resampled to region.width × region.height, placed at region.x, region.y, clipped; the rest becomes
  // `pad_id`. Source and record are of 1 channel and do not overlap; sizes are at least 1.
  void place(ConstIds source, Region region, LabelFilter filter, std::uint16_t pad_id, MutableIds record);

 private:
  // The index table of one axis, visible part only; made again only when sizes or filter change: most labels of a set are of one size.
  struct Axis {
    LabelFilter filter = LabelFilter::nearest;
    std::array<int, 4> range{};  // source size, target size, first output, number of outputs
    std::vector<int> indices;
    const int* update(LabelFilter wanted_filter, const std::array<int, 4>& wanted_range);
  };
  Axis columns_, rows_;
};

}  // namespace hotpack::geometry
