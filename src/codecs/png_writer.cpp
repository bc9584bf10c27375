#include "codecs/png_writer.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/try.hpp"
#include "codecs/sample_rows.hpp"

namespace hotpack::codecs {
namespace {

constexpr std::size_t kMaxColors = 256;
constexpr std::size_t kMostChunkBytes = std::size_t{1} << 30;  // a chunk's length has only 31 bits
constexpr int kLevel = 5;  // of libdeflate: higher levels hardly shrink files, but double the time

// PNG's numbers for the types of pixels.
enum class ColorType : std::uint8_t { gray = 0, rgb = 2, palette = 3, rgba = 6 };

struct Description {
  int width = 0;
  int height = 0;
  ColorType color = ColorType::gray;
  int bit_depth = 8;
  std::span<const RgbColor> palette = {};
};

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const noexcept {
    libdeflate_free_compressor(compressor);
  }
};

void append_u32(std::uint32_t value, std::vector<std::byte>& out) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::byte>(value >> shift));
}

void append_chunk(std::string_view type, std::span<const std::byte> content,
                  std::vector<std::byte>& out) {
  append_u32(static_cast<std::uint32_t>(content.size()), out);
  const std::size_t begin = out.size();
  const auto name = std::as_bytes(std::span(type));
  out.insert(out.end(), name.begin(), name.end());
  out.insert(out.end(), content.begin(), content.end());
  append_u32(libdeflate_crc32(0, out.data() + begin, out.size() - begin), out);
}

void append_header(const Description& what, std::vector<std::byte>& out) {
  constexpr std::array<unsigned char, 8> kSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  const auto signature = std::as_bytes(std::span(kSignature));
  out.assign(signature.begin(), signature.end());
  std::vector<std::byte> header;
  append_u32(static_cast<std::uint32_t>(what.width), header);
  append_u32(static_cast<std::uint32_t>(what.height), header);
  header.push_back(static_cast<std::byte>(what.bit_depth));
  header.push_back(static_cast<std::byte>(what.color));
  header.insert(header.end(), 3, std::byte{0});  // deflate, the five filters, not interlaced
  append_chunk("IHDR", header, out);
  if (!what.palette.empty()) append_chunk("PLTE", std::as_bytes(what.palette), out);
}

// ---- filters

using Row = const std::uint8_t*;

unsigned predictor(unsigned left, unsigned above, unsigned corner) {
  const int p = static_cast<int>(left) + static_cast<int>(above) - static_cast<int>(corner);
  const int a = std::abs(p - static_cast<int>(left)), b = std::abs(p - static_cast<int>(above)),
            c = std::abs(p - static_cast<int>(corner));
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

// Writes the filtered row. `above` is never null.
void filter_row(int filter, Row row, Row above, std::size_t size, std::size_t step,
                std::uint8_t* out) {
  for (std::size_t i = 0; i < step; ++i)
    out[i] = static_cast<std::uint8_t>(row[i] - (filter == 1 ? 0 : above[i]));
  if (filter == 1) {
    for (std::size_t i = step; i < size; ++i)
      out[i] = static_cast<std::uint8_t>(row[i] - row[i - step]);
  } else if (filter == 2) {
    for (std::size_t i = step; i < size; ++i) out[i] = static_cast<std::uint8_t>(row[i] - above[i]);
  } else {
    for (std::size_t i = step; i < size; ++i)
      out[i] =
          static_cast<std::uint8_t>(row[i] - predictor(row[i - step], above[i], above[i - step]));
  }
}

// Returns the sum of the absolute values of the bytes, taken as signed numbers. Like most PNG
// writers, PhotoRows chooses the filter with the smallest sum.
std::uint64_t magnitude(const std::uint8_t* bytes, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += std::min<unsigned>(bytes[i], 256U - bytes[i]);
  return sum;
}

// Filters the rows of a photo. Appends for each row the number of the filter that suits it best (1:
// left, 2: above, 4: Paeth), and then the filtered bytes.
class PhotoRows {
 public:
  PhotoRows(std::size_t row_bytes, std::size_t step)
      : row_bytes_(row_bytes), step_(step), none_(row_bytes), tried_(row_bytes) {}

  void append(Row row, std::vector<std::uint8_t>& out) {
    const Row above = above_ == nullptr ? none_.data() : above_;
    const std::size_t at = out.size();
    out.resize(at + 1 + row_bytes_);
    std::uint64_t least = ~std::uint64_t{0};
    for (const int filter : {4, 2, 1}) {
      filter_row(filter, row, above, row_bytes_, step_, tried_.data());
      const std::uint64_t left = magnitude(tried_.data(), row_bytes_);
      if (left >= least) continue;
      least = left;
      out[at] = static_cast<std::uint8_t>(filter);
      std::copy(tried_.begin(), tried_.end(), out.begin() + static_cast<std::ptrdiff_t>(at + 1));
    }
    above_ = row;
  }

 private:
  std::size_t row_bytes_, step_;
  std::vector<std::uint8_t> none_, tried_;
  Row above_ = nullptr;
};

std::size_t row_bytes_of(const ConstPixels& image) {
  return static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
}

std::vector<std::uint8_t> photo_rows(const ConstPixels& image) {
  std::vector<std::uint8_t> rows;
  rows.reserve((row_bytes_of(image) + 1) * static_cast<std::size_t>(image.height));
  PhotoRows photo(row_bytes_of(image), static_cast<std::size_t>(image.channels));
  for (int y = 0; y < image.height; ++y) photo.append(image.row(y), rows);
  return rows;
}

// Makes rows without a filter, which is best for ids.
std::vector<std::uint8_t> plain_rows(const ConstPixels& image) {
  std::vector<std::uint8_t> rows;
  rows.reserve((row_bytes_of(image) + 1) * static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    rows.push_back(0);
    rows.insert(rows.end(), image.row(y), image.row(y) + row_bytes_of(image));
  }
  return rows;
}

// Makes rows of 16-bit ids without a filter, in PNG's byte order: upper byte first.
std::vector<std::uint8_t> big_endian(const ConstIds& image) {
  std::vector<std::uint8_t> rows;
  rows.reserve((2 * static_cast<std::size_t>(image.width) + 1) *
               static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    rows.push_back(0);
    for (int x = 0; x < image.width; ++x) {
      rows.push_back(static_cast<std::uint8_t>(image.row(y)[x] >> 8));
      rows.push_back(static_cast<std::uint8_t>(image.row(y)[x]));
    }
  }
  return rows;
}

// ---- the file

Result<std::vector<std::byte>> encode(const Description& what,
                                      const std::vector<std::uint8_t>& rows) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kLevel));
  if (compressor == nullptr) throw std::bad_alloc();
  std::vector<std::byte> packed(libdeflate_zlib_compress_bound(compressor.get(), rows.size()));
  packed.resize(libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(), packed.data(),
                                         packed.size()));
  if (packed.empty()) return internal_error("a PNG does not fit the bytes that it needs at most");
  std::vector<std::byte> file;
  file.reserve(packed.size() + 2048);
  append_header(what, file);
  for (std::span<const std::byte> rest(packed); !rest.empty();) {
    const std::size_t size = std::min(rest.size(), kMostChunkBytes);
    append_chunk("IDAT", rest.first(size), file);
    rest = rest.subspan(size);
  }
  append_chunk("IEND", {}, file);
  return file;
}

