// Lanes: parts of a vector of bytes. Within a lane, one instruction can move any byte to any place.
// A lane has 64 bytes with AVX-512 VBMI, and 16 bytes elsewhere.
//
// For sources of src/expand that contain vector code; each includes it once per instruction set,
// after hwy/highway.h. Pure functions, thread-safe.

#if defined(HOTPACK_EXPAND_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef HOTPACK_EXPAND_LANES
#undef HOTPACK_EXPAND_LANES
#else
#define HOTPACK_EXPAND_LANES
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace hotpack::expand::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace hw = hwy::HWY_NAMESPACE;

// On processors whose vectors have a size that the compiler does not know, lanes cannot be combined
// to a vector. There, only the first lane of each vector is used.
#if HWY_HAVE_SCALABLE
using Bytes = hw::FixedTag<std::uint8_t, 16>;
#else
using Bytes = hw::CappedTag<std::uint8_t, 64>;
#endif
constexpr std::size_t kVector = hw::MaxLanes(Bytes());  // bytes
constexpr std::size_t kLane = HWY_TARGET <= HWY_AVX3_DL ? 64 : 16;
using Lane = hw::FixedTag<std::uint8_t, kLane>;
using Block = hw::FixedTag<std::uint8_t, 16>;

// The lanes of a vector; those shorter than kLane have lanes of 16 bytes.
template <class Tag>
constexpr std::size_t lane_of() {
  return hw::MaxLanes(Tag()) < kLane ? 16 : kLane;
}

// Moves bytes within each lane: byte i of the result is byte places[i] of the same lane of `lanes`.
// Highway 1.0.3 has no function for lanes of more than 16 bytes, so the intrinsic is used.
template <class Tag>
HWY_INLINE hw::Vec<Tag> moved(Tag /*tag*/, hw::Vec<Tag> lanes, hw::Vec<Tag> places) {
#if HWY_TARGET <= HWY_AVX3_DL
  if constexpr (hw::MaxLanes(Tag()) == kLane)
    return hw::Vec<Tag>{_mm512_permutexvar_epi8(places.raw, lanes.raw)};
#endif
  return hw::TableLookupBytes(lanes, places);
}

// Loads lane i from `at(i)`.
template <class Tag, class At>
HWY_INLINE hw::Vec<Tag> load_lanes(Tag tag, const At& at, std::size_t first = 0) {
  if constexpr (hw::MaxLanes(Tag()) == lane_of<Tag>()) {
    return hw::LoadU(tag, at(first));
  } else {
    const hw::Half<Tag> half;
    const auto lower = load_lanes(half, at, first);
    const auto upper = load_lanes(half, at, first + hw::MaxLanes(Tag()) / kLane / 2);
    return hw::Combine(tag, upper, lower);
  }
}

// Stores lane i to `at(i)`.
template <class Tag, class At>
HWY_INLINE void store_lanes(Tag tag, hw::Vec<Tag> vector, const At& at, std::size_t first = 0) {
  if constexpr (hw::MaxLanes(Tag()) == lane_of<Tag>()) {
    hw::StoreU(vector, tag, at(first));
  } else {
    const hw::Half<Tag> half;
    store_lanes(half, hw::LowerHalf(half, vector), at, first);
    store_lanes(half, hw::UpperHalf(half, vector), at, first + hw::MaxLanes(Tag()) / kLane / 2);
  }
}

template <bool kStream, class Tag>
HWY_INLINE void put(Tag tag, hw::Vec<Tag> vector, hw::TFromD<Tag>* out) {
  if constexpr (kStream) {
    hw::Stream(vector, tag, out);
  } else {
    hw::StoreU(vector, tag, out);
  }
}

#endif
}  // namespace hotpack::expand::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
