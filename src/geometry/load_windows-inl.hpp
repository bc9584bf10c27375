// Loads one window of 16 bytes into each 128-bit block of a vector. For vector sources of this
// room, which include it once per instruction set, after hwy/highway.h. Pure functions,
// thread-safe.

#if defined(HOTPACK_GEOMETRY_LOAD_WINDOWS) == defined(HWY_TARGET_TOGGLE)
#ifdef HOTPACK_GEOMETRY_LOAD_WINDOWS
#undef HOTPACK_GEOMETRY_LOAD_WINDOWS
#else
#define HOTPACK_GEOMETRY_LOAD_WINDOWS
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace hotpack::geometry::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

// Up to 64 bytes. Vectors whose size is unknown to the compiler cannot be combined from parts, so
// that only one window is used of them.
#if HWY_HAVE_SCALABLE
using Windows = hwy::HWY_NAMESPACE::FixedTag<std::uint8_t, 16>;
#else
using Windows = hwy::HWY_NAMESPACE::CappedTag<std::uint8_t, 64>;
#endif
constexpr std::size_t kWindows = hwy::HWY_NAMESPACE::MaxLanes(Windows()) / 16;

// Block i is loaded from in + starts[i].
template <class Tag>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<Tag> load_windows(Tag tag, const std::uint8_t* in,
                                                     const std::int32_t* starts) {
  if constexpr (hwy::HWY_NAMESPACE::MaxLanes(Tag()) == 16) {
    return hwy::HWY_NAMESPACE::LoadU(tag, in + starts[0]);
  } else {
    const hwy::HWY_NAMESPACE::Half<Tag> half;
    const auto lower = load_windows(half, in, starts);
    const auto upper = load_windows(half, in, starts + hwy::HWY_NAMESPACE::MaxLanes(Tag()) / 32);
    return hwy::HWY_NAMESPACE::Combine(tag, upper, lower);
  }
}

#endif
}  // namespace hotpack::geometry::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
