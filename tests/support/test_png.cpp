// The PNG half of test_images.hpp.
#include <png.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "support/test_images.hpp"

namespace hotpack::test {
namespace {

constexpr std::size_t kSignatureSize = 8;
constexpr std::size_t kChunkOverhead = 12;  // length, type, checksum

[[noreturn]] void give_up(png_structp, png_const_charp text) {
  std::fprintf(stderr, "test image: %s\n", text);
  std::abort();
}

void stay_silent(png_structp, png_const_charp) {}

void append(png_structp png, png_bytep data, std::size_t size) {
  auto& file = *static_cast<Bytes*>(png_get_io_ptr(png));
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  file.insert(file.end(), begin, begin + size);
}

// Samples of one row as libpng accepts them before packing: one byte each, or big-endian words.
std::vector<png_byte> row_bytes(std::span<const std::uint16_t> samples, int bit_depth) {
  std::vector<png_byte> bytes;
  for (const std::uint16_t sample : samples) {
    if (bit_depth == 16) bytes.push_back(static_cast<png_byte>(sample >> 8));
    bytes.push_back(static_cast<png_byte>(sample & 0xFF));
  }
  return bytes;
}

void describe(png_structp png, png_infop info, const PngSpec& spec) {
  png_set_IHDR(png, info, static_cast<png_uint_32>(spec.width),
               static_cast<png_uint_32>(spec.height), spec.bit_depth, static_cast<int>(spec.color),
               spec.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> palette;
  for (const Color& color : spec.palette) palette.push_back({color[0], color[1], color[2]});
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
}

std::uint32_t u32_at(const Bytes& file, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(file.at(at + i));
  return value;
}

void put_u32(Bytes& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i)
    bytes.at(at + i) = static_cast<std::byte>(value >> (24 - 8 * i) & 0xFF);
}

// The first chunk of a type: the offset of its length field, and the size of its data.
struct Chunk {
  std::size_t at;
  std::size_t data_size;
  [[nodiscard]] std::size_t data_at() const { return at + 8; }
  [[nodiscard]] std::size_t checksum_at() const { return at + 8 + data_size; }
  [[nodiscard]] std::size_t end() const { return at + kChunkOverhead + data_size; }
};

Chunk find_chunk(const Bytes& png, std::string_view type) {
  for (std::size_t at = kSignatureSize; at + kChunkOverhead <= png.size();) {
    const Chunk chunk{at, u32_at(png, at)};
    if (std::string_view(reinterpret_cast<const char*>(png.data()) + at + 4, 4) == type)
      return chunk;
    at = chunk.end();
  }
  throw std::runtime_error("the test PNG has no chunk " + std::string(type));
}

void mend_checksum(Bytes& png, const Chunk& chunk) {
  const auto* covered = reinterpret_cast<const Bytef*>(png.data() + chunk.at + 4);
  put_u32(png, chunk.checksum_at(),
          static_cast<std::uint32_t>(crc32(0, covered, static_cast<uInt>(chunk.data_size + 4))));
}

Bytes make_chunk(std::string_view type, std::span<const std::byte> data) {
  Bytes bytes(4);
  put_u32(bytes, 0, static_cast<std::uint32_t>(data.size()));
  const Bytes name = bytes_of(type);
  bytes.insert(bytes.end(), name.begin(), name.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  bytes.resize(bytes.size() + 4);
  mend_checksum(bytes, {0, data.size()});
  return bytes;
}

std::vector<std::uint16_t> as_words(std::span<const std::uint8_t> samples) {
  return {samples.begin(), samples.end()};
}

}  // namespace

int channels_of(PngColor color) {
  switch (color) {
    case PngColor::gray_alpha:
      return 2;
    case PngColor::rgb:
      return 3;
    case PngColor::rgba:
      return 4;
    default:
      return 1;
  }
}

Bytes make_png(const PngSpec& spec, std::span<const std::uint16_t> samples) {
  const std::size_t row_samples =
      static_cast<std::size_t>(spec.width) * static_cast<std::size_t>(channels_of(spec.color));
  if (samples.size() != row_samples * static_cast<std::size_t>(spec.height))
    throw std::runtime_error("wrong number of samples");
  Bytes file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, give_up, stay_silent);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &file, append, nullptr);
  png_set_benign_errors(png, 1);  // indices beyond the palette are written too
  describe(png, info, spec);
  png_write_info(png, info);
  if (spec.bit_depth < 8) png_set_packing(png);
  const int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t y = 0; y < static_cast<std::size_t>(spec.height); ++y) {
      png_write_row(
          png, row_bytes(samples.subspan(y * row_samples, row_samples), spec.bit_depth).data());
    }
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

Bytes make_gray_png(int width, int height, std::span<const std::uint8_t> samples) {
  return make_png({.width = width, .height = height, .color = PngColor::gray}, as_words(samples));
}

Bytes make_rgb_png(int width, int height, std::span<const std::uint8_t> samples) {
  return make_png({.width = width, .height = height, .color = PngColor::rgb}, as_words(samples));
}

Bytes with_png_chunk(const Bytes& png, std::string_view type, std::span<const std::byte> data,
                     std::string_view before) {
  Bytes longer = png;
  const Bytes chunk = make_chunk(type, data);
  longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(find_chunk(png, before).at),
                chunk.begin(), chunk.end());
  return longer;
}

Bytes without_png_chunk(const Bytes& png, std::string_view type) {
  Bytes shorter = png;
  const Chunk chunk = find_chunk(png, type);
  shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(chunk.at),
                shorter.begin() + static_cast<std::ptrdiff_t>(chunk.end()));
  return shorter;
}

Bytes with_bad_png_checksum(const Bytes& png, std::string_view type) {
  const std::size_t at = find_chunk(png, type).checksum_at();
  return with_byte(png, at, png.at(at) ^ std::byte{1});
}

Bytes with_png_byte(const Bytes& png, std::string_view type, std::size_t offset_in_data,
                    std::byte value) {
  const Chunk chunk = find_chunk(png, type);
  Bytes changed = with_byte(png, chunk.data_at() + offset_in_data, value);
  mend_checksum(changed, chunk);
  return changed;
}

std::size_t png_chunk_data_size(const Bytes& png, std::string_view type) {
  return find_chunk(png, type).data_size;
}

Bytes deflated_zeros(std::size_t size) {
  const std::vector<Bytef> zeros(size);
  uLongf packed_size = compressBound(static_cast<uLong>(size));
  Bytes packed(packed_size);
  compress(reinterpret_cast<Bytef*>(packed.data()), &packed_size, zeros.data(),
           static_cast<uLong>(size));
  packed.resize(packed_size);
  return packed;
}

}  // namespace hotpack::test
