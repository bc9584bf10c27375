#include "geometry/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

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

// Computes indices as OpenCV does. The step is 1 / (target / source), not source / target: for some
// sizes the two differ in the last bit, and select different pixels.
void opencv_indices(const Range& range, int* out) {
  const double step = 1.0 / (static_cast<double>(range.target) / range.source);
  for (int i = 0; i < range.count; ++i)
    out[i] = std::min(static_cast<int>((range.first + i) * step), range.source - 1);
}

// Computes indices as Pillow does. It adds the step repeatedly; the rounding errors are part of the
// result.
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

void pick_columns(const std::uint16_t* source, const int* columns, int width, std::uint16_t* out) {
  for (int x = 0; x < width; ++x) out[x] = source[columns[x]];
}

// Fills the record outside `part` with pad_id.
void pad_around(const Visible& part, std::uint16_t pad_id, MutableIds record) {
  for (int y = 0; y < record.height; ++y) {
    std::uint16_t* row = record.row(y);
    if (y < part.top || y >= part.bottom) {
      std::fill(row, row + record.width, pad_id);
    } else {
      std::fill(row, row + part.left, pad_id);
      std::fill(row + part.right, row + record.width, pad_id);
    }
  }
}

}  // namespace

void nearest_indices(LabelFilter filter, int source, int target, std::vector<int>& indices) {
  fill_indices(filter, {source, target, 0, target}, indices);
}

const int* NearestPlacer::Axis::update(LabelFilter wanted_filter,
                                       const std::array<int, 4>& wanted_range) {
  if (filter != wanted_filter || range != wanted_range) {
    const auto [source, target, first, count] = wanted_range;
    fill_indices(wanted_filter, {source, target, first, count}, indices);
    filter = wanted_filter;
    range = wanted_range;
  }
  return indices.data();
}

void NearestPlacer::place(ConstIds source, Region region, LabelFilter filter, std::uint16_t pad_id,
                          MutableIds record) {
  const Visible part = visible_part(region, {record.width, record.height});
  pad_around(part, pad_id, record);
  if (part.empty()) return;

  const int* columns =
      columns_.update(filter, {source.width, region.width, part.left - region.x, part.width()});
  const int* rows =
      rows_.update(filter, {source.height, region.height, part.top - region.y, part.height()});
  const bool same_width = source.width == region.width;
  for (int i = 0; i < part.height(); ++i) {
    std::uint16_t* out = record.row(part.top + i) + part.left;
    const std::uint16_t* in = source.row(rows[i]);
    if (same_width) {
      std::copy_n(in + columns[0], part.width(), out);
    } else if (i > 0 && rows[i] == rows[i - 1]) {
      std::copy_n(record.row(part.top + i - 1) + part.left, part.width(), out);
    } else {
      pick_columns(in, columns, part.width(), out);
    }
  }
}

}  // namespace hotpack::geometry
