#include "codecs/image_info.hpp"

#include <string>
#include <tuple>

#include "support/catch.hpp"
#include "support/test_images.hpp"

namespace hotpack::codecs {
namespace {

using namespace std::string_view_literals;
using test::Bytes;
using test::JpegColor;
using test::PngColor;

Bytes small_jpeg() {
  return test::make_jpeg({.width = 20, .height = 10}, test::smooth_samples(20, 10, 3));
}

Bytes small_png() { return test::make_rgb_png(3, 2, test::smooth_samples(3, 2, 3)); }

ImageInfo info_of(const Bytes& file) {
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

bool same(const ImageInfo& a, const ImageInfo& b) {
  return std::tie(a.format, a.width, a.height, a.kind, a.bit_depth, a.orientation, a.has_alpha,
                  a.has_icc, a.more_images, a.multi_pass) ==
         std::tie(b.format, b.width, b.height, b.kind, b.bit_depth, b.orientation, b.has_alpha,
                  b.has_icc, b.more_images, b.multi_pass);
}

TEST_CASE("PNG and JPEG are recognized by content") {
  CHECK(sniff(small_png()) == FileFormat::png);
  CHECK(sniff(small_jpeg()) == FileFormat::jpeg);
  CHECK(sniff(test::bytes_of("BM......")) == FileFormat::other);
  CHECK(sniff(test::bytes_of("hello")) == FileFormat::other);
  CHECK(sniff({}) == FileFormat::other);
}

// `text` at `at` in a file of zeros.
Bytes foreign_file(std::size_t at, std::string_view text) {
  Bytes file(at);
  const Bytes mark = test::bytes_of(text);
  file.insert(file.end(), mark.begin(), mark.end());
  return file;
}

TEST_CASE("other formats are refused by name with advice, whatever the suffix") {
  struct Case {
    std::size_t at;
    std::string_view bytes;
    const char* message;
  };
  for (const Case& c :
       {Case{0, "BM......",
             "the content is that of a BMP file; BMP is not supported; convert it to PNG"},
        Case{0, "GIF89a", "GIF is not supported; convert it to PNG"},
        Case{0, "RIFF1234WEBPVP8 ", "WebP is not supported; convert it to PNG"},
        Case{0, "II*\0"sv, "TIFF is not supported; convert it to PNG"},
        Case{0, "MM\0*"sv, "TIFF is not supported; convert it to PNG"},
        Case{0, "MM\0+"sv, "TIFF is not supported"},
        Case{0, "\0\0\0\x0cjP  \r\n"sv, "JPEG 2000 is not supported"},
        Case{0, "\xff\x0a...", "JPEG XL is not supported"},
        Case{4, "ftypavif....", "AVIF is not supported"},
        Case{4, "ftypheic....", "HEIF is not supported"},
        Case{4, "ftypisom....", "MP4 or QuickTime is not supported; save its frames as PNG"},
        Case{0, "P5\n12 12\n255\n", "Netpbm is not supported; convert it to PNG"},
        Case{344, "n+1\0"sv, "NIfTI is not supported; convert its slices to PNG"},
        Case{128, "DICM", "DICOM is not supported"},
        Case{0, "MATLAB 5.0 MAT-file, Platform", "MATLAB is not supported; save its arrays as PNG"},
        Case{0, "\x93NUMPY\x01", "NumPy is not supported; save its arrays as PNG"},
        Case{0, "\x1f\x8b\x08", "gzip is not supported; unpack it first"},
        Case{0, " {\"images\": []}", "JSON is not supported; render its annotations to PNG masks"},
        Case{0, "<!DOCTYPE html>", "a web page in place of the image"},
        Case{0, "version https://git-lfs.github.com/spec/v1\noid sha256:4d",
             "run \"git lfs pull\""},
        Case{0, "hello", "neither PNG nor JPEG"},
        Case{0, "{\x01\x02", "neither PNG nor JPEG"},
        Case{0, "RIFF1234WAVEfmt ", "neither PNG nor JPEG"},
        Case{0, "\x89PNG\n\x1a\n......", "text mode"}}) {
    CAPTURE(c.message);
    CHECK_THAT(refusal_of(foreign_file(c.at, c.bytes)), ContainsSubstring(c.message));
  }
  CHECK_THAT(refusal_of({}), ContainsSubstring("empty"));
}

TEST_CASE("the header of a PNG determines its kind") {
  struct Case {
    PngColor color;
    int depth;
    PixelKind kind;
  };
  for (const Case& c :
       {Case{PngColor::gray, 1, PixelKind::gray}, Case{PngColor::gray, 16, PixelKind::gray},
        Case{PngColor::rgb, 8, PixelKind::rgb}, Case{PngColor::rgb, 16, PixelKind::rgb},
        Case{PngColor::palette, 2, PixelKind::palette},
        Case{PngColor::gray_alpha, 8, PixelKind::gray_alpha},
        Case{PngColor::rgba, 16, PixelKind::rgba}}) {
    const test::PngSpec spec{.width = 7,
                             .height = 5,
                             .color = c.color,
                             .bit_depth = c.depth,
                             .palette = c.kind == PixelKind::palette ? std::vector<test::Color>(4)
                                                                     : std::vector<test::Color>{}};
    const ImageInfo info =
        info_of(test::make_png(spec, test::noise_samples(7, 5, test::channels_of(c.color), 1)));
    const bool alpha = c.color == PngColor::gray_alpha || c.color == PngColor::rgba;
    CHECK(same(info, {.format = FileFormat::png,
                      .width = 7,
                      .height = 5,
                      .kind = c.kind,
                      .bit_depth = c.depth,
                      .has_alpha = alpha}));
    CHECK_FALSE(info.swaps_axes());
  }
}

// The TIFF structure alone, as in eXIf.
Bytes png_exif(int orientation, bool big_endian = false) {
  const Bytes payload = test::exif_payload(orientation, big_endian);
  return {payload.begin() + 6, payload.end()};
}

TEST_CASE("a PNG's eXIf chunk gives its orientation") {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    CHECK(info_of(test::with_png_chunk(small_png(), "eXIf", png_exif(orientation))).orientation ==
          orientation);
    CHECK(info_of(test::with_png_chunk(small_png(), "eXIf", png_exif(orientation, true)))
              .orientation == orientation);
  }
  const ImageInfo turned = info_of(test::with_png_chunk(small_png(), "eXIf", png_exif(6)));
  CHECK(turned.swaps_axes());
  CHECK(turned.width == 3);  // as stored
  CHECK(info_of(test::with_png_chunk(small_png(), "eXIf", png_exif(0))).orientation == 1);
  CHECK(info_of(test::with_png_chunk(small_png(), "eXIf", png_exif(9))).orientation == 1);
  CHECK(info_of(test::with_png_chunk(small_png(), "eXIf", {})).orientation == 1);
}

TEST_CASE("the first valid eXIf chunk before the pixels counts") {
  const Bytes turned = test::with_png_chunk(small_png(), "eXIf", png_exif(6));
  CHECK(info_of(test::with_png_chunk(turned, "eXIf", png_exif(3), "eXIf")).orientation == 3);
  CHECK(info_of(test::with_bad_png_checksum(turned, "eXIf")).orientation == 1);
  CHECK(info_of(
            test::with_png_chunk(test::with_bad_png_checksum(turned, "eXIf"), "eXIf", png_exif(8)))
            .orientation == 8);
  CHECK(info_of(test::with_png_chunk(small_png(), "eXIf", png_exif(6), "IEND")).orientation == 1);
  // JPEG's prefix does not belong in a PNG; libpng drops such a chunk.
  CHECK(info_of(test::with_png_chunk(small_png(), "eXIf", test::exif_payload(6))).orientation == 1);
}

TEST_CASE("alpha and tRNS count as transparency") {
  const auto has_alpha = [](const Bytes& file) { return info_of(file).has_alpha; };
  CHECK_FALSE(has_alpha(small_png()));
  CHECK_FALSE(has_alpha(small_jpeg()));
  CHECK(has_alpha(test::with_png_chunk(small_png(), "tRNS", Bytes(6))));
  CHECK(has_alpha(test::make_png({.color = PngColor::rgba}, test::noise_samples(1, 1, 4, 255))));
}

TEST_CASE("a color profile is detected") {
  CHECK_FALSE(info_of(small_png()).has_icc);
  CHECK(info_of(test::with_png_chunk(small_png(), "iCCP", Bytes(20))).has_icc);
  CHECK_FALSE(info_of(small_jpeg()).has_icc);
  CHECK(info_of(test::with_jpeg_segment(small_jpeg(), 0xE2,
                                        test::bytes_of("ICC_PROFILE\0\1\1profile"sv)))
            .has_icc);
}

Bytes animation_control(unsigned frames) {
  return {std::byte{0}, std::byte{0}, std::byte{0}, std::byte(frames), {}, {}, {}, {}};
}

TEST_CASE("animated PNG, MPO and Ultra HDR report more images than are read") {
  const auto more = [](const Bytes& file) { return info_of(file).more_images; };
  const auto animated = [](unsigned frames) {
    return test::with_png_chunk(small_png(), "acTL", animation_control(frames));
  };
  CHECK_FALSE(more(small_png()));
  CHECK(more(animated(2)));
  CHECK(more(animated(1)));  // the image itself is not a frame
  CHECK_FALSE(more(test::with_png_chunk(animated(1), "fcTL", Bytes(26))));
  CHECK(more(test::with_png_chunk(animated(3), "fcTL", Bytes(26))));

  const auto with_segment = [](unsigned marker, std::string_view text) {
    return test::with_jpeg_segment(small_jpeg(), marker, test::bytes_of(text));
  };
  CHECK_FALSE(more(small_jpeg()));
  CHECK(more(with_segment(0xE2, "MPF\0II*\0"sv)));
  CHECK(more(with_segment(0xE2, "urn:iso:std:iso:ts:21496:-1\0\0\0"sv)));
  CHECK(more(with_segment(
      0xE1,
      "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"/>"sv)));
  CHECK_FALSE(more(with_segment(0xE1, "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>"sv)));
  CHECK_FALSE(more(with_segment(0xE2, "FPXR\0"sv)));
}

TEST_CASE("the header of a JPEG determines its kind and orientation") {
  CHECK(same(info_of(small_jpeg()), {.format = FileFormat::jpeg, .width = 20, .height = 10}));
  const Bytes gray = test::make_jpeg({.width = 9, .height = 8, .color = JpegColor::gray},
                                     test::smooth_samples(9, 8, 1));
  CHECK(info_of(gray).kind == PixelKind::gray);
  const auto inks = test::smooth_samples(8, 8, 4);
  CHECK(info_of(test::make_jpeg({.width = 8, .height = 8, .color = JpegColor::cmyk}, inks)).kind ==
        PixelKind::cmyk);
  CHECK(info_of(test::make_jpeg({.width = 8, .height = 8, .color = JpegColor::ycck}, inks)).kind ==
        PixelKind::ycck);
  const Bytes turned = test::with_exif_orientation(small_jpeg(), 6, true);
  CHECK(info_of(turned).orientation == 6);
  CHECK(info_of(turned).swaps_axes());
  CHECK(info_of(turned).width == 20);  // as stored
}

TEST_CASE("the first EXIF segment counts, whatever other APP1 segments precede it") {
  const Bytes twice = test::with_exif_orientation(test::with_exif_orientation(small_jpeg(), 3), 8);
  CHECK(info_of(twice).orientation == 8);
  const Bytes after_xmp =
      test::with_jpeg_segment(twice, 0xE1, test::bytes_of("http://ns.adobe.com/xap/1.0/"));
  CHECK(info_of(after_xmp).orientation == 8);
}

// A prefix either asks for more or gives the result of the whole file; a complete file that ends
// there is refused.
void check_prefixes(const Bytes& file, std::size_t limit) {
  const ImageInfo whole = info_of(file);
  bool told = false;
  for (std::size_t size = 1; size <= limit; ++size) {
    const auto found = probe(std::span(file).first(size), false);
    REQUIRE(found.ok());
    if (told) REQUIRE_FALSE(found.value().need_more);  // more bytes never change a result
    told = !found.value().need_more;
    REQUIRE(probe(std::span(file).first(size), true).ok() == told);
    if (told) REQUIRE(same(found.value().info, whole));
  }
  CHECK(told);
}

TEST_CASE("a prefix is enough, or more is requested") {
  check_prefixes(small_png(), small_png().size());
  const Bytes dressed = test::with_png_chunk(test::with_png_chunk(small_png(), "eXIf", png_exif(6)),
                                             "tRNS", Bytes(6));
  check_prefixes(dressed, dressed.size());
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

TEST_CASE("the pixels of a PNG may come after much metadata") {
  const Bytes png = test::with_png_chunk(test::with_png_chunk(small_png(), "iTXt", Bytes(100000)),
                                         "eXIf", png_exif(5));
  const auto early = probe(std::span(png).first(65536), false);
  REQUIRE(early.ok());
  CHECK(early.value().need_more);
  CHECK(info_of(png).orientation == 5);
}

TEST_CASE("fill bytes before a marker are skipped") {
  Bytes jpeg = small_jpeg();
  jpeg.insert(jpeg.begin() + 2, 5, std::byte{0xFF});
  CHECK(info_of(jpeg).height == 10);
}

TEST_CASE("stray bytes before a marker are left to the decoder") {
  const Bytes jpeg = small_jpeg();
  for (const unsigned marker : {0xDBU, 0xC0U, 0xC4U, 0xDAU}) {
    CAPTURE(marker);
    Bytes stuffed = jpeg;
    const auto place =
        stuffed.begin() + static_cast<std::ptrdiff_t>(test::jpeg_segment_at(jpeg, marker));
    stuffed.insert(place, {std::byte{1}, std::byte{0xFF}, std::byte{0}, std::byte{2}});
    CHECK(same(info_of(stuffed), info_of(jpeg)));
    check_prefixes(stuffed, jpeg.size());
  }
}

TEST_CASE("interlaced PNGs and JPEGs of several scans take several passes") {
  const auto jpeg = [](test::JpegSpec spec) {
    spec.width = 20;
    spec.height = 10;
    return info_of(test::make_jpeg(spec, test::smooth_samples(20, 10, 3))).multi_pass;
  };
  CHECK_FALSE(jpeg({}));
  CHECK(jpeg({.progressive = true}));
  CHECK(jpeg({.separate_scans = true}));
  CHECK_FALSE(info_of(small_jpeg()).multi_pass);
  const auto png = [](bool interlaced) {
    test::PngSpec spec;
    spec.width = 8;
    spec.height = 8;
    spec.interlaced = interlaced;
    return info_of(test::make_png(spec, test::noise_samples(8, 8, 3, 255))).multi_pass;
  };
  CHECK_FALSE(png(false));
  CHECK(png(true));
}

TEST_CASE("damaged PNG headers are refused") {
  CHECK_THAT(refusal_of(test::with_bad_png_checksum(small_png(), "IHDR")),
             ContainsSubstring("checksum"));
  CHECK_THAT(refusal_of(test::with_png_byte(small_png(), "IHDR", 3, std::byte{0})),
             ContainsSubstring("width of 0"));
  CHECK_THAT(refusal_of(test::with_png_byte(small_png(), "IHDR", 4, std::byte{0x7F})),
             ContainsSubstring("height of 2130706434"));
  CHECK_THAT(refusal_of(test::with_png_byte(small_png(), "IHDR", 8, std::byte{3})),
             ContainsSubstring("3 bits"));
  CHECK_THAT(refusal_of(test::with_png_byte(small_png(), "IHDR", 9, std::byte{5})),
             ContainsSubstring("color type 5"));
  CHECK_THAT(refusal_of(test::without_png_chunk(small_png(), "IHDR")), ContainsSubstring("IHDR"));
  CHECK_THAT(refusal_of(test::truncated(small_png(), 20)),
             ContainsSubstring("truncated: it ends inside its header"));
  CHECK_THAT(refusal_of(test::truncated(small_png(), 38)),
             ContainsSubstring("truncated: it ends before its pixels"));
  CHECK_THAT(refusal_of(test::without_png_chunk(small_png(), "IDAT")),
             ContainsSubstring("no pixels"));
}

// The frame segment: marker, length, precision, height, width, channels.
Bytes with_frame_byte(std::size_t offset, std::byte value) {
  const Bytes jpeg = small_jpeg();
  return test::with_byte(jpeg, test::jpeg_segment_at(jpeg, 0xC0) + offset, value);
}

TEST_CASE("unsupported kinds of JPEG are refused by name") {
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xC3})),
             ContainsSubstring("lossless JPEG is not supported; save it as"));
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xF7})),
             ContainsSubstring("JPEG-LS is not supported; save it as"));
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xC5})),
             ContainsSubstring("hierarchical JPEG"));
  CHECK_THAT(refusal_of(with_frame_byte(4, std::byte{12})), ContainsSubstring("12-bit JPEG"));
  CHECK_THAT(refusal_of(with_frame_byte(9, std::byte{2})), ContainsSubstring("2 channels"));
}

