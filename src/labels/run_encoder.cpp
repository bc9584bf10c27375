#include "labels/run_encoder.hpp"

#include <algorithm>
#include <cstring>

#include "labels/fill_units.hpp"
#include "labels/one_hot.hpp"

namespace hotpack::labels {
namespace {

constexpr std::size_t kPatternBytes = 4096;
constexpr std::size_t kLargestPattern = 64;  // bytes a pixel

// Writes zeros but for one byte per pixel, `place` bytes after its first.
void fill_sparse(std::byte value, std::size_t place, std::size_t pixel_bytes, std::size_t pixels,
                 std::byte* out) {
  std::memset(out, 0, pixels * pixel_bytes);
  for (std::size_t i = 0; i < pixels; ++i) out[i * pixel_bytes + place] = value;
}

}  // namespace

RunEncoder::RunEncoder(LabelStorage storage, std::size_t class_count)
    : storage_(storage),
      class_count_(class_count),
      pixel_bytes_(static_cast<std::size_t>(encoded_bytes(storage, 1, class_count))) {
  if (storage != LabelStorage::one_hot || pixel_bytes_ == 0 || pixel_bytes_ > kLargestPattern)
    return;
  pattern_pixels_ = kPatternBytes / pixel_bytes_;
  pattern_.assign((pattern_pixels_ + 1) * pixel_bytes_, std::byte{0});
  for (std::size_t at = pixel_bytes_; at < pattern_.size(); at += pixel_bytes_)
    pattern_[at] = std::byte{1};
}

void RunEncoder::write(std::uint16_t id, std::size_t pixels, std::byte* out) const {
  switch (storage_) {
    case LabelStorage::index:
      return write_index(id, pixels, out);
    case LabelStorage::bits:
      return write_bits(id, pixels, out);
    case LabelStorage::one_hot:
      return write_one_hot(id, pixels, out);
  }
}

void RunEncoder::write_index(std::uint16_t id, std::size_t pixels, std::byte* out) const {
  if (pixel_bytes_ == 1) {
    std::memset(out, id & 0xFF, pixels);
  } else {
    fill_units(id, pixels, out);
  }
}

void RunEncoder::write_bits(std::uint16_t id, std::size_t pixels, std::byte* out) const {
  const bool has_class = id < class_count_;
  if (pixel_bytes_ == 1) {
    std::memset(out, has_class ? 1 << id : 0, pixels);
  } else if (pixel_bytes_ == 2) {
    fill_units(static_cast<std::uint16_t>(has_class ? 1u << id : 0u), pixels, out);
  } else if (pixel_bytes_ == 4) {
    fill_units(has_class ? std::uint32_t{1} << id : std::uint32_t{0}, pixels, out);
  } else if (has_class) {
    fill_sparse(std::byte{1} << (id % 8), id / 8, pixel_bytes_, pixels, out);
  } else {
    std::memset(out, 0, pixels * pixel_bytes_);
  }
}

void RunEncoder::write_one_hot(std::uint16_t id, std::size_t pixels, std::byte* out) const {
  if (id >= class_count_) {
    std::memset(out, 0, pixels * pixel_bytes_);
  } else if (pattern_.empty()) {
    fill_sparse(std::byte{1}, id, pixel_bytes_, pixels, out);
  } else {
    while (pixels > 0) {
      const std::size_t count = std::min(pixels, pattern_pixels_);
      std::memcpy(out, pattern_.data() + pixel_bytes_ - id, count * pixel_bytes_);
      out += count * pixel_bytes_;
      pixels -= count;
    }
  }
}

}  // namespace hotpack::labels
