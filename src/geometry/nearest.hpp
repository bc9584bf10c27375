// Nearest-neighbor resampling of class ids, in three variants. `nearest` computes with integers;
// the other two compute with the same doubles as the library after which they are named.
//
// Each worker has its own objects, which keep their index tables; not thread-safe. FORMAT.md
// ("Geometry") has the formulas.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"

namespace hotpack::geometry {

// Fills `indices` with the source index of each of `target` outputs; an index is below `source`.
// Both sizes are at least 1. With every filter, the indices never decrease; if source = target,
// index i is i.
void nearest_indices(LabelFilter filter, int source, int target, std::vector<int>& indices);

// Where a label lies in a record, and which source pixel belongs to each pixel of the record. A
// worker keeps one object for all labels: the tables are computed again only if sizes or filter
// change, because most labels of a data set have the same size.
class NearestLayout {
 public:
  // Prepares the tables for a label of size `source` that is resampled to the size of `region`,
  // placed at (region.x, region.y), and clipped to the record. All sizes are at least 1.
  void update(Extent source, Region region, LabelFilter filter, Extent record);

  // The part of the record that the label occupies: columns left() … right() − 1 of rows top() …
  // bottom() − 1. If there is none, all four are 0, and the functions below must not be called.
  [[nodiscard]] int left() const { return left_; }
  [[nodiscard]] int right() const { return right_; }
  [[nodiscard]] int top() const { return top_; }
  [[nodiscard]] int bottom() const { return bottom_; }

  // The source row of record row y in [top(), bottom()).
  [[nodiscard]] int source_row(int y) const { return rows_.indices[index(y - top_)]; }

  // The source columns of [left(), right()), which never decrease.
  [[nodiscard]] std::span<const int> source_columns() const { return columns_.indices; }
  [[nodiscard]] int first_source_column() const { return columns_.indices.front(); }
  [[nodiscard]] int last_source_column() const { return columns_.indices.back(); }

  // Returns the first record column whose source column is x or a later one. So the source columns
  // a … b − 1 fill the record columns record_column(a) … record_column(b) − 1. Precondition: x is
  // in [first_source_column(), last_source_column() + 1].
  [[nodiscard]] int record_column(int x) const {
    return record_columns_[index(x - first_source_column())];
  }

 private:
  // The index table of one axis, for the visible part only.
  struct Axis {
    LabelFilter filter = LabelFilter::nearest;
    std::array<int, 4> range{};  // source size, target size, first output, number of outputs
    std::vector<int> indices;
    // Returns true if the table has changed.
    bool update(LabelFilter wanted_filter, const std::array<int, 4>& wanted_range);
  };
  static std::size_t index(int at) { return static_cast<std::size_t>(at); }
  void invert_columns();

  int left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
  int inverted_left_ = 0;  // left_ when record_columns_ was computed
  Axis columns_, rows_;
  std::vector<int> record_columns_;
};

// Copies the pixels of `columns`.
void pick_columns(const std::uint16_t* source_row, std::span<const int> columns,
                  std::uint16_t* out);

class NearestPlacer {
 public:
  // Fills `record`: `source` is resampled to the size of `region`, placed at (region.x, region.y),
  // and clipped. The rest of the record becomes `pad_id`. Preconditions: source and record have 1
  // channel and do not overlap; all sizes are at least 1.
  void place(ConstIds source, Region region, LabelFilter filter, std::uint16_t pad_id,
             MutableIds record);

 private:
  NearestLayout layout_;
};

}  // namespace hotpack::geometry
