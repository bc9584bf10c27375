#include "expand/placed_rows.hpp"

#include <cstring>

namespace hotpack::expand {
namespace {

std::size_t to_lines(std::size_t bytes) {
  return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

// The sizes in bytes of the parts of PlacedRows' memory: the current row, the mirrored row, the
// column taps, and the sums, in this order. Only resampling uses the last two. This function
// returns the size of the first and of the second part.
std::size_t row_part(std::size_t width, std::size_t channels) { return to_lines(width * channels); }
std::size_t tap_part(std::size_t width) { return to_lines(width * sizeof(ColumnTap)); }
std::size_t sum_part(std::size_t width, std::size_t channels) {  // kSlack for each of three planes
  return to_lines(channels * LinearWindow::sum_count(width, 1) * sizeof(std::int16_t));
}

}  // namespace

std::size_t PlacedRows::memory_bytes(std::size_t width, std::size_t channels) {
  return 2 * row_part(width, channels) + tap_part(width) + sum_part(width, channels);
}

PlacedRows::PlacedRows(const ImageView& record, const Placement& placement,
                       const ImageKernels& kernels, std::uint8_t* memory)
    : kernels_(kernels),
      flip_horizontal_(placement.box.flip_horizontal),
      flip_vertical_(placement.box.flip_vertical),
      width_(static_cast<std::size_t>(placement.output.width)),
      height_(static_cast<std::size_t>(placement.output.height)) {
  const auto channels = static_cast<std::size_t>(record.shape.channels);
  planes_ = in_planes(record.shape) ? channels : 1;
  pixel_bytes_ = channels / planes_;
  row_bytes_ = width_ * pixel_bytes_;
  box_.row_bytes = static_cast<std::size_t>(record.shape.width) * pixel_bytes_;
  box_.data = record.bytes.data() + static_cast<std::size_t>(placement.box.y) * box_.row_bytes +
              static_cast<std::size_t>(placement.box.x) * pixel_bytes_;
  box_.width = static_cast<std::size_t>(placement.box.width);
  box_.height = static_cast<std::size_t>(placement.box.height);
  box_.channels = pixel_bytes_;
  plane_bytes_ = static_cast<std::size_t>(record.shape.height) * box_.row_bytes;
  built_ = memory;
  mirrored_ = built_ + row_part(width_, channels);
  resample_ = placement.resample && (box_.width != width_ || box_.height != height_);
  if (resample_) start_resampling(mirrored_ + row_part(width_, channels));
}

void PlacedRows::start_resampling(std::uint8_t* memory) {
  auto* const taps = reinterpret_cast<ColumnTap*>(memory);
  auto* sums = reinterpret_cast<std::int16_t*>(memory + tap_part(width_));
  fill_column_taps(box_.width, width_, taps);
  Window plane = box_;
  for (std::size_t p = 0; p < planes_;
       ++p, plane.data += plane_bytes_, sums += LinearWindow::sum_count(width_, pixel_bytes_)) {
    linear_[p] = LinearWindow(plane, width_, height_, taps, sums);
  }
}

PixelRun PlacedRows::row(std::size_t y) {
  const std::size_t unflipped = flip_vertical_ ? height_ - 1 - y : y;
  const PixelRun row = resample_ ? resampled(unflipped) : padded(unflipped);
  return flip_horizontal_ ? mirrored(row) : row;
}

PixelRun PlacedRows::padded(std::size_t y) {
  if (y >= box_.height) {
    std::memset(built_, 0, planes_ * row_bytes_);
    return built();
  }
  const std::uint8_t* const from = box_.data + y * box_.row_bytes;
  if (box_.width == width_) return {from, plane_bytes_};
  const std::size_t inside = box_.width * pixel_bytes_;
  for (std::size_t p = 0; p < planes_; ++p) {
    std::memcpy(built_ + p * row_bytes_, from + p * plane_bytes_, inside);
    std::memset(built_ + p * row_bytes_ + inside, 0, row_bytes_ - inside);
  }
  return built();
}

PixelRun PlacedRows::resampled(std::size_t y) {
  for (std::size_t p = 0; p < planes_; ++p) linear_[p].row(y, kernels_, built_ + p * row_bytes_);
  return built();
}

PixelRun PlacedRows::mirrored(PixelRun row) {
  for (std::size_t p = 0; p < planes_; ++p) {
    kernels_.mirror(row.data + p * row.plane, width_, pixel_bytes_, mirrored_ + p * row_bytes_);
  }
  return {mirrored_, row_bytes_};
}

}  // namespace hotpack::expand
