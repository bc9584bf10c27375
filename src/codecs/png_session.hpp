// Reads one PNG file with libpng: handles errors, decides which chunks are read, and calls libpng
// in the right order.
//
// libpng reports errors with longjmp. All code that calls it runs inside guarded(), where no object
// owns anything that a jump would leak: lambdas hold references, loops plain values.
//
// Ancillary chunks are skipped unread and unchecked. So a decompression bomb in zTXt or iCCP and
// damaged metadata cost nothing, and gAMA, iCCP, sBIT and tRNS cannot change the value of a pixel.
// Critical chunks, IDAT's zlib checksum and IEND are checked; tRNS is checked too if the caller
// wants transparency.
//
// Ownership: owns libpng's structures; the file's bytes must outlive it. Not thread-safe. Failure:
// code `data` with libpng's text; `io` if memory is lacking.
#pragma once

#include <png.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/pixels.hpp"
#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::codecs {

enum class Transparency { dropped, wanted };  // what happens with tRNS

class PngSession {
 public:
  explicit PngSession(std::span<const std::byte> file);
  ~PngSession();
  PngSession(const PngSession&) = delete;
  PngSession& operator=(const PngSession&) = delete;

  // Reads the chunks before the first IDAT and then calls `set_transforms(png)`. `info` is the
  // result of probe() for the file. Fails if transparency is wanted and the tRNS chunk is
  // malformed.
  template <class SetTransforms>
  [[nodiscard]] Status start(const ImageInfo& info, Transparency transparency,
                             const SetTransforms& set_transforms) {
    height_ = info.height;
    return guarded([&] {
      read_header(info, transparency);
      set_transforms(png_);
      settle_layout();
    });
  }

  // Returns the colors of PLTE as stored. libpng owns them.
  [[nodiscard]] std::span<const png_color> palette() const;
  // Returns one alpha value for each of the first colors of the palette; the other colors are
  // opaque. Returns an empty span if transparency is not wanted or the file has none. libpng owns
  // the values.
  [[nodiscard]] std::span<const png_byte> palette_alpha() const;

  // Reads all rows to `rows`, `row_bytes` apart, and the file to its end.
  [[nodiscard]] Status read_into(void* rows, std::size_t row_bytes) {
    return guarded([&] {
      read_passes(static_cast<png_bytep>(rows), row_bytes);
      png_read_end(png_, nullptr);
    });
  }

  // Decodes all rows. Reads each row into `raw` and calls `convert(row, y)` with it. Reads the file
  // to its end. If the image is interlaced, `raw` holds the whole image, otherwise one row.
  // `convert` must not throw or own anything.
  template <class Convert>
  [[nodiscard]] Status read_through(Buffer& raw, const Convert& convert) {
    const std::size_t rows_held = passes_ > 1 ? static_cast<std::size_t>(height_) : 1;
    auto* rows = raw.reserve_as<png_byte>(row_bytes_ * rows_held);
    return guarded([&] {
      if (passes_ > 1) read_passes(rows, row_bytes_);
      for (int y = 0; y < height_; ++y) {
        png_bytep row = passes_ > 1 ? rows + static_cast<std::size_t>(y) * row_bytes_ : rows;
        if (passes_ == 1) png_read_row(png_, row, nullptr);
        convert(row, y);
      }
      png_read_end(png_, nullptr);
    });
  }

 private:
  template <class Body>
  [[nodiscard]] Status guarded(const Body& body) {
    if (png_ == nullptr || info_ == nullptr) return out_of_memory();
    if (setjmp(png_jmpbuf(png_)) != 0) return failure();
    body();
    return {};
  }

  void read_header(const ImageInfo& info, Transparency transparency);
  void set_chunk_policy(Transparency transparency);
  void settle_layout();
  void read_passes(png_bytep rows, std::size_t row_bytes);
  [[nodiscard]] Error failure() const;
  [[nodiscard]] static Error out_of_memory();

  [[noreturn]] static void on_error(png_structp png, png_const_charp text);
  static void on_warning(png_structp png, png_const_charp text);
  static void on_read(png_structp png, png_bytep into, std::size_t size);
  static png_voidp on_allocate(png_structp png, png_alloc_size_t size);
  static void on_free(png_structp png, png_voidp memory);

  std::span<const std::byte> unread_;
  char message_[256] = {};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int height_ = 0;
  int passes_ = 1;
  std::size_t row_bytes_ = 0;
  bool memory_lacked_ = false;
};

}  // namespace hotpack::codecs
