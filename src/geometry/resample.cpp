#include "geometry/resample.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>

#include "base/words.hpp"
#include "geometry/antialias.hpp"
#include "geometry/area.hpp"
#include "geometry/blocks.hpp"
#include "geometry/linear.hpp"
#include "geometry/nearest.hpp"
#include "geometry/opencv_scale.hpp"
#include "geometry/visible.hpp"

namespace hotpack::geometry {
namespace {

std::size_t samples(int pixels, int channels) {
  return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(channels);
}

// Returns a view of a rectangle of an image.
template <class T>
PixelView<T> part_of(PixelView<T> image, int x, int y, Extent size) {
  return {image.row(y) + samples(x, image.channels), size.width, size.height, image.channels,
          image.row_bytes};
}

void copy_rows(ConstPixels from, MutablePixels to) {
  const std::size_t row_bytes = samples(to.width, to.channels);
  for (int y = 0; y < to.height; ++y) std::memcpy(to.row(y), from.row(y), row_bytes);
}

void fill_pixels(std::uint8_t* at, int pixels, const std::uint8_t* color, int channels) {
  if (std::all_of(color, color + channels, [&](std::uint8_t value) { return value == color[0]; })) {
    std::memset(at, color[0], samples(pixels, channels));
    return;
  }
  for (int i = 0; i < pixels; ++i) at = std::copy_n(color, channels, at);
}

// Fills the record outside `part` with `color`.
void pad_around(const Visible& part, const std::uint8_t* color, MutablePixels record) {
  for (int y = 0; y < record.height; ++y) {
    const bool outside = y < part.top || y >= part.bottom;
    const int left = outside ? record.width : part.left;
    const int right = outside ? record.width : part.right;
    fill_pixels(record.row(y), left, color, record.channels);
    fill_pixels(record.row(y) + samples(right, record.channels), record.width - right, color,
                record.channels);
  }
}

// Copies the pixels of `columns` from a row of an image.
template <int kChannels>
void pick_pixels(const std::uint8_t* source_row, std::span<const int> columns, std::uint8_t* out) {
  for (const int column : columns) {
    std::memcpy(out, source_row + std::ptrdiff_t{kChannels} * column, kChannels);
    out += kChannels;
  }
}

Error no_memory_for(const Region& region) {
  return Error{ErrorCode::io,
               "no memory for an image of " + std::to_string(region.width) + "x" +
                   std::to_string(region.height),
               {},
               {}};
}

}  // namespace

ImageFilter resolve_filter(ImageFilter filter, Extent source, Extent target) {
  if (filter != ImageFilter::automatic) return filter;
  const bool both_shrink = target.width < source.width && target.height < source.height;
  return both_shrink ? ImageFilter::area : ImageFilter::linear;
}

struct Resampler::Impl {
  Antialiaser antialiaser;
  LinearResizer linear;
  AreaShrinker area;
  BlockAverager blocks;
  NearestLayout nearest;

  // Fills `out`. The resampled image, placed at `region`, covers it completely.
  Status resample(const ConstPixels& source, const Region& region, ImageFilter filter,
                  const MutablePixels& out);
  // Does the same for linear and area.
  void resize(const ConstPixels& source, const Region& region, ImageFilter filter,
              const MutablePixels& out);
  // Does the same for nearest.
  void pick_nearest(const ConstPixels& source, const Region& region, const MutablePixels& out);
};

Status Resampler::Impl::resample(const ConstPixels& source, const Region& region,
                                 ImageFilter filter, const MutablePixels& out) try {
  if (filter == ImageFilter::nearest) {
    pick_nearest(source, region, out);
  } else if (const std::optional<AntialiasRule> rule = antialias_rule(filter)) {
    antialiaser.resample(source, region, *rule, out);
  } else {
    resize(source, region, filter, out);
  }
  return {};
} catch (const std::bad_alloc&) {
  return no_memory_for(region);
}

// Resizes with the method that OpenCV would use for the filter: linear that halves both axes is
// done as area, and area that enlarges an axis as a variant of linear.
void Resampler::Impl::resize(const ConstPixels& source, const Region& region, ImageFilter filter,
                             const MutablePixels& out) {
  const double x_scale = opencv_scale(source.width, region.width),
               y_scale = opencv_scale(source.height, region.height);
  const bool whole = is_whole(x_scale) && is_whole(y_scale);
  const bool halves = whole && x_scale == 2.0 && y_scale == 2.0;
  const bool shrinks = x_scale >= 1.0 && y_scale >= 1.0;
  if (halves || (filter == ImageFilter::area && shrinks && whole))
    return blocks.average(source, region, out);
  if (filter == ImageFilter::linear)
    return linear.resample(source, region, LinearRule::linear, out);
  shrinks ? area.resample(source, region, out)
          : linear.resample(source, region, LinearRule::growing_area, out);
}

void Resampler::Impl::pick_nearest(const ConstPixels& source, const Region& region,
                                   const MutablePixels& out) {
  nearest.update({source.width, source.height}, region, LabelFilter::nearest_cv,
                 {out.width, out.height});
  const auto pick = out.channels == 1 ? pick_pixels<1> : pick_pixels<3>;
  for (int y = 0; y < out.height; ++y) {
    if (y > 0 && nearest.source_row(y) == nearest.source_row(y - 1)) {
      std::memcpy(out.row(y), out.row(y - 1), samples(out.width, out.channels));
    } else {
      pick(source.row(nearest.source_row(y)), nearest.source_columns(), out.row(y));
    }
  }
}

Resampler::Resampler() : impl_(std::make_unique<Impl>()) {}
Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;

Status Resampler::place(ConstPixels source, Region region, ImageFilter filter,
                        const std::uint8_t* pad_color, MutablePixels record) {
  const Extent source_size{source.width, source.height};
  const Extent region_size{region.width, region.height};
  const Visible part = visible_part(region, {record.width, record.height});
  pad_around(part, pad_color, record);
  if (part.empty()) return {};

  const Extent part_size{part.width(), part.height()};
  const MutablePixels target = part_of(record, part.left, part.top, part_size);
  // the region in the target's coordinates
  const Region around{region.x - part.left, region.y - part.top, region.width, region.height};
  if (source_size == region_size) {
    copy_rows(part_of(source, -around.x, -around.y, part_size), target);
    return {};
  }
  return impl_->resample(source, around, resolve_filter(filter, source_size, region_size), target);
}

}  // namespace hotpack::geometry
