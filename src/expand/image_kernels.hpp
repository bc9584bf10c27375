// The inner loops over image bytes: one set per vector level.
//
// Pure functions over the caller's memory; thread-safe. They do not allocate or fail, and stay
// within their input and output. Sets of all levels produce the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/processor.hpp"
#include "expand/value_map.hpp"

namespace hotpack::expand {

// The two inputs of one output column: pixels `first` and `first` + 1 of a row, with weights in
// 2048ths (the second pixel is not read if its weight is 0).
struct ColumnTap {
  std::int32_t first = 0;
  std::int16_t first_weight = 0;
  std::int16_t second_weight = 0;
};

struct ImageKernels {
  // Splits `pixels` pixels of three interleaved channels into three planes that are `plane` bytes
  // apart.
  void (*split)(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out, std::size_t plane);
  // The reverse of it.
  void (*join)(const std::uint8_t* in, std::size_t plane, std::size_t pixels, std::uint8_t* out);
  // Reverses the order of pixels of 1 or 3 bytes.
  void (*mirror)(const std::uint8_t* in, std::size_t pixels, std::size_t channels,
                 std::uint8_t* out);
  // Converts a run of `count` bytes, which starts with channel 0, to elements at `out` (aligned
  // to the element).
  void (*convert)(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out,
                  Stores stores);
  // Computes `columns` pixels of weighted sums in 128ths from one row of `width` pixels of 1 or 3
  // interleaved channels. May write kSlack more sums.
  void (*across)(const std::uint8_t* in, std::size_t width, std::size_t channels,
                 const ColumnTap* taps, std::size_t columns, std::int16_t* out);
  // Combines two such rows, weighted in 2048ths, to bytes.
  void (*between)(const std::int16_t* upper, int upper_weight, const std::int16_t* lower,
                  int lower_weight, std::size_t count, std::uint8_t* out);
};

inline constexpr std::size_t kSlack = 8;

[[nodiscard]] const ImageKernels& image_kernels(Level level);

// The sets. A level takes kernels that it does not speed up from the level below.
namespace kernels {

extern const ImageKernels kPortable;
#if defined(__x86_64__)
extern const ImageKernels kAvx2;
extern const ImageKernels kAvx512;
#endif

// The sets above use these for the rest of a row.
void mirror_portable(const std::uint8_t* in, std::size_t pixels, std::size_t channels,
                     std::uint8_t* out);
void convert_portable(const ValueMap& map, const std::uint8_t* in, std::size_t count,
                      std::byte* out, Stores stores);
void across_portable(const std::uint8_t* in, std::size_t channels, const ColumnTap* taps,
                     std::size_t columns, std::int16_t* out);
void between_portable(const std::int16_t* upper, int upper_weight, const std::int16_t* lower,
                      int lower_weight, std::size_t count, std::uint8_t* out);

}  // namespace kernels
}  // namespace hotpack::expand
