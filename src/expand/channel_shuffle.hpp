// The tables for byte shuffles that make one-hot rows with channels last. A shuffle picks the
// channels of 64 consecutive pixels from their stored vectors.
//
// With K channels, these pixels have 64 · K elements; element e belongs to pixel e / K and class e
// mod K. Which stored byte decides about element e, and what that byte must contain, is the same
// for every 64 pixels, so a table has it. A byte shuffle takes its bytes from one window of 16 or
// 64 bytes (the size is called the lane). Therefore the elements are processed in groups of that
// size, each with one window.
// Values, made once; thread-safe when const.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hotpack::expand {

struct ChannelShuffle {
  static constexpr std::size_t kBlock = 64;  // pixels
  // with more channels, a pixel fills whole words and needs no shuffle
  static constexpr std::size_t kMostChannels = 64;

  // of_ids() is for ids of one byte, the other function for vectors of bits.
  [[nodiscard]] static ChannelShuffle of_ids(std::size_t classes, bool ignore_channel,
                                             std::size_t lane);
  [[nodiscard]] static ChannelShuffle of_bits(std::size_t classes, std::size_t lane);

  bool ids = false;
  std::size_t channels = 0;      // K
  std::size_t vector_bytes = 1;  // per pixel
  std::size_t lane = 64;         // number of elements, and of bytes, per window
  // larger ids count as this id; if there is an ignored channel, this id belongs to that channel
  std::uint8_t largest_id = 255;
  std::vector<std::uint32_t> starts;  // per lane: where its window begins in the block
  std::vector<std::uint8_t> places;   // per element: the index of its byte in the window
  std::vector<std::uint8_t> probes;   // per element: the id or the bit that makes it 1
};

}  // namespace hotpack::expand
