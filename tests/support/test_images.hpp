// Small PNG and JPEG files made in memory, valid or damaged on purpose, for the tests of every
// room.
//
// Samples are given row by row, channels interleaved, as the file stores them: a 2-bit gray sample
// is 0…3, a palette sample an index. Pure functions. A specification that the codec library refuses
// ends the test program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hotpack::test {

using Bytes = std::vector<std::byte>;
using Color = std::array<std::uint8_t, 3>;

[[nodiscard]] Bytes bytes_of(std::string_view text);

// ---- samples ----

// The same numbers for the same arguments, spread over 0…most. Neighbors differ, so that a
// shifted or swapped sample shows.
[[nodiscard]] std::vector<std::uint16_t> noise_samples(int width, int height, int channels,
                                                       std::uint16_t most, std::uint32_t seed = 1);
// Smooth 8-bit ramps, different per channel, as in photos: JPEG nearly preserves them.
[[nodiscard]] std::vector<std::uint8_t> smooth_samples(int width, int height, int channels);

// ---- PNG ----

enum class PngColor { gray = 0, rgb = 2, palette = 3, gray_alpha = 4, rgba = 6 };
[[nodiscard]] int channels_of(PngColor color);

struct PngSpec {
  int width = 1;
  int height = 1;
  PngColor color = PngColor::rgb;
  int bit_depth = 8;
  bool interlaced = false;
  std::vector<Color> palette = {};
};
[[nodiscard]] Bytes make_png(const PngSpec& spec, std::span<const std::uint16_t> samples);

// 8-bit gray and RGB, for tests that need any image.
[[nodiscard]] Bytes make_gray_png(int width, int height, std::span<const std::uint8_t> samples);
[[nodiscard]] Bytes make_rgb_png(int width, int height, std::span<const std::uint8_t> samples);

// A PNG with one more chunk before the first chunk of type `before`.
[[nodiscard]] Bytes with_png_chunk(const Bytes& png, std::string_view type,
                                   std::span<const std::byte> data,
                                   std::string_view before = "IDAT");
[[nodiscard]] Bytes without_png_chunk(const Bytes& png, std::string_view type);
// Changes the first chunk of this type: only its checksum, or one byte of its data with a correct
// checksum.
[[nodiscard]] Bytes with_bad_png_checksum(const Bytes& png, std::string_view type);
[[nodiscard]] Bytes with_png_byte(const Bytes& png, std::string_view type,
                                  std::size_t offset_in_data, std::byte value);
[[nodiscard]] std::size_t png_chunk_data_size(const Bytes& png, std::string_view type);
// `size` zero bytes as one zlib stream, for bombs in ancillary chunks.
[[nodiscard]] Bytes deflated_zeros(std::size_t size);

// ---- JPEG ----

enum class JpegColor {
  gray,
  ycbcr,
  rgb,
  cmyk,
  ycck
};  // samples: gray; RGB for ycbcr and rgb; CMYK for cmyk and ycck

struct JpegSpec {
  int width = 1;
  int height = 1;
  JpegColor color = JpegColor::ycbcr;
  int quality = 90;
  int horizontal = 1;  // sampling factors of the first channel: 2, 2 is 4:2:0
  int vertical = 1;
  bool progressive = false;
  bool arithmetic = false;
  bool separate_scans = false;  // one scan per channel, not progressive
  // gray only: progressive, with so many scans (at most 693) of one bit of one coefficient after
  // the first one
  int thin_scans = 0;
  int restart_rows = 0;  // rows of blocks between restart markers
};
[[nodiscard]] Bytes make_jpeg(const JpegSpec& spec, std::span<const std::uint8_t> samples);

// A JPEG with one more segment directly after its start marker; `marker` is the second byte, 0xE1
// for APP1.
[[nodiscard]] Bytes with_jpeg_segment(const Bytes& jpeg, unsigned marker,
                                      std::span<const std::byte> payload);
// The payload of an APP1 segment that contains only the orientation tag.
[[nodiscard]] Bytes exif_payload(int orientation, bool big_endian = false);
[[nodiscard]] Bytes with_exif_orientation(const Bytes& jpeg, int orientation,
                                          bool big_endian = false);
// The offset of the first or last segment with this marker (its FF byte).
[[nodiscard]] std::size_t jpeg_segment_at(const Bytes& jpeg, unsigned marker);
[[nodiscard]] std::size_t last_jpeg_segment_at(const Bytes& jpeg, unsigned marker);
[[nodiscard]] Bytes without_jpeg_segments(const Bytes& jpeg, unsigned marker);
// A JPEG whose last scan is repeated `times` times.
[[nodiscard]] Bytes with_repeated_scan(const Bytes& jpeg, int times);

// ---- either ----

[[nodiscard]] Bytes truncated(const Bytes& file, std::size_t size_bytes);
[[nodiscard]] Bytes with_tail(const Bytes& file, std::string_view tail);
[[nodiscard]] Bytes with_byte(const Bytes& file, std::size_t offset, std::byte value);

}  // namespace hotpack::test
