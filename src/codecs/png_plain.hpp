// A fast path for plain PNGs: 8 bits per sample, gray, RGB or palette, not interlaced, and
// without any fault. StrictInflate is twice as fast as zlib, and undo_filters() decodes eight rows
// at a time.
//
// The fast path never refuses a file: it leaves everything unusual or damaged to libpng, which
// decides and gives the reason. So the two readers cannot disagree about a file; only their time
// differs. A fuzz target compares them. Ownership: keeps buffers from image to image. Not
// thread-safe. Failure: only std::bad_alloc.
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

  // Writes the pixels of all rows to `rows`, as they are stored (1 or 3 bytes per pixel).
  // `row_bytes` is the distance in bytes between rows. Returns false if libpng must read this file;
  // the contents of `rows` are then undefined. `info` is the result of probe() for `file`. Sets
  // `palette` to the content of the PLTE chunk, if there is one.
  [[nodiscard]] bool read(std::span<const std::byte> file, const ImageInfo& info,
                          std::uint8_t* rows, std::size_t row_bytes,
                          std::span<const std::byte>& palette);

 private:
  [[nodiscard]] std::optional<std::span<const std::byte>> collect(
      std::span<const std::byte> file, std::size_t coded_bytes,
      std::span<const std::byte>& palette);
  std::unique_ptr<StrictInflate> inflate_;
  Buffer coded_;     // the joined IDAT chunks, if there are several
  Buffer inflated_;  // rows with their filter types
  Buffer zeros_;     // the row above the first
};

}  // namespace hotpack::codecs
