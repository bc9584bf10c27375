#include "geometry/antialias.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "geometry/padded_rows.hpp"

namespace hotpack::geometry {
namespace {

std::size_t samples(int pixels, int channels) {
  return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(channels);
}

bool starts_vertically(PassOrder order, const ConstPixels& source, const Region& region) {
  if (order == PassOrder::horizontal_first) return false;
  const std::int64_t width_loss = std::int64_t{source.width} - region.width;
  const std::int64_t height_loss = std::int64_t{source.height} - region.height;
  return height_loss > 0 && height_loss > 2 * width_loss;
}

}  // namespace

std::optional<AntialiasRule> antialias_rule(ImageFilter filter) {
  switch (filter) {
    case ImageFilter::triangle:
      return AntialiasRule{Kernel::triangle, PassOrder::by_loss};
    case ImageFilter::cubic:
      return AntialiasRule{Kernel::cubic, PassOrder::by_loss};
    case ImageFilter::lanczos:
      return AntialiasRule{Kernel::lanczos, PassOrder::by_loss};
    case ImageFilter::triangle_pillow12_1:
      return AntialiasRule{Kernel::triangle, PassOrder::horizontal_first};
    case ImageFilter::cubic_pillow12_1:
      return AntialiasRule{Kernel::cubic, PassOrder::horizontal_first};
    case ImageFilter::lanczos_pillow12_1:
      return AntialiasRule{Kernel::lanczos, PassOrder::horizontal_first};
    default:
      return std::nullopt;
  }
}

void Antialiaser::resample(const ConstPixels& source, const Region& region, AntialiasRule rule,
                           const MutablePixels& out) {
  const int left = -region.x, top = -region.y;
  const bool width_changes = source.width != region.width,
             height_changes = source.height != region.height;
  if (width_changes) {
    const AxisRange range{rule.kernel, source.width, region.width, left, out.width};
    columns_.update(range);
    column_summer_.update(range, columns_, out.channels);
  }
  if (height_changes) rows_.update({rule.kernel, source.height, region.height, top, out.height});
  if (!height_changes) return resample_horizontally(source, top, out);
  if (!width_changes) return resample_vertically(source, left, out);
  starts_vertically(rule.order, source, region) ? resample_vertical_first(source, out)
                                                : resample_horizontal_first(source, out);
}

void Antialiaser::resample_horizontally(const ConstPixels& source, int top,
                                        const MutablePixels& out) {
  for (int y = 0; y < out.height; ++y) column_summer_.sum(source, top + y, out.row(y));
}

void Antialiaser::resample_vertically(const ConstPixels& source, int left,
                                      const MutablePixels& out) {
  const auto row_at = [&](int y) { return source.row(y) + samples(left, source.channels); };
  for (int y = 0; y < out.height; ++y)
    sum_rows(y, row_at, out.row(y), samples(out.width, out.channels));
}

void Antialiaser::resample_horizontal_first(const ConstPixels& source, const MutablePixels& out) {
  first_pass_.reserve(samples(out.width, out.channels) * static_cast<std::size_t>(rows_.longest()));
  ring_end_ = rows_.window(0).first;
  const auto row_at = [&](int y) { return first_pass_row(source, y, out); };
  for (int y = 0; y < out.height; ++y)
    sum_rows(y, row_at, out.row(y), samples(out.width, out.channels));
}

// Returns row y of the result of the horizontal pass. If the ring of rows does not have it yet,
// first computes all missing rows up to y. Rows must be requested in order. The ring has room for
// as many rows as one output row needs.
const std::uint8_t* Antialiaser::first_pass_row(const ConstPixels& source, int y,
                                                const MutablePixels& out) {
  const auto slot = [&](int row) {
    return reinterpret_cast<std::uint8_t*>(first_pass_.data()) +
           static_cast<std::size_t>(row % rows_.longest()) * samples(out.width, out.channels);
  };
  for (; ring_end_ <= y; ++ring_end_) column_summer_.sum(source, ring_end_, slot(ring_end_));
  return slot(y);
}

// Resamples with the vertical pass first. Each output row needs one row of that pass. Only the
// columns that some output needs are computed; the others have weight 0, and their values stay 0.
void Antialiaser::resample_vertical_first(const ConstPixels& source, const MutablePixels& out) {
  const AxisWeights::Window last = columns_.window(out.width - 1);
  const std::size_t begin = samples(columns_.window(0).first, source.channels),
                    end = samples(last.first + last.count, source.channels);
  const std::size_t row_bytes = samples(source.width, source.channels) + PaddedRows::kSlack;
  auto* row = first_pass_.reserve_as<std::uint8_t>(row_bytes);
  std::memset(row, 0, row_bytes);
  const auto row_at = [&](int y) { return source.row(y) + begin; };
  for (int y = 0; y < out.height; ++y) {
    sum_rows(y, row_at, row + begin, end - begin);
    column_summer_.sum(row, out.row(y));
  }
}

// Writes `count` samples of output row y of the vertical pass. row_at(y) is input row y.
template <class RowAt>
void Antialiaser::sum_rows(int y, const RowAt& row_at, std::uint8_t* to, std::size_t count) {
  const AxisWeights::Window window = rows_.window(y);
  row_summer_.rows().clear();
  for (int k = 0; k < window.count; ++k) row_summer_.rows().push_back(row_at(window.first + k));
  row_summer_.sum(window, to, count);
}

}  // namespace hotpack::geometry
