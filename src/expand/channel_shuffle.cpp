#include "expand/channel_shuffle.hpp"

#include <algorithm>

namespace hotpack::expand {

namespace {

// Fills the tables. The classes of a pixel are consecutive in its vector, so the source bytes of
// `lane` successive elements lie within `lane` bytes of the record.
void fill(ChannelShuffle& shuffle) {
  const std::size_t elements = ChannelShuffle::kBlock * shuffle.channels;
  const std::size_t block_bytes = ChannelShuffle::kBlock * shuffle.vector_bytes;
  for (std::size_t e = 0; e < elements; ++e) {
    const std::size_t channel = e % shuffle.channels;
    const std::size_t byte =
        e / shuffle.channels * shuffle.vector_bytes + (shuffle.ids ? 0 : channel / 8);
    if (e % shuffle.lane == 0)
      shuffle.starts.push_back(
          static_cast<std::uint32_t>(std::min(byte, block_bytes - shuffle.lane)));
    shuffle.places.push_back(static_cast<std::uint8_t>(byte - shuffle.starts.back()));
    shuffle.probes.push_back(
        static_cast<std::uint8_t>(shuffle.ids ? channel : std::size_t{1} << channel % 8));
  }
}

}  // namespace

ChannelShuffle ChannelShuffle::of_ids(std::size_t classes, bool ignore_channel, std::size_t lane) {
  ChannelShuffle shuffle;
  shuffle.ids = true;
  shuffle.channels = classes + (ignore_channel ? 1 : 0);
  shuffle.lane = lane;
  if (ignore_channel) shuffle.largest_id = static_cast<std::uint8_t>(classes);
  fill(shuffle);
  return shuffle;
}

ChannelShuffle ChannelShuffle::of_bits(std::size_t classes, std::size_t lane) {
  ChannelShuffle shuffle;
  shuffle.channels = classes;
  shuffle.vector_bytes = (classes + 7) / 8;
  shuffle.lane = lane;
  fill(shuffle);
  return shuffle;
}

}  // namespace hotpack::expand
