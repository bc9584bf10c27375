// The window of a record that becomes a row of a batch, and the integer divisions that kernels need
// to find the pixel of an output element.
//
// For host and device. Pure functions.
#pragma once

#include <cstdint>

#include "device/kernels/image_args.hpp"
#include "device/kernels/image_bytes.hpp"
#include "device/kernels/portable.hpp"

namespace hotpack::device::image {

// The window of a record that a batch row shows.
struct Window {
  const std::uint8_t* data;  // the window's first pixel
  std::int64_t line_bytes;
  std::int64_t plane_bytes;  // from one channel to the next
  std::int32_t pixel_bytes;
  std::int32_t width;
  std::int32_t height;
};

HOTPACK_HOST_DEVICE inline Window window_of(const ImageArgs& args, const RowEntry& entry) {
  const bool planes = args.channels != 1 && args.source_planes != 0;
  Window window;
  window.pixel_bytes = planes || args.channels == 1 ? 1 : 3;
  window.line_bytes = std::int64_t{entry.record_width} * window.pixel_bytes;
  window.plane_bytes = planes ? entry.record_height * window.line_bytes : 1;
  window.data = args.records + entry.image + entry.y * window.line_bytes +
                std::int64_t{entry.x} * window.pixel_bytes;
  window.width = entry.width;
  window.height = entry.height;
  return window;
}

// Returns ⌊i / divisor⌋, computed digit by digit. On a device, a division of 64-bit numbers would
// be a function call, which saves and restores registers.
HOTPACK_HOST_DEVICE inline std::uint64_t long_quotient_of(std::uint64_t i, std::uint32_t divisor) {
  std::uint64_t quotient = 0, rest = 0;
  HOTPACK_KEEP_LOOP
  for (int digit = 63; digit >= 0; --digit) {
    rest = rest << 1 | (i >> digit & 1);
    const bool fits = rest >= divisor;
    quotient = quotient << 1 | (fits ? 1 : 0);
    if (fits) rest -= divisor;
  }
  return quotient;
}

// ⌊i / divisor⌋, faster if i has 32 bits.
HOTPACK_HOST_DEVICE inline std::uint64_t quotient_of(std::uint64_t i, std::uint32_t divisor) {
  return i >> 32 == 0 ? static_cast<std::uint32_t>(i) / divisor : long_quotient_of(i, divisor);
}

}  // namespace hotpack::device::image
