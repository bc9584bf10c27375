#include "codecs/png_plain.hpp"

#include <vector>

#include "codecs/picture_info.hpp"
#include "support/catch.hpp"
#include "support/test_pictures.hpp"

using namespace hotpack;
using namespace hotpack::codecs;
using namespace hotpack::test;

namespace {

struct Rows {
  bool read = false;
  std::vector<std::uint8_t> samples;
  std::size_t palette_bytes = 0;
};

Rows rows_of(const Bytes& file, int channels) {
  const PictureInfo info = probe(file, true).value().info;
  Rows rows;
  const std::size_t row_bytes = static_cast<std::size_t>(info.width) * static_cast<std::size_t>(channels);
  rows.samples.resize(row_bytes * static_cast<std::size_t>(info.height));
  std::span<const std::byte> palette;
  PlainPng plain;
  rows.read = plain.read(file, info, rows.samples.data(), row_bytes, palette);
  rows.palette_bytes = palette.size();
  return rows;
}

Bytes plain_rgb(int width = 33, int height = 21) { return make_rgb_png(width, height, smooth_samples(width, height, 3)); }

}  // namespace

TEST_CASE("plain pictures are read as they were made") {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {33, 21}, {256, 100}}) {
    const auto rgb = smooth_samples(width, height, 3), gray = smooth_samples(width, height, 1);
    const Rows color = rows_of(make_rgb_png(width, height, rgb), 3), flat = rows_of(make_gray_png(width, height, gray), 1);
    CHECK(color.read);
    CHECK(color.samples == rgb);
    CHECK(flat.read);
    CHECK(flat.samples == gray);
  }
}

TEST_CASE("a palette picture gives its indices and the palette") {
  PngSpec spec;
  spec.width = 5;
  spec.height = 4;
  spec.color = PngColor::palette;
  spec.palette = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const auto indices = noise_samples(5, 4, 1, 2);
  const Rows rows = rows_of(make_png(spec, indices), 1);
  CHECK(rows.read);
  CHECK(rows.palette_bytes == 9);
  CHECK(std::equal(indices.begin(), indices.end(), rows.samples.begin(), rows.samples.end()));
}

TEST_CASE("what is not plain is left to libpng") {
  PngSpec interlaced;
  interlaced.width = interlaced.height = 9;
  interlaced.interlaced = true;
  CHECK_FALSE(rows_of(make_png(interlaced, noise_samples(9, 9, 3, 255)), 3).read);
  PngSpec deep;
  deep.width = deep.height = 4;
  deep.color = PngColor::gray;
  deep.bit_depth = 16;
  CHECK_FALSE(rows_of(make_png(deep, noise_samples(4, 4, 1, 65535)), 2).read);
  PngSpec alpha;
  alpha.width = alpha.height = 4;
  alpha.color = PngColor::rgba;
  CHECK_FALSE(rows_of(make_png(alpha, noise_samples(4, 4, 4, 255)), 4).read);
}

TEST_CASE("a plain picture with any flaw is left to libpng") {
  const Bytes good = plain_rgb();
  REQUIRE(rows_of(good, 3).read);
  CHECK_FALSE(rows_of(with_bad_png_checksum(good, "IDAT"), 3).read);
  CHECK_FALSE(rows_of(with_bad_png_checksum(good, "IEND"), 3).read);
  CHECK_FALSE(rows_of(without_png_chunk(good, "IEND"), 3).read);
  CHECK_FALSE(rows_of(with_png_byte(good, "IDAT", 0, std::byte{0}), 3).read);  // no zlib stream
  for (std::size_t cut = 60; cut < good.size(); cut += 7) CHECK_FALSE(rows_of(truncated(good, cut), 3).read);
}

TEST_CASE("no changed byte of the coded rows goes unnoticed") {
  const Bytes good = plain_rgb(12, 9);
  const std::size_t size = png_chunk_data_size(good, "IDAT");
  const Rows truth = rows_of(good, 3);
  for (std::size_t at = 0; at < size; ++at)
    for (const auto value : {std::byte{0x00}, std::byte{0xFF}, std::byte{0x5A}}) {
      const Rows changed = rows_of(with_png_byte(good, "IDAT", at, value), 3);
      if (changed.read) CHECK(changed.samples == truth.samples);  // the byte had this value already
    }
}

TEST_CASE("ancillary chunks and trailing bytes do not matter") {
  const Bytes noted = with_png_chunk(plain_rgb(), "tEXt", std::vector<std::byte>(40));
  CHECK(rows_of(noted, 3).read);
  CHECK(rows_of(with_tail(noted, "rest"), 3).read);
}
