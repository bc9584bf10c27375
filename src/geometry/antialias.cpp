#include "geometry/antialias.hpp"

#include <cstddef>
#include <cstdint>

namespace hotpack::geometry {
namespace {

std::size_t samples(int pixels, int channels) {
  return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(channels);
}

}  // namespace

void Antialiaser::resample(const ConstPixels& source, const Region& region, ImageFilter filter,
                           const MutablePixels& out) {
  const int left = -region.x, top = -region.y;
  const bool rows_change = source.width != region.width,
             columns_change = source.height != region.height;
  if (rows_change) {
    const AxisRange range{filter, source.width, region.width, left, out.width};
    columns_.update(range);
    column_summer_.update(range, columns_, out.channels);
  }
  if (columns_change) rows_.update({filter, source.height, region.height, top, out.height});
  if (!columns_change) return resample_rows_only(source, top, out);
  rows_change ? resample_both(source, out) : resample_columns(source, out, left);
}

void Antialiaser::resample_rows_only(const ConstPixels& source, int top, const MutablePixels& out) {
  for (int y = 0; y < out.height; ++y) column_summer_.sum(source, top + y, out.row(y));
}

void Antialiaser::resample_columns(const ConstPixels& source, const MutablePixels& out, int left) {
  sum_all_rows([&](int y) { return source.row(y) + samples(left, source.channels); }, out);
}

void Antialiaser::resample_both(const ConstPixels& source, const MutablePixels& out) {
  ring_.reserve(samples(out.width, out.channels) * static_cast<std::size_t>(rows_.longest()));
  ring_end_ = rows_.window(0).first;
  sum_all_rows([&](int y) { return first_pass_row(source, y, out); }, out);
}

// Returns row y of the first pass. First computes the rows up to y that the ring lacks. Rows are
// requested in order, and an output row never needs more rows than the ring holds.
const std::uint8_t* Antialiaser::first_pass_row(const ConstPixels& source, int y,
                                                const MutablePixels& out) {
  const auto slot = [&](int row) {
    return reinterpret_cast<std::uint8_t*>(ring_.data()) +
           static_cast<std::size_t>(row % rows_.longest()) * samples(out.width, out.channels);
  };
  for (; ring_end_ <= y; ++ring_end_) column_summer_.sum(source, ring_end_, slot(ring_end_));
  return slot(y);
}

template <class RowAt>
void Antialiaser::sum_all_rows(const RowAt& row_at, const MutablePixels& out) {
  for (int y = 0; y < out.height; ++y) {
    const AxisWeights::Window window = rows_.window(y);
    row_summer_.rows().clear();
    for (int k = 0; k < window.count; ++k) row_summer_.rows().push_back(row_at(window.first + k));
    row_summer_.sum(window, out.row(y), samples(out.width, out.channels));
  }
}

}  // namespace hotpack::geometry
