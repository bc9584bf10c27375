// How the channels of 64 pixels in a row are picked from their stored vectors by byte shuffles: for one-hot rows with channels last.
//
// Element e of the 64 · K (K: channels) belongs to pixel e / K and class e mod K. Which byte it is in, and what to look for there, is the
// same for every 64 pixels: a table. A shuffle reaches one window of bytes only (16 or 64, the lane); elements of a lane lie in one window.
// Values, made once; thread-safe when const.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hotpack::expand {

struct ChannelShuffle {
  static constexpr std::size_t kBlock = 64;         // pixels
  static constexpr std::size_t kMostChannels = 64;  // beyond, a pixel fills whole words and nothing needs to be shuffled

  // Ids of one byte; vectors of bits.
  [[nodiscard]] static ChannelShuffle of_ids(std::size_t classes, bool ignore_channel, std::size_t lane);
  [[nodiscard]] static ChannelShuffle of_bits(std::size_t classes, std::size_t lane);

  bool ids = false;
  std::size_t channels = 0;           // K
  std::size_t vector_bytes = 1;       // of a pixel
  std::size_t lane = 64;              // elements and bytes
  std::uint8_t largest_id = 255;      // ids above count as this one: the ignored channel's, if there is one
  std::vector<std::uint32_t> starts;  // a lane: its window's first byte in the block
  std::vector<std::uint8_t> places;   // an element: its byte in the window
  std::vector<std::uint8_t> probes;   // an element: the id it stands for, or its bit
};

}  // namespace hotpack::expand
