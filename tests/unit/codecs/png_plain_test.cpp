#include "codecs/png_plain.hpp"

#include <string>
#include <vector>

#include "codecs/decoder.hpp"
#include "codecs/image_info.hpp"
#include "fuzz/png_mutator.hpp"
#include "support/catch.hpp"
#include "support/test_images.hpp"

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
  const ImageInfo info = probe(file, true).value().info;
  Rows rows;
  const std::size_t row_bytes =
      static_cast<std::size_t>(info.width) * static_cast<std::size_t>(channels);
  rows.samples.resize(row_bytes * static_cast<std::size_t>(info.height));
  std::span<const std::byte> palette;
  PlainPng plain;
  rows.read = plain.read(file, info, rows.samples.data(), row_bytes, palette);
  rows.palette_bytes = palette.size();
  return rows;
}

Bytes plain_rgb(int width = 33, int height = 21) {
  return make_rgb_png(width, height, smooth_samples(width, height, 3));
}

}  // namespace

TEST_CASE("plain images are read as they were made") {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {33, 21}, {256, 100}}) {
    const auto rgb = smooth_samples(width, height, 3), gray = smooth_samples(width, height, 1);
    const Rows color = rows_of(make_rgb_png(width, height, rgb), 3),
               flat = rows_of(make_gray_png(width, height, gray), 1);
    CHECK(color.read);
    CHECK(color.samples == rgb);
    CHECK(flat.read);
    CHECK(flat.samples == gray);
  }
}

