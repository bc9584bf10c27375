#include "codecs/jpeg_reader.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>
// jpeglib.h requires that size_t and FILE are declared before it.
#include <jpeglib.h>

#include "codecs/decoder.hpp"
#include "codecs/sample_rows.hpp"
#include "support/catch.hpp"
#include "support/test_images.hpp"

namespace hotpack::codecs {
namespace {

using test::Bytes;
using test::JpegColor;
using test::JpegSpec;
using Pixels = std::vector<std::uint8_t>;

constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

// The shortest program that reads a valid JPEG with plain libjpeg, as OpenCV and Pillow do.
Pixels plainly_read(const Bytes& file, bool fancy = true, unsigned denominator = 1) {
  jpeg_decompress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&state);
  jpeg_mem_src(&state, reinterpret_cast<const unsigned char*>(file.data()),
               static_cast<unsigned long>(file.size()));
  jpeg_read_header(&state, TRUE);
  state.do_fancy_upsampling = fancy ? TRUE : FALSE;
  state.scale_num = 1;
  state.scale_denom = denominator;
  jpeg_start_decompress(&state);
  const std::size_t row_bytes =
      std::size_t{state.output_width} * static_cast<std::size_t>(state.output_components);
  Pixels pixels(row_bytes * state.output_height);
  while (state.output_scanline < state.output_height) {
    JSAMPROW row = pixels.data() + row_bytes * state.output_scanline;
    jpeg_read_scanlines(&state, &row, 1);
  }
  jpeg_finish_decompress(&state);
  jpeg_destroy_decompress(&state);
  return pixels;
}

Pixels pixels_of(const ConstPixels& image) {
  REQUIRE(image.packed());
  return {image.data, image.data + image.row_bytes * static_cast<std::size_t>(image.height)};
}

Bytes sized_jpeg(JpegSpec spec) {
  spec.width = spec.width == 1 ? 45 : spec.width;
  spec.height = spec.height == 1 ? 35 : spec.height;
  return test::make_jpeg(
      spec, test::smooth_samples(spec.width, spec.height, spec.color == JpegColor::gray ? 1 : 3));
}

std::string refusal_of(const Bytes& file) {
  Decoder decoder;
  const auto image = decoder.decode_image(file, {});
  REQUIRE_FALSE(image.ok());
  CHECK(image.error().code == ErrorCode::data);
  return image.error().message;
}

bool reads_as(const Bytes& file, const Pixels& pixels) {
  Decoder decoder;
  const auto image = decoder.decode_image(file, {});
  return image.ok() && pixels_of(image.value()) == pixels;
}

int largest_difference(const Pixels& a, const Pixels& b) {
  int most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(int{a[i]} - int{b[i]}));
  return most;
}

std::vector<JpegSpec> all_kinds() {
  return {{.horizontal = 1, .vertical = 1},
          {.horizontal = 2, .vertical = 1},
          {.horizontal = 1, .vertical = 2},
          {.horizontal = 2, .vertical = 2},
          {.horizontal = 4, .vertical = 1},
          {.horizontal = 2, .vertical = 2, .progressive = true},
          {.horizontal = 2, .vertical = 1, .separate_scans = true},
          {.color = JpegColor::rgb},
          {.color = JpegColor::rgb, .progressive = true}};
}

TEST_CASE("color JPEGs of every kind equal a plain libjpeg read") {
  Decoder decoder;
  for (const JpegSpec& spec : all_kinds()) {
    CAPTURE(spec.horizontal, spec.vertical, spec.progressive, static_cast<int>(spec.color));
    const Bytes file = sized_jpeg(spec);
    const auto image = decoder.decode_image(file, {});
    REQUIRE(image.ok());
    CHECK(image.value().width == 45);
    CHECK(image.value().height == 35);
    CHECK(image.value().channels == 3);
    const Pixels pixels = pixels_of(image.value());
    CHECK(pixels == plainly_read(file));
    CHECK(largest_difference(pixels, test::smooth_samples(45, 35, 3)) <
          24);  // the image that went in, red first
  }
}

