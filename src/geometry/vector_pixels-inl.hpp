// Vectors of pixels: windows of 16 bytes, one in each 128-bit block of a vector, and RGB pixels of
// four bytes. For sources of src/geometry that contain vector code; each includes it once per
// instruction set, after hwy/highway.h. Pure functions, thread-safe.

#if defined(HOTPACK_GEOMETRY_VECTOR_PIXELS) == defined(HWY_TARGET_TOGGLE)
#ifdef HOTPACK_GEOMETRY_VECTOR_PIXELS
#undef HOTPACK_GEOMETRY_VECTOR_PIXELS
#else
#define HOTPACK_GEOMETRY_VECTOR_PIXELS
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace hotpack::geometry::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

// A vector of windows, up to 64 bytes. On processors whose vectors have a size that the compiler
// does not know, vectors cannot be combined from parts, so a vector has only one window.
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

// Copies the first three bytes of every four.
HWY_INLINE void drop_fourths(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out) {
  const hwy::HWY_NAMESPACE::FixedTag<std::uint8_t, 16> bytes;
  alignas(16) static constexpr std::uint8_t kPlaces[16] = {0,  1,  2,  4,  5,    6,    8,    9,
                                                           10, 12, 13, 14, 0x80, 0x80, 0x80, 0x80};
  const auto places = hwy::HWY_NAMESPACE::Load(bytes, kPlaces);
  std::size_t i = 0;
  // Each store writes four bytes too many, which later stores overwrite.
  for (; i + 6 <= pixels; i += 4) {
    const auto pixels_of_four = hwy::HWY_NAMESPACE::LoadU(bytes, in + 4 * i);
    hwy::HWY_NAMESPACE::StoreU(hwy::HWY_NAMESPACE::TableLookupBytesOr0(pixels_of_four, places),
                               bytes, out + 3 * i);
  }
  for (; i < pixels; ++i) std::memcpy(out + 3 * i, in + 4 * i, 3);
}

#else

// Copies the first three bytes of every four.
HWY_INLINE void drop_fourths(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out) {
  for (std::size_t i = 0; i < pixels; ++i) std::memcpy(out + 3 * i, in + 4 * i, 3);
}

#endif
}  // namespace hotpack::geometry::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
