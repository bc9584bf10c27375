#include "codecs/picture_info.hpp"

#include <string>
#include <tuple>

#include "support/catch.hpp"
#include "support/test_pictures.hpp"

namespace hotpack::codecs {
namespace {

using namespace std::string_view_literals;
using test::Bytes;
using test::JpegColor;
using test::PngColor;

Bytes small_jpeg() { return test::make_jpeg({.width = 20, .height = 10}, test::smooth_samples(20, 10, 3)); }

Bytes small_png() { return test::make_rgb_png(3, 2, test::smooth_samples(3, 2, 3)); }

PictureInfo info_of(const Bytes& file) {
  const auto found = probe(file, true);
  REQUIRE(found.ok());
  REQUIRE_FALSE(found.value().need_more);
  return found.value().info;
}

std::string refusal_of(const Bytes& file) {
  const auto found = probe(file, true);
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::data);
  return found.error().message;
}

bool same(const PictureInfo& a, const PictureInfo& b) {
  return std::tie(a.format, a.width, a.height, a.kind, a.bit_depth, a.orientation) ==
         std::tie(b.format, b.width, b.height, b.kind, b.bit_depth, b.orientation);
}

TEST_CASE("formats are known by content") {
  CHECK(sniff(small_png()) == FileFormat::png);
  CHECK(sniff(small_jpeg()) == FileFormat::jpeg);
  CHECK(sniff(test::bytes_of("BM......")) == FileFormat::bmp);
  CHECK(sniff(test::bytes_of("GIF89a")) == FileFormat::gif);
  CHECK(sniff(test::bytes_of("RIFF1234WEBPVP8 ")) == FileFormat::webp);
  CHECK(sniff(test::bytes_of("RIFF1234WAVEfmt ")) == FileFormat::other);
  CHECK(sniff(test::bytes_of("II*\0"sv)) == FileFormat::tiff);
  CHECK(sniff(test::bytes_of("MM\0*"sv)) == FileFormat::tiff);
  CHECK(sniff(test::bytes_of("hello")) == FileFormat::other);
  CHECK(sniff({}) == FileFormat::empty);
}

TEST_CASE("other formats are refused by name with advice") {
  CHECK_THAT(refusal_of(test::bytes_of("BM......")), ContainsSubstring("BMP is not supported; convert it to PNG"));
  CHECK_THAT(refusal_of(test::bytes_of("II*\0"sv)), ContainsSubstring("TIFF is not supported; convert it to PNG"));
  CHECK_THAT(refusal_of(test::bytes_of("RIFF1234WEBPVP8 ")), ContainsSubstring("WebP"));
  CHECK_THAT(refusal_of(test::bytes_of("hello")), ContainsSubstring("neither PNG nor JPEG"));
  CHECK_THAT(refusal_of({}), ContainsSubstring("empty"));
  CHECK_THAT(refusal_of(test::bytes_of("\x89PNG\n\x1a\n......")), ContainsSubstring("text mode"));
}

TEST_CASE("the header of a PNG tells its kind") {
  struct Case {
    PngColor color;
    int depth;
    PixelKind kind;
  };
  for (const Case& c :
       {Case{PngColor::gray, 1, PixelKind::gray}, Case{PngColor::gray, 16, PixelKind::gray}, Case{PngColor::rgb, 8, PixelKind::rgb},
        Case{PngColor::rgb, 16, PixelKind::rgb}, Case{PngColor::palette, 2, PixelKind::palette},
        Case{PngColor::gray_alpha, 8, PixelKind::gray_alpha}, Case{PngColor::rgba, 16, PixelKind::rgba}}) {
    const test::PngSpec spec{.width = 7,
                             .height = 5,
                             .color = c.color,
                             .bit_depth = c.depth,
                             .palette = c.kind == PixelKind::palette ? std::vector<test::Color>(4) : std::vector<test::Color>{}};
    const PictureInfo info = info_of(test::make_png(spec, test::noise_samples(7, 5, test::channels_of(c.color), 1)));
    CHECK(same(info, {.format = FileFormat::png, .width = 7, .height = 5, .kind = c.kind, .bit_depth = c.depth}));
    CHECK_FALSE(info.swaps_axes());
  }
}

TEST_CASE("a PNG's EXIF is not looked at") {
  const Bytes exif = test::exif_payload(6);
  const Bytes turned = test::with_png_chunk(small_png(), "eXIf", std::span(exif).subspan(6));
  CHECK(info_of(turned).orientation == 1);
}

TEST_CASE("the header of a JPEG tells its kind and orientation") {
  CHECK(same(info_of(small_jpeg()), {.format = FileFormat::jpeg, .width = 20, .height = 10}));
  const Bytes gray = test::make_jpeg({.width = 9, .height = 8, .color = JpegColor::gray}, test::smooth_samples(9, 8, 1));
  CHECK(info_of(gray).kind == PixelKind::gray);
  const Bytes turned = test::with_exif_orientation(small_jpeg(), 6, true);
  CHECK(info_of(turned).orientation == 6);
  CHECK(info_of(turned).swaps_axes());
  CHECK(info_of(turned).width == 20);  // as stored
}

TEST_CASE("the first EXIF segment counts, whatever other APP1 segments come before") {
  const Bytes twice = test::with_exif_orientation(test::with_exif_orientation(small_jpeg(), 3), 8);
  CHECK(info_of(twice).orientation == 8);
  const Bytes after_xmp = test::with_jpeg_segment(twice, 0xE1, test::bytes_of("http://ns.adobe.com/xap/1.0/"));
  CHECK(info_of(after_xmp).orientation == 8);
}

// A prefix either asks for more or tells what the whole file tells; a complete file that ends there is refused.
void check_prefixes(const Bytes& file, std::size_t limit) {
  const PictureInfo whole = info_of(file);
  bool told = false;
  for (std::size_t size = 1; size <= limit; ++size) {
    const auto found = probe(std::span(file).first(size), false);
    REQUIRE(found.ok());
    if (told) REQUIRE_FALSE(found.value().need_more);  // more bytes never unsay it
    told = !found.value().need_more;
    REQUIRE(probe(std::span(file).first(size), true).ok() == told);
    if (told) REQUIRE(same(found.value().info, whole));
  }
  CHECK(told);
}

TEST_CASE("a prefix is enough, or more is asked for") {
  check_prefixes(small_png(), 40);
  check_prefixes(test::with_exif_orientation(small_jpeg(), 5), small_jpeg().size());
}

TEST_CASE("a JPEG header may come after much metadata") {
  Bytes jpeg = test::with_exif_orientation(small_jpeg(), 7);
  for (int i = 0; i < 3; ++i) jpeg = test::with_jpeg_segment(jpeg, 0xE2, Bytes(65533));
  const auto early = probe(std::span(jpeg).first(65536), false);
  REQUIRE(early.ok());
  CHECK(early.value().need_more);
  CHECK(info_of(jpeg).orientation == 7);
  CHECK(info_of(jpeg).width == 20);
}

TEST_CASE("fill bytes before a marker are stepped over") {
  Bytes jpeg = small_jpeg();
  jpeg.insert(jpeg.begin() + 2, 5, std::byte{0xFF});
  CHECK(info_of(jpeg).height == 10);
}

TEST_CASE("damaged PNG headers are refused") {
  CHECK_THAT(refusal_of(test::with_bad_png_checksum(small_png(), "IHDR")), ContainsSubstring("checksum"));
  CHECK_THAT(refusal_of(test::with_png_byte(small_png(), "IHDR", 3, std::byte{0})), ContainsSubstring("width of 0"));
  CHECK_THAT(refusal_of(test::with_png_byte(small_png(), "IHDR", 4, std::byte{0x7F})), ContainsSubstring("height of 2130706434"));
  CHECK_THAT(refusal_of(test::with_png_byte(small_png(), "IHDR", 8, std::byte{3})), ContainsSubstring("3 bits"));
  CHECK_THAT(refusal_of(test::with_png_byte(small_png(), "IHDR", 9, std::byte{5})), ContainsSubstring("colour type 5"));
  CHECK_THAT(refusal_of(test::without_png_chunk(small_png(), "IHDR")), ContainsSubstring("IHDR"));
  CHECK_THAT(refusal_of(test::truncated(small_png(), 20)), ContainsSubstring("truncated"));
}

// The frame segment: marker, length, precision, height, width, channels.
Bytes with_frame_byte(std::size_t offset, std::byte value) {
  const Bytes jpeg = small_jpeg();
  return test::with_byte(jpeg, test::jpeg_segment_at(jpeg, 0xC0) + offset, value);
}

TEST_CASE("JPEG kinds that are not supported are refused by name") {
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xC3})), ContainsSubstring("lossless JPEG"));
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xC5})), ContainsSubstring("hierarchical JPEG"));
  CHECK_THAT(refusal_of(with_frame_byte(4, std::byte{12})), ContainsSubstring("12-bit JPEG"));
  CHECK_THAT(refusal_of(with_frame_byte(9, std::byte{2})), ContainsSubstring("2 channels"));
  const auto inks = test::smooth_samples(8, 8, 4);
  CHECK_THAT(refusal_of(test::make_jpeg({.width = 8, .height = 8, .color = JpegColor::cmyk}, inks)),
             ContainsSubstring("CMYK JPEG is not supported; convert it to RGB"));
  CHECK_THAT(refusal_of(test::make_jpeg({.width = 8, .height = 8, .color = JpegColor::ycck}, inks)), ContainsSubstring("YCCK JPEG"));
}

