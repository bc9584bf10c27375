// Picks the channels of 64 consecutive pixels from their stored vectors with byte shuffles, for
// one-hot rows with channels last.
//
// Element e of 64 · K (K: channels) belongs to pixel e / K and class e mod K. Its byte, and what
// to look for there, are the same for every 64 pixels: a table. A shuffle reaches only one window
// of bytes (16 or 64, the lane), so the elements of a lane lie in one window.
// Values, made once; thread-safe when const.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hotpack::expand {

struct ChannelShuffle {
  static constexpr std::size_t kBlock = 64;  // pixels
  // beyond, a pixel fills whole words and needs no shuffle
  static constexpr std::size_t kMostChannels = 64;

  // One constructor for ids of one byte, one for vectors of bits.
  [[nodiscard]] static ChannelShuffle of_ids(std::size_t classes, bool ignore_channel,
                                             std::size_t lane);
  [[nodiscard]] static ChannelShuffle of_bits(std::size_t classes, std::size_t lane);

  bool ids = false;
  std::size_t channels = 0;      // K
  std::size_t vector_bytes = 1;  // per pixel
  std::size_t lane = 64;         // elements and bytes per window
  // larger ids count as this one: the ignored channel's, if there is one
  std::uint8_t largest_id = 255;
  std::vector<std::uint32_t> starts;  // per lane: the first byte of its window in the block
  std::vector<std::uint8_t> places;   // per element: its byte in the window
  std::vector<std::uint8_t> probes;   // per element: its id, or its bit
};

}  // namespace hotpack::expand
