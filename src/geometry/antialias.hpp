// Antialiased resampling of 8-bit images: triangle, cubic and lanczos. The result equals, bit for
// bit, that of Image.resize with BILINEAR, BICUBIC and LANCZOS in Pillow. Only src/geometry and its
// tests use it.
//
// Resampling takes two passes in fixed point: the horizontal pass changes the width, the vertical
// pass changes the height. Each pass rounds to 8 bits, so the result depends on the order of the
// passes. An axis that keeps its size has no pass. If an axis shrinks by a factor, the kernel is
// wider by that factor. FORMAT.md ("Geometry") has the formulas.
//
// Each worker has its own objects, which keep tables and buffers; not thread-safe. Failure:
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"
#include "geometry/antialias_weights.hpp"
#include "geometry/weighted_sums.hpp"

namespace hotpack::geometry {

enum class PassOrder {
  // as Pillow 13: vertical first if the height loses more than twice as many pixels as the width,
  // and at least one
  by_loss,
  // as Pillow 12.1 and older (12.2 and 12.3 do so too, except for images more than 100 times as
  // high as wide)
  horizontal_first,
};

struct AntialiasRule {
  Kernel kernel = Kernel::triangle;
  PassOrder order = PassOrder::by_loss;
};

// Returns the rule of an antialiased filter; nothing for the others.
[[nodiscard]] std::optional<AntialiasRule> antialias_rule(ImageFilter filter);

class Antialiaser {
 public:
  // Resamples `source` to the size of `region` and places the result at `region`, which covers all
  // of `out`. Computes and writes only the part that lies in `out`. The order of passes depends on
  // the sizes of `source` and `region`, not on that part. Of the first pass, only the rows that one
  // output row needs are in memory. Preconditions: the region has another size than the source;
  // both images have the same number of channels, 1 or 3, and do not overlap.
  void resample(const ConstPixels& source, const Region& region, AntialiasRule rule,
                const MutablePixels& out);

 private:
  void resample_horizontally(const ConstPixels& source, int top, const MutablePixels& out);
  void resample_vertically(const ConstPixels& source, int left, const MutablePixels& out);
  void resample_horizontal_first(const ConstPixels& source, const MutablePixels& out);
  void resample_vertical_first(const ConstPixels& source, const MutablePixels& out);
  const std::uint8_t* first_pass_row(const ConstPixels& source, int y, const MutablePixels& out);
  template <class RowAt>
  void sum_rows(int y, const RowAt& row_at, std::uint8_t* to, std::size_t count);

  AxisWeights columns_, rows_;
  ColumnSummer column_summer_;
  RowSummer row_summer_;
  // The rows of the first pass. If the horizontal pass is first: row y is in slot y mod
  // rows_.longest(). If the vertical pass is first: a single row.
  Buffer first_pass_;
  int ring_end_ = 0;  // horizontal first: the first row not computed yet
};

}  // namespace hotpack::geometry
