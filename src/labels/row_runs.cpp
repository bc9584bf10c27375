#include "labels/row_runs.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Highway compiles the rest of this file once per vector instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "labels/row_runs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hotpack::labels::HWY_NAMESPACE {
namespace hw = hwy::HWY_NAMESPACE;

constexpr std::size_t kBlock = 64;  // pixels that are compared at once

#if HWY_TARGET == HWY_SCALAR

// Returns a bit for each of kBlock pixels: 1 if it differs from the next pixel.
HWY_INLINE std::uint64_t changes(const std::uint16_t* ids) {
  constexpr std::size_t kWord = 4;
  std::uint64_t bits = 0;
  for (std::size_t x = 0; x < kBlock; x += kWord) {
    std::uint64_t here = 0, next = 0;
    std::memcpy(&here, ids + x, sizeof here);
    std::memcpy(&next, ids + x + 1, sizeof next);
    if (here == next) continue;
    for (std::size_t i = x; i < x + kWord; ++i) bits |= std::uint64_t{ids[i] != ids[i + 1]} << i;
  }
  return bits;
}

#else

using Ids = hw::CappedTag<std::uint16_t, 32>;

// Returns a bit for each of kBlock pixels: 1 if it differs from the next pixel.
HWY_INLINE std::uint64_t changes(const std::uint16_t* ids) {
  const Ids tag;
  std::uint8_t bytes[kBlock / 8 + 8];  // StoreMaskBits may write 8 bytes
  for (std::size_t x = 0; x < kBlock; x += hw::Lanes(tag)) {
    const auto differ = hw::Ne(hw::LoadU(tag, ids + x), hw::LoadU(tag, ids + x + 1));
    hw::StoreMaskBits(tag, differ, bytes + x / 8);
  }
  std::uint64_t bits = 0;
  for (std::size_t i = kBlock / 8; i-- > 0;) bits = bits << 8 | bytes[i];
  return bits;
}

#endif

// Writes the first pixel of each run. Stops if there are more than `most`. `begins` has room for
// most + kBlock + 1. Returns their number.
std::size_t find_runs(const std::uint16_t* ids, std::size_t width, std::size_t most,
                      std::uint32_t* begins) {
  const std::size_t pairs = width - 1;
  std::size_t count = 0;
  begins[count++] = 0;
  if (pairs < kBlock) {
    for (std::size_t x = 0; x < pairs; ++x)
      if (ids[x] != ids[x + 1]) begins[count++] = static_cast<std::uint32_t>(x + 1);
    return count;
  }
  for (std::size_t x = 0; x < pairs && count <= most; x += kBlock) {
    // The last block ends with the row. So it may begin with pairs that are done, which are shifted
    // out.
    const std::size_t at = std::min(x, pairs - kBlock);
    for (std::uint64_t bits = changes(ids + at) >> (x - at); bits != 0; bits &= bits - 1)
      begins[count++] =
          static_cast<std::uint32_t>(x + 1 + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  return count;
}

}  // namespace hotpack::labels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::labels {

HWY_EXPORT(find_runs);

bool RowRuns::find(std::span<const std::uint16_t> ids) {
  constexpr std::size_t kRoom = 65;        // see find_runs()
  constexpr std::size_t kLeastLength = 6;  // pixels per run, on average
  const std::size_t most = ids.size() / kLeastLength + 1;
  if (begins_.size() < most + kRoom) begins_.resize(most + kRoom);
  count_ = HWY_DYNAMIC_DISPATCH(find_runs)(ids.data(), ids.size(), most, begins_.data());
  return count_ <= most;
}

}  // namespace hotpack::labels
#endif
