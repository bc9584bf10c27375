#include "limit/sums.hpp"

#include <isa-l/crc.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace limit {
namespace {

constexpr std::size_t kLanes = 192;  // a multiple of 3 and of every vector
constexpr std::size_t kRows = 128;   // so that 16 bits hold a lane's sum

}  // namespace

void add_channel_sums(const std::uint8_t* samples, std::size_t size, ChannelSums& sums) {
  const std::uint8_t* end = samples + size / kLanes * kLanes;
  while (samples < end) {
    const auto rows =
        std::min<std::size_t>(kRows, static_cast<std::size_t>(end - samples) / kLanes);
    std::array<std::uint32_t, kLanes> lane_sums{}, lane_squares{};
    for (std::size_t i = 0; i < rows; ++i, samples += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) {
        const std::uint32_t value = samples[k];
        lane_sums[k] += value;
        lane_squares[k] += value * value;
      }
    for (std::size_t k = 0; k < kLanes; ++k) {
      sums.sums[k % 3] += lane_sums[k];
      sums.squares[k % 3] += lane_squares[k];
    }
  }
  for (std::size_t k = 0; k < size % kLanes; ++k) {
    sums.sums[k % 3] += samples[k];
    sums.squares[k % 3] += std::uint64_t{samples[k]} * samples[k];
  }
}

std::uint32_t crc32c(const std::uint8_t* bytes, std::size_t size) {
  const std::uint32_t crc =
      crc32_iscsi(const_cast<std::uint8_t*>(bytes), static_cast<int>(size), ~0u);
#ifdef __AVX__
  __builtin_ia32_vzeroupper();  // ISA-L does not, and what follows would be slow
#endif
  return ~crc;
}

std::uint64_t file_hash(const std::uint8_t* bytes, std::size_t size) {
  return XXH3_64bits(bytes, size);
}

}  // namespace limit
