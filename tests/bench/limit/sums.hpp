// What a pack stores about its records: sums of channels and their squares, and checksums.
//
// Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace limit {

struct ChannelSums {
  std::array<std::uint64_t, 3> sums{}, squares{};
};

// Adds `size` interleaved samples of 3 channels.
void add_channel_sums(const std::uint8_t* samples, std::size_t size, ChannelSums& sums);
[[nodiscard]] std::uint32_t crc32c(const std::uint8_t* bytes, std::size_t size);
[[nodiscard]] std::uint64_t file_hash(const std::uint8_t* bytes, std::size_t size);

}  // namespace limit
