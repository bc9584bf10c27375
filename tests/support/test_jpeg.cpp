// The JPEG half of test_images.hpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
// jpeglib.h requires that size_t and FILE are declared before it.
#include <jpeglib.h>

#include "support/test_images.hpp"

namespace hotpack::test {
namespace {

constexpr std::byte kMarkerStart{0xFF};
constexpr unsigned kScanMarker = 0xDA;

constexpr std::array kOneScanAChannel = {jpeg_scan_info{1, {0}, 0, 63, 0, 0},
                                         jpeg_scan_info{1, {1}, 0, 63, 0, 0},
                                         jpeg_scan_info{1, {2}, 0, 63, 0, 0}};

constexpr int kHighestBit = 10;  // the highest bit of a coefficient in libjpeg

std::vector<jpeg_scan_info> thin_scans(int count) {
  std::vector<jpeg_scan_info> scans{{1, {0}, 0, 0, 0, 0}};
  for (int i = 0; i < count; ++i) {
    const int coefficient = 1 + i / (kHighestBit + 1), low = kHighestBit - i % (kHighestBit + 1);
    scans.push_back({1, {0}, coefficient, coefficient, low == kHighestBit ? 0 : low + 1, low});
  }
  return scans;
}

J_COLOR_SPACE input_space(JpegColor color) {
  switch (color) {
    case JpegColor::gray:
      return JCS_GRAYSCALE;
    case JpegColor::cmyk:
    case JpegColor::ycck:
      return JCS_CMYK;
    default:
      return JCS_RGB;
  }
}

J_COLOR_SPACE stored_space(JpegColor color) {
  switch (color) {
    case JpegColor::gray:
      return JCS_GRAYSCALE;
    case JpegColor::rgb:
      return JCS_RGB;
    case JpegColor::cmyk:
      return JCS_CMYK;
    case JpegColor::ycck:
      return JCS_YCCK;
    default:
      return JCS_YCbCr;
  }
}

int input_channels(JpegColor color) {
  const J_COLOR_SPACE space = input_space(color);
  return space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK ? 4 : 3;
}

void configure(jpeg_compress_struct& state, const JpegSpec& spec,
               const std::vector<jpeg_scan_info>& thin) {
  state.image_width = static_cast<JDIMENSION>(spec.width);
  state.image_height = static_cast<JDIMENSION>(spec.height);
  state.input_components = input_channels(spec.color);
  state.in_color_space = input_space(spec.color);
  jpeg_set_defaults(&state);
  jpeg_set_colorspace(&state, stored_space(spec.color));
  jpeg_set_quality(&state, spec.quality, TRUE);
  state.comp_info[0].h_samp_factor = spec.horizontal;
  state.comp_info[0].v_samp_factor = spec.vertical;
  state.arith_code = spec.arithmetic ? TRUE : FALSE;
  if (spec.progressive) jpeg_simple_progression(&state);
  if (spec.separate_scans) {
    state.scan_info = kOneScanAChannel.data();
    state.num_scans = state.num_components;
  }
  if (spec.thin_scans > 0) {
    state.scan_info = thin.data();
    state.num_scans = static_cast<int>(thin.size());
  }
  state.restart_in_rows = spec.restart_rows;
}

// Every marker up to the last scan's. Skips bytes inside segments and searches those of scans (FF
// there is followed by 00 or RSTn).
std::vector<std::size_t> marker_offsets(const Bytes& jpeg) {
  std::vector<std::size_t> offsets;
  std::size_t at = 2;
  while (at + 4 <= jpeg.size()) {
    const unsigned code = std::to_integer<unsigned>(jpeg[at + 1]);
    const bool is_marker =
        jpeg[at] == kMarkerStart && code != 0 && code != 0xFF && (code < 0xD0 || code > 0xD7);
    if (!is_marker) {
      ++at;
      continue;
    }
    offsets.push_back(at);
    at += 2 + (std::to_integer<std::size_t>(jpeg[at + 2]) << 8 |
               std::to_integer<std::size_t>(jpeg[at + 3]));
  }
  return offsets;
}

std::vector<std::size_t> segments_at(const Bytes& jpeg, unsigned marker) {
  std::vector<std::size_t> offsets = marker_offsets(jpeg);
  std::erase_if(offsets,
                [&](std::size_t at) { return jpeg[at + 1] != static_cast<std::byte>(marker); });
  if (offsets.empty()) throw std::runtime_error("the test JPEG has no such marker");
  return offsets;
}

void put(Bytes& bytes, std::uint32_t value, int size, bool big_endian) {
  for (int i = 0; i < size; ++i) {
    const int shift = big_endian ? 8 * (size - 1 - i) : 8 * i;
    bytes.push_back(static_cast<std::byte>(value >> shift & 0xFF));
  }
}

}  // namespace

Bytes make_jpeg(const JpegSpec& spec, std::span<const std::uint8_t> samples) {
  const std::size_t row_samples =
      static_cast<std::size_t>(spec.width) * static_cast<std::size_t>(input_channels(spec.color));
  if (samples.size() != row_samples * static_cast<std::size_t>(spec.height))
    throw std::runtime_error("wrong number of samples");
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &data, &size);
  const std::vector<jpeg_scan_info> thin = thin_scans(spec.thin_scans);
  configure(state, spec, thin);
  jpeg_start_compress(&state, TRUE);
  while (state.next_scanline < state.image_height) {
    auto* row = const_cast<JSAMPLE*>(samples.data() +
                                     state.next_scanline * row_samples);  // libjpeg only reads it
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
  jpeg_destroy_compress(&state);
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  Bytes file(begin, begin + size);
  std::free(data);
  return file;
}

Bytes with_jpeg_segment(const Bytes& jpeg, unsigned marker, std::span<const std::byte> payload) {
  if (payload.size() > 65533) throw std::runtime_error("too long for a segment");
  Bytes segment{kMarkerStart, static_cast<std::byte>(marker)};
  put(segment, static_cast<std::uint32_t>(payload.size() + 2), 2, true);
  segment.insert(segment.end(), payload.begin(), payload.end());
  Bytes longer = jpeg;
  longer.insert(longer.begin() + 2, segment.begin(), segment.end());
  return longer;
}

Bytes exif_payload(int orientation, bool big_endian) {
  Bytes payload = bytes_of(std::string_view("Exif\0\0", 6));
  const Bytes order = bytes_of(big_endian ? "MM" : "II");
  payload.insert(payload.end(), order.begin(), order.end());
  put(payload, 42, 2, big_endian);
  put(payload, 8, 4, big_endian);       // the directory follows
  put(payload, 1, 2, big_endian);       // of one entry
  put(payload, 0x0112, 2, big_endian);  // Orientation
  put(payload, 3, 2, big_endian);       // SHORT
  put(payload, 1, 4, big_endian);
  put(payload, static_cast<std::uint32_t>(orientation), 2, big_endian);
  put(payload, 0, 2, big_endian);
  put(payload, 0, 4, big_endian);  // no further directory
  return payload;
}

Bytes with_exif_orientation(const Bytes& jpeg, int orientation, bool big_endian) {
  return with_jpeg_segment(jpeg, 0xE1, exif_payload(orientation, big_endian));
}

std::size_t jpeg_segment_at(const Bytes& jpeg, unsigned marker) {
  return segments_at(jpeg, marker).front();
}

std::size_t last_jpeg_segment_at(const Bytes& jpeg, unsigned marker) {
  return segments_at(jpeg, marker).back();
}

Bytes without_jpeg_segments(const Bytes& jpeg, unsigned marker) {
  Bytes shorter = jpeg;
  const auto places = segments_at(jpeg, marker);
  for (auto at = places.rbegin(); at != places.rend(); ++at) {
    const auto size = std::to_integer<std::ptrdiff_t>(jpeg[*at + 2]) * 256 +
                      std::to_integer<std::ptrdiff_t>(jpeg[*at + 3]);
    const auto begin = shorter.begin() + static_cast<std::ptrdiff_t>(*at);
    shorter.erase(begin, begin + 2 + size);
  }
  return shorter;
}

Bytes with_repeated_scan(const Bytes& jpeg, int times) {
  const auto scan =
      jpeg.begin() + static_cast<std::ptrdiff_t>(last_jpeg_segment_at(jpeg, kScanMarker));
  const auto end = jpeg.end() - 2;  // the end marker
  Bytes longer(jpeg.begin(), end);
  for (int i = 0; i < times; ++i) longer.insert(longer.end(), scan, end);
  longer.insert(longer.end(), end, jpeg.end());
  return longer;
}

}  // namespace hotpack::test
