// A fast way for plain PNGs: 8 bits per sample, gray, RGB or palette, not interlaced, and without a flaw. StrictInflate is twice as fast
// as zlib, and the filters are undone with SSE2.
//
// It never judges: whatever is unusual or damaged in the least is left to libpng, which decides and says why. So the two readers cannot
// disagree about a file, only about the time it takes; a fuzz target compares them.
// Ownership: keeps buffers from image to image. Not thread-safe. Failure: none; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/pixels.hpp"
#include "codecs/image_info.hpp"

namespace hotpack::codecs {

class StrictInflate;

class PlainPng {
 public:
  PlainPng();
  ~PlainPng();
  PlainPng(PlainPng&&) noexcept;
  PlainPng& operator=(PlainPng&&) noexcept;

  // Writes the rows of samples as stored (1 or 3 bytes per pixel), `row_bytes` apart, to `rows`. False: this is a file for libpng, and what
  // `rows` holds is meaningless. `info` is what probe() said of `file`. `palette` is set to the bytes of PLTE, if there is one.
  [[nodiscard]] bool read(std::span<const std::byte> file, const ImageInfo& info, std::uint8_t* rows, std::size_t row_bytes,
                          std::span<const std::byte>& palette);

 private:
  [[nodiscard]] std::optional<std::span<const std::byte>> collect(std::span<const std::byte> file, std::size_t coded_bytes,
                                                                  std::span<const std::byte>& palette);
  std::unique_ptr<StrictInflate> inflate_;
  Buffer coded_;     // IDAT chunks put together, where there are several
  Buffer inflated_;  // rows with their filter types
  Buffer zeros_;     // the row above the first
};

}  // namespace hotpack::codecs