TEST_CASE("a palette image returns its indices and the palette") {
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

TEST_CASE("an image that is not plain is left to libpng") {
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

TEST_CASE("a plain image with any flaw is left to libpng") {
  const Bytes good = plain_rgb();
  REQUIRE(rows_of(good, 3).read);
  CHECK_FALSE(rows_of(with_bad_png_checksum(good, "IDAT"), 3).read);
  CHECK_FALSE(rows_of(with_bad_png_checksum(good, "IEND"), 3).read);
  CHECK_FALSE(rows_of(without_png_chunk(good, "IEND"), 3).read);
  CHECK_FALSE(rows_of(with_png_byte(good, "IDAT", 0, std::byte{0}), 3).read);  // not a zlib stream
  for (std::size_t cut = 60; cut < good.size(); cut += 7)
    CHECK_FALSE(rows_of(truncated(good, cut), 3).read);
}

TEST_CASE("every changed byte of the coded rows is noticed") {
  const Bytes good = plain_rgb(12, 9);
  const std::size_t size = png_chunk_data_size(good, "IDAT");
  const Rows truth = rows_of(good, 3);
  for (std::size_t at = 0; at < size; ++at)
    for (const auto value : {std::byte{0x00}, std::byte{0xFF}, std::byte{0x5A}}) {
      const Rows changed = rows_of(with_png_byte(good, "IDAT", at, value), 3);
      if (changed.read) CHECK(changed.samples == truth.samples);  // the byte already had this value
    }
}

TEST_CASE("ancillary chunks and trailing bytes do not matter") {
  const Bytes noted = with_png_chunk(plain_rgb(), "tEXt", std::vector<std::byte>(40));
  CHECK(rows_of(noted, 3).read);
  CHECK(rows_of(with_tail(noted, "rest"), 3).read);
}

namespace {

// libpng's error for a file that the fast path leaves to it.
std::string verdict_of(const Bytes& file) {
  if (rows_of(file, 3).read) return "taken by the fast path";
  Decoder decoder;
  const auto image = decoder.decode_image(file, {});
  return image.ok() ? "read" : image.error().message;
}

Bytes with_header_byte(std::size_t at, unsigned value) {
  return with_png_byte(plain_rgb(), "IHDR", at, static_cast<std::byte>(value));
}

// 4x1 gray with these deflated bytes as pixels.
Bytes with_stream(hotpack::fuzz::Bytes deflated, std::uint32_t adler) {
  hotpack::fuzz::Bytes stream{0x78, 0x9C};
  stream.insert(stream.end(), deflated.begin(), deflated.end());
  hotpack::fuzz::put_be32(stream, adler);
  const Bytes bytes(reinterpret_cast<const std::byte*>(stream.data()),
                    reinterpret_cast<const std::byte*>(stream.data() + stream.size()));
  const Bytes made = make_gray_png(4, 1, std::vector<std::uint8_t>(4));
  return without_png_chunk(with_png_chunk(made, "IDAT", bytes, "IEND"), "IDAT");
}

}  // namespace

TEST_CASE("a header that libpng refuses is left to it") {
  CHECK_THAT(verdict_of(with_header_byte(10, 0x42)),
             ContainsSubstring("Invalid IHDR data"));  // compression
  CHECK_THAT(verdict_of(with_header_byte(11, 1)),
             ContainsSubstring("Invalid IHDR data"));  // filter
  CHECK_THAT(verdict_of(with_header_byte(12, 2)),
             ContainsSubstring("Invalid IHDR data"));  // interlacing
}

TEST_CASE("chunk types that are reserved or not letters are left to libpng") {
  for (const char* type : {"t3Xt", "te@t", "tEX[",
                           "\x01"
                           "EXt",
                           "tEX\xFF"})
    CHECK_THAT(verdict_of(with_png_chunk(plain_rgb(), type, {})),
               ContainsSubstring("invalid chunk type"));
  CHECK(verdict_of(with_png_chunk(plain_rgb(), "text", {})) == "read");
  CHECK(verdict_of(with_png_chunk(plain_rgb(), "tEXt", {})) == "taken by the fast path");
}

TEST_CASE("chunks that libpng finds too long are left to it") {
  const Bytes most(8'000'000), more(8'000'001);
  CHECK(verdict_of(with_png_chunk(plain_rgb(), "tEXt", most)) == "taken by the fast path");
  CHECK(verdict_of(with_png_chunk(plain_rgb(), "tEXt", more)) != "taken by the fast path");
}

TEST_CASE("an order of chunks that libpng refuses is left to it") {
  const Bytes good = plain_rgb(), nothing;
  CHECK_THAT(verdict_of(with_png_chunk(good, "IHDR", Bytes(13))), ContainsSubstring("damaged"));
  CHECK_THAT(verdict_of(with_png_chunk(good, "ABCD", nothing)), ContainsSubstring("damaged"));
  CHECK(verdict_of(with_png_chunk(good, "PLTE", Bytes(3))) == "read");
  CHECK(verdict_of(with_png_chunk(good, "PLTE", Bytes(3), "IEND")) == "read");
  CHECK(verdict_of(with_png_chunk(good, "IDAT", nothing, "IEND")) == "taken by the fast path");
}

TEST_CASE("both PNG decoders get past thousands of tiny chunks") {
  const Bytes good = plain_rgb();
  for (const char* type : {"tEXt", "text"}) {
    const Bytes one = with_png_chunk(good, type, {});
    const auto chunk = one.begin() + 33;  // after signature and IHDR
    Bytes many(one.begin(), chunk);
    for (int i = 0; i < 30000; ++i) many.insert(many.end(), chunk, chunk + 12);
    many.insert(many.end(), chunk + 12, one.end());
    CHECK(verdict_of(many) == (type[2] == 'X' ? "taken by the fast path" : "read"));
  }
}

TEST_CASE("a code that libdeflate accepts and zlib refuses is left to libpng") {
  hotpack::fuzz::BitWriter out;
  out.put(1, 1);
  out.put(1, 2);  // the fixed code
  out.word(0x30, 8);
  out.word(0x31, 8);
  out.word(1, 7);  // three bytes from a distance that has no symbol
  out.word(31, 5);
  out.put(0, 13);
  out.word(0, 7);
  CHECK_THAT(verdict_of(with_stream(out.take(), 0)), ContainsSubstring("invalid distance code"));
}

TEST_CASE("random files that the fast path accepts have libpng's pixels") {
  Decoder decoder;
  int taken = 0;
  hotpack::fuzz::Bytes last;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const hotpack::fuzz::Bytes made = hotpack::fuzz::PngMutator(seed).run(last.data(), last.size());
    const Bytes file(reinterpret_cast<const std::byte*>(made.data()),
                     reinterpret_cast<const std::byte*>(made.data() + made.size()));
    const auto found = probe(file, true);
    if (!found.ok() || found->info.kind != PixelKind::gray ||
        !check_pixel_limit(found->info, 1 << 16).ok())
      continue;
    const Rows rows = rows_of(file, found->info.bit_depth == 16 ? 2 : 1);
    if (!rows.read) continue;
    CAPTURE(seed);
    // a reserved type, which the fast path never reads
    const Bytes by_libpng = with_png_chunk(file, "text", {}, "IEND");
    const auto image = decoder.decode_image(by_libpng, {.channels = 1});
    REQUIRE(image.ok());
    REQUIRE(std::equal(rows.samples.begin(), rows.samples.end(), image->data));
    last = made;
    ++taken;
  }
  CHECK(taken > 300);
}