// 21x19, 4:2:0, baseline.
constexpr std::string_view kBaselineHex =
    "ffd8ffe000104a46494600010100000100010000ffdb004300100b0c0e0c0a100e0d0e1211101318281a1816161831"
    "23251d283a333d3c3933383740"
    "485c4e404457453738506d51575f626768673e4d71797064785c656763ffdb0043011112121815182f1a1a2f634238"
    "42636363636363636363636363"
    "6363636363636363636363636363636363636363636363636363636363636363636363636363ffc000110800130015"
    "03012200021101031101ffc400"
    "160001010100000000000000000000000000000406ffc4002410000102040505000000000000000000000001020304"
    "1161051214225121314142b1ff"
    "c4001501010100000000000000000000000000000504ffc40020110001040104030000000000000000000001000203"
    "0412111314612371d1ffda000c"
    "03010002110311003f00ad93772b83377334c98b954198b84d98df9a969d1e96aa14dedee0ce47c5348d66ccf9abe6"
    "94a0288eb4ae6820245fc789d8"
    "3ce84747e2cf315792b82abc802d640cd5b4c29f1255d437afa27d5000a4006d8455c1e777b5ffd9";
// The same image, 4:2:2, progressive.
constexpr std::string_view kProgressiveHex =
    "ffd8ffe000104a46494600010100000100010000ffdb004300100b0c0e0c0a100e0d0e1211101318281a1816161831"
    "23251d283a333d3c3933383740"
    "485c4e404457453738506d51575f626768673e4d71797064785c656763ffdb0043011112121815182f1a1a2f634238"
    "42636363636363636363636363"
    "6363636363636363636363636363636363636363636363636363636363636363636363636363ffc200110800130015"
    "03012100021101031101ffc400"
    "160001010100000000000000000000000000030005ffc400160101010100000000000000000000000000040203ffda"
    "000c0301000210031000000156"
    "10dea7e2ad4a5b5e736da9ca2fffc4001a100002030101000000000000000000000000010203121032ffda00080101"
    "00010502d0a4291a14876e788b"
    "3d7fffc4001a110002030101000000000000000000000000030102121132ffda0008010301013f014ac8a09a0c762d"
    "9e091dee4fffc4001a11000203"
    "0101000000000000000000000000010203211112ffda0008010201013f01b1e89e16434853d458974825e4ffc40014"
    "10010000000000000000000000"
    "0000000030ffda0008010100063f021fffc4001a100002030101000000000000000000000000011011213171ffda00"
    "08010100013f2151f1142aab2e"
    "c51e5e1fffda000c030100020003000000109cd1b3ffc4001b11000202030100000000000000000000000001112110"
    "6181e1ffda0008010301013f10"
    "0a704b5b1bf0442aec7fffc4001811010101010100000000000000000000000001112141ffda0008010201013f10b3"
    "4c2cd6375e6b338fffc4001b10"
    "0002020301000000000000000000000000011161314151b1ffda0008010100013f10bcb4ee2e2c2ebb71103be8cfa3"
    "3c9afacfffd9";

Bytes from_hex(std::string_view digits) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(
        static_cast<std::byte>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::uint64_t fnv1a(const Pixels& pixels) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t pixel : pixels) hash = (hash ^ pixel) * 0x100000001b3;
  return hash;
}

// The hashes are those of the pixels that cv2.imdecode of OpenCV 4.6.0 returns for these bytes,
// with channels in RGB order.
TEST_CASE("pixels are those of OpenCV 4.6") {
  Decoder decoder;
  CHECK(fnv1a(pixels_of(decoder.decode_image(from_hex(kBaselineHex), {}).value())) ==
        0x877297d2ef74d192);
  CHECK(fnv1a(pixels_of(decoder.decode_image(from_hex(kProgressiveHex), {}).value())) ==
        0x12bc71b488242a80);
}

TEST_CASE("chroma is upsampled smoothly") {
  const Bytes file = sized_jpeg({.horizontal = 2, .vertical = 2});
  CHECK(reads_as(file, plainly_read(file, true)));
  CHECK_FALSE(reads_as(file, plainly_read(file, false)));
}

#ifdef C_ARITH_CODING_SUPPORTED
TEST_CASE("arithmetic coding is decoded") {
  const Bytes file = sized_jpeg({.arithmetic = true});
  CHECK(reads_as(file, plainly_read(file)));
}
#endif

