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

constexpr std::size_t kBlock = 64;  // units (ids, or bytes of colors) that are compared at once

// A pixel consists of `Units` units: one id, or three bytes of a color. changes() compares kBlock
// units with those one pixel later, and returns a bit for each: 1 if they differ.
#if HWY_TARGET == HWY_SCALAR

template <std::size_t Units, class Unit>
HWY_INLINE std::uint64_t changes(const Unit* at) {
  constexpr std::size_t kWord = 8 / sizeof(Unit);
  std::uint64_t bits = 0;
  for (std::size_t x = 0; x < kBlock; x += kWord) {
    std::uint64_t here = 0, later = 0;
    std::memcpy(&here, at + x, sizeof here);
    std::memcpy(&later, at + x + Units, sizeof later);
    if (here == later) continue;
    for (std::size_t i = x; i < x + kWord; ++i) bits |= std::uint64_t{at[i] != at[i + Units]} << i;
  }
  return bits;
}

#else

template <std::size_t Units, class Unit>
HWY_INLINE std::uint64_t changes(const Unit* at) {
  const hw::CappedTag<Unit, 64 / sizeof(Unit)> tag;
  std::uint8_t bytes[kBlock / 8 + 8];  // StoreMaskBits may write 8 bytes
  for (std::size_t x = 0; x < kBlock; x += hw::Lanes(tag)) {
    const auto differ = hw::Ne(hw::LoadU(tag, at + x), hw::LoadU(tag, at + x + Units));
    hw::StoreMaskBits(tag, differ, bytes + x / 8);
  }
  std::uint64_t bits = 0;
  for (std::size_t i = kBlock / 8; i-- > 0;) bits = bits << 8 | bytes[i];
  return bits;
}

#endif

// Adds the pixels after which a unit changes. `first` is the unit of bit 0.
template <std::size_t Units>
HWY_INLINE std::size_t add_begins(std::uint64_t bits, std::size_t first, std::size_t count,
                                  std::uint32_t* begins) {
  for (; bits != 0; bits &= bits - 1) {
    const std::size_t unit = first + static_cast<std::size_t>(std::countr_zero(bits));
    const auto begin = static_cast<std::uint32_t>(unit / Units + 1);
    begins[count] = begin;
    // Several units of one pixel may change.
    count += Units == 1 || begins[count - 1] != begin;
  }
  return count;
}

// Writes the first pixel of each run to `begins` and returns the number of runs. Stops if there are
// more than `most`; `begins` needs room for most + kBlock + 2 numbers.
template <std::size_t Units, class Unit>
HWY_INLINE std::size_t find_runs_of(const Unit* row, std::size_t width, std::size_t most,
                                    std::uint32_t* begins) {
  const std::size_t pairs = (width - 1) * Units;
  std::size_t count = 0;
  begins[count++] = 0;
  if (pairs < kBlock) {
    for (std::size_t x = 0; x < pairs; ++x)
      if (row[x] != row[x + Units]) count = add_begins<Units>(1, x, count, begins);
    return count;
  }
  for (std::size_t x = 0; x < pairs && count <= most; x += kBlock) {
    // The last block ends where the row ends. It may therefore begin with units that have been
    // compared already; their bits are shifted out.
    const std::size_t at = std::min(x, pairs - kBlock);
    count = add_begins<Units>(changes<Units>(row + at) >> (x - at), x, count, begins);
  }
  return count;
}

std::size_t find_id_runs(const std::uint16_t* ids, std::size_t width, std::size_t most,
                         std::uint32_t* begins) {
  return find_runs_of<1>(ids, width, most, begins);
}

std::size_t find_color_runs(const std::uint8_t* rgb, std::size_t width, std::size_t most,
                            std::uint32_t* begins) {
  return find_runs_of<3>(rgb, width, most, begins);
}

}  // namespace hotpack::labels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::labels {

HWY_EXPORT(find_id_runs);
HWY_EXPORT(find_color_runs);

std::size_t RowRuns::prepare(std::size_t width) {
  constexpr std::size_t kRoom = 66;        // see find_runs_of()
  constexpr std::size_t kLeastLength = 6;  // pixels per run, on average
  const std::size_t most = width / kLeastLength + 1;
  if (begins_.size() < most + kRoom) begins_.resize(most + kRoom);
  return most;
}

bool RowRuns::find(std::span<const std::uint16_t> ids) {
  const std::size_t most = prepare(ids.size());
  count_ = HWY_DYNAMIC_DISPATCH(find_id_runs)(ids.data(), ids.size(), most, begins_.data());
  return count_ <= most;
}

bool RowRuns::find_colors(const std::uint8_t* rgb, std::size_t width) {
  const std::size_t most = prepare(width);
  count_ = HWY_DYNAMIC_DISPATCH(find_color_runs)(rgb, width, most, begins_.data());
  return count_ <= most;
}

}  // namespace hotpack::labels
#endif
