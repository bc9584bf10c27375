#include "geometry/resample.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "geometry/antialias.hpp"
#include "geometry/area.hpp"
#include "geometry/blocks.hpp"
#include "geometry/linear.hpp"
#include "geometry/opencv_scale.hpp"
#include "geometry/visible.hpp"

namespace hotpack::geometry {
namespace {

// The most pixels that an image may have after resizing and before it is cropped. A larger one is
// refused, unless the source has as many pixels itself.
constexpr std::int64_t kMaxIntermediatePixels = std::int64_t{1} << 28;

std::size_t samples(int pixels, int channels) {
  return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(channels);
}

// Returns a cv::Mat for memory that OpenCV does not own or free.
cv::Mat header_over(const std::uint8_t* data, Extent size, int channels, std::size_t row_bytes) {
  return {size.height, size.width, CV_MAKETYPE(CV_8U, channels), const_cast<std::uint8_t*>(data),
          row_bytes};
}

Status nearest_of_opencv(ConstPixels source, MutablePixels out) try {
  const cv::Mat from =
      header_over(source.data, {source.width, source.height}, source.channels, source.row_bytes);
  cv::Mat to = header_over(out.data, {out.width, out.height}, out.channels, out.row_bytes);
  cv::resize(from, to, to.size(), 0, 0, cv::INTER_NEAREST);
  if (to.data != out.data) return internal_error("OpenCV resized into memory of its own");
  return {};
} catch (const std::exception& failure) {
  return internal_error(std::string("OpenCV cannot resize: ") + failure.what());
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

Status check_intermediate(const Region& region, Extent source) {
  const std::int64_t wanted = std::int64_t{region.width} * region.height;
  if (wanted <= std::max(kMaxIntermediatePixels, std::int64_t{source.width} * source.height))
    return {};
  return data_error(
      "an image of " + std::to_string(source.width) + "x" + std::to_string(source.height) +
      " would be resized to " + std::to_string(region.width) + "x" + std::to_string(region.height) +
      " before it is cropped, which is too large; crop the image or choose another --fit");
}

Error no_memory_for(const Region& region) {
  return Error{ErrorCode::io,
               "no memory for an image of " + std::to_string(region.width) + "x" +
                   std::to_string(region.height),
               {},
               {}};
}

}  // namespace

bool is_antialiased(ImageFilter filter) { return antialias_rule(filter).has_value(); }

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
  Buffer intermediate;

  // Fills `out`. The resampled image, placed at `region`, covers it completely.
  Status resample(const ConstPixels& source, const Region& region, ImageFilter filter,
                  const MutablePixels& out);
  // Does the same for linear and area.
  void resize(const ConstPixels& source, const Region& region, ImageFilter filter,
              const MutablePixels& out);
  // Does the same for nearest.
  Status pick_nearest(const ConstPixels& source, const Region& region, const MutablePixels& out);
  // Returns a view of the buffer as an image without gaps between rows. Fails if memory is lacking.
  Result<MutablePixels> intermediate_image(const Region& region, int channels);
};

Status Resampler::Impl::resample(const ConstPixels& source, const Region& region,
                                 ImageFilter filter, const MutablePixels& out) try {
  if (filter == ImageFilter::nearest) return pick_nearest(source, region, out);
  const std::optional<AntialiasRule> rule = antialias_rule(filter);
  rule ? antialiaser.resample(source, region, *rule, out) : resize(source, region, filter, out);
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

Status Resampler::Impl::pick_nearest(const ConstPixels& source, const Region& region,
                                     const MutablePixels& out) {
  if (region == Region{0, 0, out.width, out.height}) return nearest_of_opencv(source, out);
  HOTPACK_TRY(check_intermediate(region, {source.width, source.height}));
  HOTPACK_ASSIGN(const MutablePixels whole, intermediate_image(region, out.channels));
  HOTPACK_TRY(nearest_of_opencv(source, whole));
  copy_rows(part_of<const std::uint8_t>(whole, -region.x, -region.y, {out.width, out.height}), out);
  return {};
}

Result<MutablePixels> Resampler::Impl::intermediate_image(const Region& region, int channels) try {
  const std::size_t row_bytes = samples(region.width, channels);
  auto* data =
      intermediate.reserve_as<std::uint8_t>(row_bytes * static_cast<std::size_t>(region.height));
  return MutablePixels{data, region.width, region.height, channels, row_bytes};
} catch (const std::bad_alloc&) {
  return no_memory_for(region);
}

Resampler::Resampler() : impl_(std::make_unique<Impl>()) {
  static std::once_flag once;
  // 0 means no threads; 1 would start a pool (0.6 ms) and not use it
  std::call_once(once, [] { cv::setNumThreads(0); });
}
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

std::string resize_library() { return "opencv-" + cv::getVersionString(); }

}  // namespace hotpack::geometry
