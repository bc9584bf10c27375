#include "preview/page_cells.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "codecs/png_writer.hpp"
#include "preview/overlay.hpp"
#include "preview/thumbnail.hpp"

namespace hotpack::preview {

namespace {

constexpr int kStripe = 4;

Extent shown_extent(Extent image, int side) {
  if (std::max(image.width, image.height) <= side) return image;
  return thumbnail_extent(image, {side, side});
}

MutablePixels room_for(Extent size, int channels, std::vector<std::uint8_t>& pixels) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels);
  pixels.assign(row_bytes * static_cast<std::size_t>(size.height), 0);
  return {pixels.data(), size.width, size.height, channels, row_bytes};
}

}  // namespace

Result<int> page_side(std::size_t samples) {
  if (samples > kMostPageCells)
    return usage_error("a page holds at most " + std::to_string(kMostPageCells) + " samples, not " +
                       std::to_string(samples) + "; show fewer with --grid or --keys");
  const double side = std::sqrt(static_cast<double>(kMostPagePixels) /
                                static_cast<double>(std::max<std::size_t>(samples, 1)));
  return std::clamp(static_cast<int>(side), kLeastPageSide, kMostPageSide);
}

Status PageCells::add(const SheetSample& sample) {
  PageCell cell;
  cell.key = sample.key;
  cell.remark = sample.remark;
  cell.problem = sample.problem;
  if (sample.label) {
    HOTPACK_TRY(label_.read(*sample.label));
    cell.counts.pixels.resize(sample.label->shape.class_count);
    label_.add_to(cell.counts);
  }
  if (sample.image) {
    HOTPACK_TRY(draw_image(*sample.image, cell));
    if (sample.label && sample.label->shape.scope == LabelScope::pixel)
      HOTPACK_TRY(draw_label(*sample.label, cell));
  }
  cells_.push_back(std::move(cell));
  return {};
}

Status PageCells::draw_image(const ImageView& image, PageCell& cell) {
  cell.size = {static_cast<int>(image.shape.width), static_cast<int>(image.shape.height)};
  cell.shown = shown_extent(cell.size, side_);
  const MutablePixels shown = room_for(cell.shown, 3, pixels_);
  HOTPACK_TRY(shrink_image(image, resampler_, shown));
  HOTPACK_ASSIGN(cell.image, codecs::encode_png(shown));
  return {};
}

Status PageCells::draw_label(const LabelView& label, PageCell& cell) {
  const MutablePixels image = room_for(cell.shown, 4, pixels_);
  HOTPACK_TRY(paint_label(label.shape, label_, colors_, kStripe, resampler_, image));
  HOTPACK_ASSIGN(cell.label, codecs::encode_png(image));
  return {};
}

}  // namespace hotpack::preview