TEST_CASE("damaged JPEG headers are refused") {
  const Bytes jpeg = small_jpeg();
  CHECK_THAT(refusal_of(with_frame_byte(6, std::byte{0})), ContainsSubstring("20x0"));
  CHECK_THAT(refusal_of(test::with_byte(jpeg, test::jpeg_segment_at(jpeg, 0xDB), std::byte{0})), ContainsSubstring("damaged"));
  CHECK_THAT(refusal_of(with_frame_byte(3, std::byte{1})), ContainsSubstring("damaged"));  // a length of 1
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xD9})), ContainsSubstring("ends before any picture"));
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xE5})), ContainsSubstring("a scan comes before the frame"));
  CHECK_THAT(refusal_of(test::truncated(jpeg, 60)), ContainsSubstring("truncated"));
}

TEST_CASE("the pixel limit names what was found and how to raise it") {
  const PictureInfo info{.width = 50000, .height = 50000};
  CHECK(check_pixel_limit(info, 2500000000).ok());
  const auto refused = check_pixel_limit(info, 2499999999);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::data);
  CHECK_THAT(refused.error().message, ContainsSubstring("50000x50000"));
  CHECK_THAT(refused.error().message, ContainsSubstring("2499999999"));
  CHECK_THAT(refused.error().message, ContainsSubstring("--max-pixels"));
}

TEST_CASE("names are those people use") {
  CHECK(format_name(FileFormat::webp) == "WebP");
  CHECK(pixel_kind_name(PixelKind::gray_alpha) == "gray+alpha");
  CHECK(pixel_kind_name(PixelKind::ycck) == "YCCK");
}

}  // namespace
}  // namespace hotpack::codecs