TEST_CASE("damaged JPEG headers are refused") {
  const Bytes jpeg = small_jpeg();
  CHECK_THAT(refusal_of(with_frame_byte(6, std::byte{0})),
             ContainsSubstring("after its pixels (DNL)"));
  CHECK_THAT(refusal_of(with_frame_byte(3, std::byte{1})),
             ContainsSubstring("damaged"));  // a length of 1
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xD9})),
             ContainsSubstring("ends before any image"));
  CHECK_THAT(refusal_of(with_frame_byte(1, std::byte{0xE5})),
             ContainsSubstring("a scan comes before the frame"));
  CHECK_THAT(refusal_of(test::truncated(jpeg, 60)), ContainsSubstring("truncated"));
}

TEST_CASE("the error of the pixel limit says how to raise it") {
  const ImageInfo info{.width = 50000, .height = 50000};
  CHECK(check_pixel_limit(info, 2500000000).ok());
  const auto refused = check_pixel_limit(info, 2499999999);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::data);
  CHECK_THAT(refused.error().message, ContainsSubstring("50000x50000"));
  CHECK_THAT(refused.error().message, ContainsSubstring("2499999999"));
  CHECK_THAT(refused.error().message, ContainsSubstring("--max-pixels"));
}

TEST_CASE("formats have their usual names") {
  CHECK(format_name(FileFormat::png) == "PNG");
  CHECK(format_name(FileFormat::jpeg) == "JPEG");
  CHECK(pixel_kind_name(PixelKind::gray_alpha) == "gray+alpha");
  CHECK(pixel_kind_name(PixelKind::ycck) == "YCCK");
}

}  // namespace
}  // namespace hotpack::codecs