TEST_CASE("gray JPEGs are replicated to RGB or kept") {
  const Bytes file = sized_jpeg({.color = JpegColor::gray});
  const Pixels gray = plainly_read(file);
  Pixels rgb(gray.size() * 3);
  replicate_gray(gray.data(), rgb.data(), gray.size());
  Decoder decoder;
  CHECK(pixels_of(decoder.decode_image(file, {.channels = 3}).value()) == rgb);
  CHECK(pixels_of(decoder.decode_image(file, {.channels = 1}).value()) == gray);
}

TEST_CASE("color JPEGs become gray by the luma of their RGB") {
  const Bytes file = sized_jpeg({.horizontal = 2, .vertical = 2});
  const Pixels rgb = plainly_read(file);
  Pixels gray(rgb.size() / 3);
  rgb_to_gray(rgb.data(), gray.data(), gray.size());
  Decoder decoder;
  CHECK(pixels_of(decoder.decode_image(file, {.channels = 1}).value()) == gray);
}

TEST_CASE("JPEG labels are read and marked as lossy") {
  Decoder decoder;
  const Bytes color = test::with_exif_orientation(sized_jpeg({}), 6);
  const auto colors = decoder.decode_label(color, kMaxPixels);
  REQUIRE(colors.ok());
  CHECK(colors.value().lossy);
  CHECK(colors.value().form == "RGB JPEG");
  CHECK(colors.value().samples.data == nullptr);
  CHECK(colors.value().width == 45);  // never turned
  CHECK(pixels_of(colors.value().rgb) == plainly_read(color));

  const Bytes gray = sized_jpeg({.color = JpegColor::gray});
  const auto samples = decoder.decode_label(gray, kMaxPixels);
  REQUIRE(samples.ok());
  CHECK(samples.value().lossy);
  CHECK(samples.value().form == "gray JPEG");
  CHECK(samples.value().rgb.data == nullptr);
  const Pixels expected = plainly_read(gray);
  CHECK(std::equal(expected.begin(), expected.end(), samples.value().samples.data));
}

TEST_CASE("a JPEG is decoded at a fraction of its size on request") {
  Decoder decoder;
  for (const JpegSpec& spec : all_kinds()) {
    const Bytes file = sized_jpeg(spec);
    for (const int denominator : {1, 2, 4, 8}) {
      CAPTURE(spec.horizontal, spec.vertical, spec.progressive, denominator);
      const auto image = decoder.decode_image(file, {.jpeg_denominator = denominator});
      REQUIRE(image.ok());
      CHECK(image.value().width == (45 + denominator - 1) / denominator);
      CHECK(image.value().height == (35 + denominator - 1) / denominator);
      CHECK(pixels_of(image.value()) ==
            plainly_read(file, true, static_cast<unsigned>(denominator)));
    }
  }
}

TEST_CASE("a fraction of a JPEG becomes gray and is turned as the whole is") {
  const Bytes file = test::with_exif_orientation(sized_jpeg({}), 6);
  Decoder decoder;
  const auto image =
      decoder.decode_image(file, {.channels = 1, .apply_orientation = true, .jpeg_denominator = 2});
  REQUIRE(image.ok());
  CHECK(image.value().width == 18);
  CHECK(image.value().height == 23);
  CHECK(image.value().channels == 1);
}

TEST_CASE("a fraction of a JPEG that ends too early is refused too") {
  const Bytes file = sized_jpeg({});
  Decoder decoder;
  for (const int denominator : {2, 4, 8}) {
    const auto image = decoder.decode_image(test::truncated(file, file.size() - 3),
                                            {.jpeg_denominator = denominator});
    REQUIRE_FALSE(image.ok());
    CHECK_THAT(image.error().message, ContainsSubstring("Premature end of JPEG file"));
  }
}

TEST_CASE("orientation is applied on request") {
  const Bytes upright = sized_jpeg({});
  const Bytes turned = test::with_exif_orientation(upright, 6);
  CHECK(reads_as(turned, plainly_read(upright)));
  Decoder decoder;
  const auto image = decoder.decode_image(turned, {.apply_orientation = true});
  REQUIRE(image.ok());
  CHECK(image.value().width == 35);
  CHECK(image.value().height == 45);
  const Pixels stored = plainly_read(upright);
  // Clockwise: the stored top left corner appears at the top right.
  CHECK(std::equal(stored.begin(), stored.begin() + 3, image.value().row(0) + 34 * 3));
}

