// Nearest-neighbor resampling of class ids, in three variants. One computes with integers, the
// others with the same doubles as the library that they are named after.
//
// Each worker has its own NearestPlacer, which reuses its index tables; not thread-safe. FORMAT.md
// ("Geometry") has the formulas.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"

namespace hotpack::geometry {

// Computes the source index of every output index: `target` entries in [0, source). Both sizes are
// at least 1. With every filter, the indices never decrease; if the size is unchanged, index i is
// i.
void nearest_indices(LabelFilter filter, int source, int target, std::vector<int>& indices);

class NearestPlacer {
 public:
  // Fills `record` from `source`, which is resampled to region.width × region.height, placed at
  // (region.x, region.y), and clipped. The rest of the record becomes `pad_id`. Preconditions:
  // source and record have 1 channel and do not overlap; all sizes are at least 1.
  void place(ConstIds source, Region region, LabelFilter filter, std::uint16_t pad_id,
             MutableIds record);

 private:
  // The index table of one axis, for the visible part only. It is computed again only if the sizes
  // or the filter change, because most labels of a data set have the same size.
  struct Axis {
    LabelFilter filter = LabelFilter::nearest;
    std::array<int, 4> range{};  // source size, target size, first output, number of outputs
    std::vector<int> indices;
    const int* update(LabelFilter wanted_filter, const std::array<int, 4>& wanted_range);
  };
  Axis columns_, rows_;
};

}  // namespace hotpack::geometry
