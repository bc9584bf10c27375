// The inner loops over image bytes, one set a level.
//
// Pure functions over the caller's memory; thread-safe. They neither allocate nor fail, read nothing beyond their input and write nothing
// beyond their output. Sets of every level give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/processor.hpp"
#include "expand/value_map.hpp"

namespace hotpack::expand {

// Where one output column takes its two inputs from: pixels `first` and `first` + 1 of a row (the second one not at all where its weight is
// 0), in 2048ths.
struct ColumnTap {
  std::int32_t first = 0;
  std::int16_t first_weight = 0;
  std::int16_t second_weight = 0;
};

struct ImageKernels {
  // `pixels` of three interleaved channels to three planes that are `plane` bytes apart.
  void (*split)(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out, std::size_t plane);
  // And back.
  void (*join)(const std::uint8_t* in, std::size_t plane, std::size_t pixels, std::uint8_t* out);
  // Pixels of 1 or 3 bytes in the opposite order.
  void (*mirror)(const std::uint8_t* in, std::size_t pixels, std::size_t channels, std::uint8_t* out);
  // A run of `count` bytes, the first of channel 0, to elements at `out` (aligned to the element).
  void (*convert)(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out, Stores stores);
  // One row of `width` pixels of 1 or 3 interleaved channels to `columns` pixels of weighted sums in 128ths. Writes up to kSlack sums more.
  void (*across)(const std::uint8_t* in, std::size_t width, std::size_t channels, const ColumnTap* taps, std::size_t columns,
                 std::int16_t* out);
  // Two such rows, weighted in 2048ths, to bytes.
  void (*between)(const std::int16_t* upper, int upper_weight, const std::int16_t* lower, int lower_weight, std::size_t count,
                  std::uint8_t* out);
};

inline constexpr std::size_t kSlack = 8;

[[nodiscard]] const ImageKernels& image_kernels(Level level);

// The sets themselves: what a level does not speed up it takes from the one below.
namespace kernels {

extern const ImageKernels kPortable;
#if defined(__x86_64__)
extern const ImageKernels kAvx2;
extern const ImageKernels kAvx512;
#endif

// Used for the rest of a row by the sets above.
void mirror_portable(const std::uint8_t* in, std::size_t pixels, std::size_t channels, std::uint8_t* out);
void convert_portable(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out, Stores stores);
void across_portable(const std::uint8_t* in, std::size_t channels, const ColumnTap* taps, std::size_t columns, std::int16_t* out);
void between_portable(const std::int16_t* upper, int upper_weight, const std::int16_t* lower, int lower_weight, std::size_t count,
                      std::uint8_t* out);

}  // namespace kernels
}  // namespace hotpack::expand