TEST_CASE("a JPEG that ends too early is refused wherever it ends") {
  for (const bool progressive : {false, true}) {
    const Bytes file = sized_jpeg({.progressive = progressive});
    for (std::size_t size = 0; size < file.size(); ++size) {
      CAPTURE(size, progressive);
      const std::string message = refusal_of(test::truncated(file, size));
      if (size >= test::last_jpeg_segment_at(file, 0xDA) + 14) {
        REQUIRE_THAT(message, ContainsSubstring("damaged or truncated"));
        REQUIRE_THAT(message, ContainsSubstring("Premature end of JPEG file"));
      }
    }
  }
}

TEST_CASE("libjpeg's warnings are errors with its own text") {
  const Bytes file = sized_jpeg({});
  Bytes scrambled = file;
  const auto scan = static_cast<std::ptrdiff_t>(test::last_jpeg_segment_at(file, 0xDA) + 14);
  std::fill(scrambled.begin() + scan + 20, scrambled.begin() + scan + 60, std::byte{0xFE});
  CHECK_THAT(refusal_of(scrambled),
             ContainsSubstring("the JPEG is damaged or truncated: Corrupt JPEG data"));
}

// So many that libjpeg does not take them all for the end of a scan.
Bytes with_stray_bytes(Bytes file, std::size_t before) {
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(before), 64, std::byte{0x12});
  return file;
}

TEST_CASE("stray bytes before the end marker are a flaw that is accepted") {
  for (const JpegSpec& spec : all_kinds()) {
    CAPTURE(spec.progressive, spec.separate_scans);
    const Bytes file = sized_jpeg(spec);
    const Bytes stuffed = with_stray_bytes(file, file.size() - 2);
    Decoder decoder;
    for (const bool lenient : {false, true}) {
      const auto image = decoder.decode_image(stuffed, {.lenient = lenient});
      REQUIRE(image.ok());
      CHECK(pixels_of(*image) == plainly_read(file));
      CHECK_THAT(decoder.flaw().text, ContainsSubstring(" extraneous bytes before marker 0xd9"));
      CHECK_FALSE(decoder.flaw().lenient);
    }
    REQUIRE(decoder.decode_label(stuffed, kMaxPixels).ok());
    CHECK(decoder.flaw().found());
    REQUIRE(decoder.decode_image(file, {}).ok());
    CHECK_FALSE(decoder.flaw().found());
  }
}

TEST_CASE("an unknown JFIF revision is a flaw that is accepted") {
  const Bytes file = sized_jpeg({.color = JpegColor::gray});
  const Bytes later = test::with_byte(file, test::jpeg_segment_at(file, 0xE0) + 9, std::byte{29});
  Decoder decoder;
  REQUIRE(decoder.decode_label(later, kMaxPixels).ok());
  CHECK_THAT(decoder.flaw().text, ContainsSubstring("unknown JFIF revision number 29"));
  CHECK_FALSE(decoder.flaw().lenient);
  CHECK(reads_as(later, pixels_of(decoder.decode_image(file, {}).value())));
}

TEST_CASE("faults that cost pixels are refused even with lenient") {
  const Bytes restarts = sized_jpeg({.restart_rows = 1});
  const Bytes progressive = sized_jpeg({.progressive = true});
  const auto scan = test::last_jpeg_segment_at(restarts, 0xDA);
  std::size_t restart = scan;
  while (restarts[restart] != std::byte{0xFF} || restarts[restart + 1] != std::byte{0xD0})
    ++restart;
  Bytes scrambled = sized_jpeg({});
  std::fill(scrambled.end() - 60, scrambled.end() - 20, std::byte{0xFE});
  const Bytes faulty = GENERATE_COPY(
      with_stray_bytes(restarts, restart), test::truncated(restarts, restarts.size() - 2),
      test::truncated(progressive, progressive.size() - 2), scrambled,
      test::truncated(with_stray_bytes(restarts, test::jpeg_segment_at(restarts, 0xDB)),
                      restarts.size()));
  Decoder decoder;
  for (const bool lenient : {false, true}) {
    const auto image = decoder.decode_image(faulty, {.lenient = lenient});
    REQUIRE_FALSE(image.ok());
    CHECK_THAT(image.error().message, ContainsSubstring("the JPEG is damaged or truncated: ") &&
                                          !ContainsSubstring("lenient"));
  }
}

