// Nearest-neighbor resampling of class ids in three variants, with integers or with the exact
// doubles of the named library.
//
// Each worker has its own NearestPlacer, which reuses its index tables; not thread-safe.
// FORMAT.md ("Geometry") has the formulas.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"

namespace hotpack::geometry {

// The source index of every output index: `target` entries in [0, source). Both sizes are at
// least 1. With all three filters the indices never decrease, and an unchanged size gives i for
// i.
void nearest_indices(LabelFilter filter, int source, int target, std::vector<int>& indices);

class NearestPlacer {
 public:
  // Fills `record` from `source`: resampled to region.width × region.height, placed at region.x,
  // region.y, and clipped. The rest becomes `pad_id`. Source and record have 1 channel and do not
  // overlap; sizes are at least 1.
  void place(ConstIds source, Region region, LabelFilter filter, std::uint16_t pad_id,
             MutableIds record);

 private:
  // The index table of one axis, visible part only. Recomputed only if sizes or filter change,
  // since most labels of a set have one size.
  struct Axis {
    LabelFilter filter = LabelFilter::nearest;
    std::array<int, 4> range{};  // source size, target size, first output, number of outputs
    std::vector<int> indices;
    const int* update(LabelFilter wanted_filter, const std::array<int, 4>& wanted_range);
  };
  Axis columns_, rows_;
};

}  // namespace hotpack::geometry
