#include "geometry/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/words.hpp"
#include "geometry/visible.hpp"

namespace hotpack::geometry {
namespace {

// The outputs [first, first + count) of an axis of `source` inputs and `target` outputs.
struct Range {
  int source, target, first, count;
};

void center_indices(const Range& range, int* out) {
  const std::int64_t twice_target = 2 * std::int64_t{range.target};
  std::int64_t numerator = (2 * std::int64_t{range.first} + 1) * range.source;  // (2i + 1) · s
  for (int i = 0; i < range.count; ++i, numerator += 2 * std::int64_t{range.source})
    out[i] = static_cast<int>(numerator / twice_target);
}

// Computes the source index of each output as OpenCV does. OpenCV's step is 1 / (target / source),
// not source / target: for some sizes the two differ in the last bit, and select different pixels.
void opencv_indices(const Range& range, int* out) {
  const double step = 1.0 / (static_cast<double>(range.target) / range.source);
  for (int i = 0; i < range.count; ++i)
    out[i] = std::min(static_cast<int>((range.first + i) * step), range.source - 1);
}

// Computes the source index of each output as Pillow does. Pillow adds the step repeatedly; the
// rounding errors are part of the result.
void pillow_indices(const Range& range, int* out) {
  const double step = static_cast<double>(range.source) / range.target;
  double at = step * 0.5;
  for (int i = 0; i < range.first; ++i) at += step;
  for (int i = 0; i < range.count; ++i, at += step)
    out[i] = std::min(static_cast<int>(at), range.source - 1);
}

void fill_indices(LabelFilter filter, const Range& range, std::vector<int>& indices) {
  indices.resize(static_cast<std::size_t>(range.count));
  switch (filter) {
    case LabelFilter::nearest:
      return center_indices(range, indices.data());
    case LabelFilter::nearest_cv:
      return opencv_indices(range, indices.data());
    case LabelFilter::nearest_pil:
      return pillow_indices(range, indices.data());
  }
}

// Fills the record outside the layout's part with pad_id.
void pad_around(const NearestLayout& layout, std::uint16_t pad_id, MutableIds record) {
  for (int y = 0; y < record.height; ++y) {
    std::uint16_t* row = record.row(y);
    if (y < layout.top() || y >= layout.bottom()) {
      std::fill(row, row + record.width, pad_id);
    } else {
      std::fill(row, row + layout.left(), pad_id);
      std::fill(row + layout.right(), row + record.width, pad_id);
    }
  }
}

}  // namespace

void nearest_indices(LabelFilter filter, int source, int target, std::vector<int>& indices) {
  fill_indices(filter, {source, target, 0, target}, indices);
}

bool NearestLayout::Axis::update(LabelFilter wanted_filter,
                                 const std::array<int, 4>& wanted_range) {
  if (filter == wanted_filter && range == wanted_range) return false;
  const auto [source, target, first, count] = wanted_range;
  fill_indices(wanted_filter, {source, target, first, count}, indices);
  filter = wanted_filter;
  range = wanted_range;
  return true;
}

void NearestLayout::update(Extent source, Region region, LabelFilter filter, Extent record) {
  const Visible part = visible_part(region, record);
  left_ = part.left;
  top_ = part.top;
  right_ = part.right;
  bottom_ = part.bottom;
  if (part.empty()) return;
  rows_.update(filter, {source.height, region.height, part.top - region.y, part.height()});
  const bool changed =
      columns_.update(filter, {source.width, region.width, part.left - region.x, part.width()});
  if (changed || inverted_left_ != left_) invert_columns();
}

void NearestLayout::invert_columns() {
  inverted_left_ = left_;
  const int first = first_source_column();
  record_columns_.resize(index(last_source_column() - first + 2));
  std::size_t next = 0;  // the first source column without an entry, counted from `first`
  int column = left_;
  for (const int source : columns_.indices) {
    while (next <= index(source - first)) record_columns_[next++] = column;
    ++column;
  }
  record_columns_[next] = column;
}

void pick_columns(const std::uint16_t* source_row, std::span<const int> columns,
                  std::uint16_t* out) {
  for (std::size_t x = 0; x < columns.size(); ++x) out[x] = source_row[columns[x]];
}

void NearestPlacer::place(ConstIds source, Region region, LabelFilter filter, std::uint16_t pad_id,
                          MutableIds record) {
  layout_.update({source.width, source.height}, region, filter, {record.width, record.height});
  pad_around(layout_, pad_id, record);
  const int left = layout_.left(), width = layout_.right() - left;
  const bool same_width = source.width == region.width;
  for (int y = layout_.top(); y < layout_.bottom(); ++y) {
    std::uint16_t* out = record.row(y) + left;
    const std::uint16_t* in = source.row(layout_.source_row(y));
    if (same_width) {
      std::copy_n(in + layout_.first_source_column(), width, out);
    } else if (y > layout_.top() && layout_.source_row(y) == layout_.source_row(y - 1)) {
      std::copy_n(record.row(y - 1) + left, width, out);
    } else {
      pick_columns(in, layout_.source_columns(), out);
    }
  }
}

}  // namespace hotpack::geometry
