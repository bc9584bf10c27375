#include "pack/channel_sums.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace hotpack::pipeline {

namespace {

// The lanes of a block. A multiple of 1 and 3 channels and of every vector width, so the inner loop
// needs no channel arithmetic.
constexpr std::size_t kLanes = 48;
// Samples are at most 255: this many sums fit a 16-bit lane, and their squares a 32-bit lane.
constexpr std::size_t kBlocksPerFlush = 0xFFFF / 255;

struct Lanes {
  std::array<std::uint16_t, kLanes> sums{};
  std::array<std::uint32_t, kLanes> squares{};
};

void flush(Lanes& lanes, std::size_t channels, format::Sums& sums) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.channel_sums[lane % channels] += lanes.sums[lane];
    sums.channel_squares[lane % channels] += lanes.squares[lane];
  }
  lanes = {};
}

void add_row(const std::uint8_t* row, std::size_t bytes, std::size_t channels, format::Sums& sums) {
  Lanes lanes;
  std::size_t at = 0;
  for (std::size_t blocks = 0; at + kLanes <= bytes; at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint16_t value = row[at + lane];
      // 16 bits hold a square, and every processor multiplies 16-bit vectors.
      const auto square = static_cast<std::uint16_t>(value * value);
      lanes.sums[lane] = static_cast<std::uint16_t>(lanes.sums[lane] + value);
      lanes.squares[lane] += square;
    }
    if (++blocks == kBlocksPerFlush) flush(lanes, channels, sums), blocks = 0;
  }
  flush(lanes, channels, sums);
  for (; at < bytes; ++at) {
    const std::uint64_t value = row[at];
    sums.channel_sums[at % channels] += value;
    sums.channel_squares[at % channels] += value * value;
  }
}

}  // namespace

void add_channel_sums(ConstPixels record, Region region, format::Sums& sums) {
  const int left = std::max(region.x, 0), right = std::min(region.x + region.width, record.width);
  const int top = std::max(region.y, 0), bottom = std::min(region.y + region.height, record.height);
  if (left >= right || top >= bottom) return;
  const auto channels = static_cast<std::size_t>(record.channels);
  for (int y = top; y < bottom; ++y)
    add_row(record.row(y) + static_cast<std::size_t>(left) * channels,
            static_cast<std::size_t>(right - left) * channels, channels, sums);
  sums.pixels_counted +=
      static_cast<std::uint64_t>(right - left) * static_cast<std::uint64_t>(bottom - top);
}

}  // namespace hotpack::pipeline