TEST_CASE("JPEGs with restarts and rare subsampling are decoded") {
  for (const auto& [horizontal, vertical] :
       {std::pair{4, 1}, {1, 2}, {1, 4}, {2, 4}, {4, 2}, {3, 1}})
    for (const int restart_rows : {0, 1}) {
      CAPTURE(horizontal, vertical, restart_rows);
      const Bytes file = sized_jpeg(
          {.horizontal = horizontal, .vertical = vertical, .restart_rows = restart_rows});
      CHECK(reads_as(file, plainly_read(file)));
    }
  const Bytes filled = sized_jpeg({.restart_rows = 1});
  Bytes padded = filled;
  padded.insert(padded.begin() + static_cast<std::ptrdiff_t>(test::jpeg_segment_at(filled, 0xDB)),
                3, std::byte{0xFF});  // fill bytes
  CHECK(reads_as(padded, plainly_read(filled)));
}

TEST_CASE("odd JPEGs that cannot be read are refused with the reason") {
  const Bytes file = sized_jpeg({});
  const std::size_t frame = test::jpeg_segment_at(file, 0xC0);
  CHECK_THAT(refusal_of(test::with_byte(file, frame + 4, std::byte{12})),
             ContainsSubstring("12-bit JPEG is not supported"));
  CHECK_THAT(refusal_of(test::with_byte(file, frame + 1, std::byte{0xC3})),
             ContainsSubstring("lossless JPEG is not supported"));
  CHECK_THAT(refusal_of(test::with_byte(file, frame + 1, std::byte{0xC5})),
             ContainsSubstring("hierarchical JPEG is not supported"));
  CHECK_THAT(refusal_of(test::with_byte(file, frame + 9, std::byte{2})),
             ContainsSubstring("JPEG with 2 channels is not supported"));
  const Bytes no_height =
      test::with_byte(test::with_byte(file, frame + 5, std::byte{0}), frame + 6, std::byte{0});
  CHECK_THAT(refusal_of(no_height),
             ContainsSubstring("after its pixels (DNL)") && ContainsSubstring("save it again"));
}

TEST_CASE("data after the end of a JPEG is ignored") {
  const Bytes file = sized_jpeg({});
  CHECK(reads_as(test::with_tail(file, "\xff\xd8 a second image"), plainly_read(file)));
}

TEST_CASE("a file of too many scans is refused as a bomb") {
  const Bytes file = sized_jpeg({.separate_scans = true});
  CHECK(reads_as(test::with_repeated_scan(file, kMaxScans - 3), plainly_read(file)));
  CHECK_THAT(refusal_of(test::with_repeated_scan(file, kMaxScans - 2)),
             ContainsSubstring("more than 500 scans"));
}