// Encodes the rows that `rows` makes. Both need memory, so both run where std::bad_alloc is caught.
template <class Rows>
Result<std::vector<std::byte>> encoded(const Description& what, Rows rows) try {
  return encode(what, rows());
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::io,
               "there is no memory to write a PNG of " + std::to_string(what.width) + "x" +
                   std::to_string(what.height),
               {},
               {}};
}

template <class Sample>
Status check_view(const PixelView<const Sample>& image) {
  if (image.data == nullptr || image.width < 1 || image.height < 1)
    return internal_error("there is no image to write as PNG");
  return {};
}

Status check_indices(const ConstPixels& indices, std::size_t colors) {
  for (int y = 0; y < indices.height; ++y) {
    const std::size_t most = largest(indices.row(y), static_cast<std::size_t>(indices.width));
    if (most >= colors) {
      return internal_error("palette index " + std::to_string(most) + " has no color; there are " +
                            std::to_string(colors));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::byte>> encode_png(ConstPixels image) {
  HOTPACK_TRY(check_view(image));
  const int channels = image.channels;
  if (channels != 1 && channels != 3 && channels != 4)
    return internal_error("a PNG is written from 1, 3 or 4 channels");
  const ColorType color = channels == 4   ? ColorType::rgba
                          : channels == 3 ? ColorType::rgb
                                          : ColorType::gray;
  return encoded({.width = image.width, .height = image.height, .color = color},
                 [&] { return photo_rows(image); });
}

Result<std::vector<std::byte>> encode_png_ids(ConstPixels image) {
  HOTPACK_TRY(check_view(image));
  if (image.channels != 1) return internal_error("a PNG of ids is written from 1 channel");
  return encoded({.width = image.width, .height = image.height}, [&] { return plain_rows(image); });
}

Result<std::vector<std::byte>> encode_png16(ConstIds image) {
  HOTPACK_TRY(check_view(image));
  if (image.channels != 1) return internal_error("a 16-bit PNG is written from 1 channel");
  return encoded({.width = image.width, .height = image.height, .bit_depth = 16},
                 [&] { return big_endian(image); });
}

Result<std::vector<std::byte>> encode_png_palette(ConstPixels indices,
                                                  std::span<const RgbColor> palette) {
  HOTPACK_TRY(check_view(indices));
  if (indices.channels != 1) return internal_error("a palette PNG is written from 1 channel");
  if (palette.empty() || palette.size() > kMaxColors)
    return internal_error("a PNG palette has 1 to 256 colors");
  HOTPACK_TRY(check_indices(indices, palette.size()));
  return encoded({.width = indices.width,
                  .height = indices.height,
                  .color = ColorType::palette,
                  .palette = palette},
                 [&] { return plain_rows(indices); });
}

}  // namespace hotpack::codecs
