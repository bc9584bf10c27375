#include "limit/sums.hpp"

#include <isa-l/crc.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HWY_COMPILE_ONLY_STATIC  // for this processor
#include <hwy/highway.h>

#include <algorithm>

namespace limit {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<std::uint8_t> kBytes;
constexpr hn::Repartition<std::int16_t, decltype(kBytes)> kShorts;
constexpr hn::Repartition<std::int32_t, decltype(kBytes)> kInts;
constexpr hn::Repartition<std::uint64_t, decltype(kBytes)> kLongs;
constexpr hn::Half<decltype(kBytes)> kHalf;

// The sums of one channel in vectors; those of squares overflow after kMostVectors.
struct Channel {
  hn::Vec<decltype(kLongs)> sum = hn::Zero(kLongs);
  hn::Vec<decltype(kInts)> even = hn::Zero(kInts), odd = hn::Zero(kInts);

  void add(hn::Vec<decltype(kBytes)> samples) {
    sum = hn::Add(sum, hn::SumsOf8(samples));
    for (const auto half : {hn::LowerHalf(kHalf, samples), hn::UpperHalf(kHalf, samples)}) {
      const auto wide = hn::PromoteTo(kShorts, half);
      even = hn::ReorderWidenMulAccumulate(kInts, wide, wide, even, odd);
    }
  }
  [[nodiscard]] std::uint64_t total() const { return hn::GetLane(hn::SumOfLanes(kLongs, sum)); }
  [[nodiscard]] std::uint64_t square() const {
    alignas(64) std::array<std::int32_t, 2 * sizeof(even) / 4> lanes;
    hn::Store(even, kInts, lanes.data());
    hn::Store(odd, kInts, lanes.data() + lanes.size() / 2);
    std::uint64_t all = 0;
    for (const std::int32_t lane : lanes) all += static_cast<std::uint64_t>(lane);
    return all;
  }
};

constexpr std::size_t kMostVectors = 8000;

}  // namespace

void add_channel_sums(const std::uint8_t* samples, std::size_t size, ChannelSums& sums) {
  const std::size_t step = 3 * hn::Lanes(kBytes);
  std::size_t vectors = size / step;
  while (vectors > 0) {
    std::array<Channel, 3> channels;
    const std::size_t run = std::min(vectors, kMostVectors);
    for (std::size_t i = 0; i < run; ++i, samples += step) {
      hn::Vec<decltype(kBytes)> first, second, third;
      hn::LoadInterleaved3(kBytes, samples, first, second, third);
      channels[0].add(first), channels[1].add(second), channels[2].add(third);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      sums.sums[c] += channels[c].total();
      sums.squares[c] += channels[c].square();
    }
    vectors -= run;
  }
  for (std::size_t k = 0; k < size % step; ++k) {
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