TEST_CASE("the larger an image, the fewer scans it may have") {
  CHECK(most_scans(0) == kMaxScans);
  CHECK(most_scans(500'000) == kMaxScans);
  CHECK(most_scans(2'000'000) == 134);
  CHECK(most_scans(std::uint64_t{1} << 28) == kUsualScans);
  CHECK(most_scans(std::uint64_t{1} << 40) == kUsualScans);
}

TEST_CASE("thin scans over a large image are refused before they cost much") {
  const JpegSpec spec{.width = 2048, .height = 1024, .color = JpegColor::gray, .thin_scans = 128};
  REQUIRE(most_scans(2048 * 1024) == 128);
  CHECK_THAT(refusal_of(test::make_jpeg(spec, Pixels(std::size_t{2048} * 1024, 128))),
             ContainsSubstring("more than 128 scans over 2048x1024 pixels"));
}

// OpenCV's result for inverted inks.
Pixels light_of(const Pixels& inks) {
  Pixels rgb;
  for (std::size_t i = 0; i < inks.size(); i += 4) {
    const int black = inks[i + 3];
    for (std::size_t c = 0; c < 3; ++c)
      rgb.push_back(static_cast<std::uint8_t>(black - ((255 - inks[i + c]) * black) / 256));
  }
  return rgb;
}

TEST_CASE("CMYK and YCCK JPEGs become RGB or gray with OpenCV's formula") {
  Decoder decoder;
  const auto inks = test::smooth_samples(45, 35, 4);
  for (const JpegSpec& spec :
       {JpegSpec{.color = JpegColor::cmyk}, JpegSpec{.color = JpegColor::ycck},
        JpegSpec{.color = JpegColor::ycck, .horizontal = 2, .vertical = 2, .progressive = true}}) {
    CAPTURE(static_cast<int>(spec.color), spec.progressive);
    JpegSpec sized = spec;
    sized.width = 45;
    sized.height = 35;
    const Bytes file = test::make_jpeg(sized, inks);
    const Pixels rgb = light_of(plainly_read(file));
    CHECK(pixels_of(decoder.decode_image(file, {}).value()) == rgb);
    Pixels gray(rgb.size() / 3);
    rgb_to_gray(rgb.data(), gray.data(), gray.size());
    CHECK(pixels_of(decoder.decode_image(file, {.channels = 1}).value()) == gray);
    const auto label = decoder.decode_label(file, kMaxPixels);
    REQUIRE(label.ok());
    CHECK(label.value().form == (spec.color == JpegColor::cmyk ? "CMYK JPEG" : "YCCK JPEG"));
    CHECK(pixels_of(label.value().rgb) == rgb);
  }
}

// 13x11, Adobe transform 0.
constexpr std::string_view kCmykHex =
    "ffd8ffee000e41646f626500640000000000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f13201513121213271c1e"
    "17202e2931302e292d2c333a4a"
    "3e333646372c2d405741464c4e525352323e5a615a50604a51524fffc0001408000b000d044311004d11005911004b"
    "1100ffc4001f00000105010101"
    "01010100000000000000000102030405060708090a0bffc400b5100002010303020403050504040000017d01020300"
    "04110512213141061351610722"
    "7114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a43444546474849"
    "4a535455565758595a63646566"
    "6768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9ba"
    "c2c3c4c5c6c7c8c9cad2d3d4d5"
    "d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffda000e0443004d0059004b00003f00e4b4683eef14"
    "cd66d7ef715cd68d65f778ae96"
    "cee3a735dbd841fb8e95c45fdafeff00a576f6165fb8e95b705c7c9d6b96d180f978af4bd6557e6e2b0f4645f97815"
    "c9d9b1e39aedec00f23a57137e"
    "abe7f4aedec117c8e82b6e063b3ad7ffd9";
// 13x11, Adobe transform 2, 4:2:0.
constexpr std::string_view kYcckHex =
    "ffd8ffee000e41646f626500640000000002ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f13201513121213271c1e"
    "17202e2931302e292d2c333a4a"
    "3e333646372c2d405741464c4e525352323e5a615a50604a51524fffdb0043010e0e0e131113261515264f352d354f"
    "4f4f4f4f4f4f4f4f4f4f4f4f4f"
    "4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4fffc0001408000b000d0401"
    "2200021101031101042200ffc4"
    "001f0000010501010101010100000000000000000102030405060708090a0bffc400b5100002010303020403050504"
    "040000017d0102030004110512"
    "2131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738"
    "393a434445464748494a535455"
    "565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa"
    "b2b3b4b5b6b7b8b9bac2c3c4c5"
    "c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffc4001f010003010101010101"
    "01010100000000000001020304"
    "05060708090a0bffc400b5110002010204040304070504040001027700010203110405213106124151076171132232"
    "8108144291a1b1c109233352f0"
    "156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a6364656667"
    "68696a737475767778797a8283"
    "8485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5"
    "d6d7d8d9dae2e3e4e5e6e7e8e9"
    "eaf2f3f4f5f6f7f8f9faffda000e040100021103110400003f00d38ee7deaca5cf1d6b0e363eb56518e3ad72e672f7"
    "88ce23ef1d2d9dc74e6b6e0b8f"
    "93ad72766c78e6b6e063b3ad7fffd9";

TEST_CASE("pixels of CMYK and YCCK JPEGs equal those of OpenCV 4.6") {
  Decoder decoder;
  CHECK(fnv1a(pixels_of(decoder.decode_image(from_hex(kCmykHex), {}).value())) ==
        0xe51f761be39bd8f0);
  CHECK(fnv1a(pixels_of(decoder.decode_image(from_hex(kYcckHex), {}).value())) ==
        0x7c6e5788cb5916b7);
}

TEST_CASE("inks count as inverted even without an Adobe segment") {
  const Bytes file = from_hex(kCmykHex);
  const auto adobe = file.begin() + static_cast<std::ptrdiff_t>(test::jpeg_segment_at(file, 0xEE));
  Bytes without(file.begin(), adobe);
  without.insert(without.end(), adobe + 16, file.end());
  Decoder decoder;
  const Pixels pixels = pixels_of(decoder.decode_image(file, {}).value());
  CHECK(reads_as(without, pixels));
}

TEST_CASE("an unknown Adobe transform is refused") {
  const Bytes file = from_hex(kYcckHex);
  CHECK_THAT(
      refusal_of(test::with_byte(file, test::jpeg_segment_at(file, 0xEE) + 15, std::byte{7})),
      ContainsSubstring("transform"));
}

TEST_CASE("faults that cost no row are accepted with lenient only") {
  const Bytes file = sized_jpeg({});
  const std::size_t scan = test::jpeg_segment_at(file, 0xDA);
  const Bytes inks = from_hex(kYcckHex);
  const auto [faulty, sound] = GENERATE_COPY(
      std::pair{with_stray_bytes(file, test::jpeg_segment_at(file, 0xDB)), file},
      std::pair{with_stray_bytes(file, test::jpeg_segment_at(file, 0xC4)), file},
      std::pair{with_stray_bytes(file, test::jpeg_segment_at(file, 0xC0)), file},
      std::pair{with_stray_bytes(file, scan), file},
      std::pair{test::with_byte(file, scan + 12, std::byte{0}), file},  // the last coefficient
      std::pair{test::with_byte(inks, test::jpeg_segment_at(inks, 0xEE) + 15, std::byte{7}), inks});
  CHECK_THAT(refusal_of(faulty),
             ContainsSubstring("the JPEG is damaged: ") && ContainsSubstring("--lenient packs it"));
  Decoder decoder;
  const auto image = decoder.decode_image(faulty, {.lenient = true});
  REQUIRE(image.ok());
  CHECK(decoder.flaw().lenient);
  Decoder other;
  CHECK(pixels_of(*image) == pixels_of(other.decode_image(sound, {}).value()));
  CHECK_FALSE(decoder.decode_label(faulty, kMaxPixels).ok());
  CHECK(decoder.decode_label(faulty, kMaxPixels, true).ok());
}

// Damage in the entropy-coded part may pass unnoticed, as always with JPEG; it must never do more
// than that.
TEST_CASE("a JPEG without tables never uses those of the previous image") {
  constexpr unsigned kQuantization = 0xDB, kHuffman = 0xC4;
  const Bytes before = sized_jpeg({.quality = 30, .progressive = true});  // tables made for it
  const Bytes usual = sized_jpeg({});
  Decoder decoder;
  REQUIRE(decoder.decode_image(before, {}).ok());
  CHECK_FALSE(decoder.decode_image(test::without_jpeg_segments(usual, kQuantization), {}).ok());
  REQUIRE(decoder.decode_image(before, {}).ok());
  // the standard's tables then apply, as in films
  const auto image = decoder.decode_image(test::without_jpeg_segments(usual, kHuffman), {});
  REQUIRE(image.ok());
  CHECK(pixels_of(*image) == plainly_read(usual));
}

TEST_CASE("flipped bits give an error or an image of the same size") {
  const Bytes file = sized_jpeg({.horizontal = 2, .vertical = 2, .progressive = true});
  Decoder decoder;
  for (std::size_t at = 2; at < file.size(); ++at) {
    for (const unsigned bit : {0U, 3U, 7U}) {
      const Bytes flipped = test::with_byte(file, at, file[at] ^ std::byte{1} << bit);
      const auto image = decoder.decode_image(flipped, {.max_pixels = 1 << 20});
      const auto found = probe(flipped, true);
      if (image.ok())
        REQUIRE((image.value().width == found.value().info.width &&
                 image.value().height == found.value().info.height));
    }
  }
}

}  // namespace
}  // namespace hotpack::codecs
