// The inner loops over image bytes, as a table of functions; there is one table per vector
// instruction set.
//
// Pure functions over the caller's memory; thread-safe. They do not allocate or fail, and do not
// read or write beyond their input and output. All tables produce the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/processor.hpp"
#include "expand/value_map.hpp"

namespace hotpack::expand {

// Which two pixels of a source row make one output column when resampling: `first` and `first` + 1,
// with weights in units of 1/2048. The second pixel is not read if its weight is 0.
struct ColumnTap {
  std::int32_t first = 0;
  std::int16_t first_weight = 0;
  std::int16_t second_weight = 0;
};

struct ImageKernels {
  // Splits interleaved pixels of three channels into three planes. The planes begin `plane` bytes
  // apart.
  void (*split)(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out, std::size_t plane);
  // The reverse of split(): joins three planes, which begin `plane` bytes apart, to interleaved
  // pixels.
  void (*join)(const std::uint8_t* in, std::size_t plane, std::size_t pixels, std::uint8_t* out);
  // Reverses the order of pixels of 1 or 3 bytes.
  void (*mirror)(const std::uint8_t* in, std::size_t pixels, std::size_t channels,
                 std::uint8_t* out);
  // Converts `count` bytes of an image to elements at `out`, which must be aligned to the element.
  // The first byte belongs to channel 0.
  void (*convert)(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out,
                  Stores stores);
  // Resamples one row horizontally. Computes `columns` pixels as weighted sums in units of 1/128,
  // from `width` pixels of 1 or 3 interleaved channels. May write kSlack sums more.
  void (*across)(const std::uint8_t* in, std::size_t width, std::size_t channels,
                 const ColumnTap* taps, std::size_t columns, std::int16_t* out);
  // Combines two rows of the sums that across() made, with weights in units of 1/2048, to bytes.
  void (*between)(const std::int16_t* upper, int upper_weight, const std::int16_t* lower,
                  int lower_weight, std::size_t count, std::uint8_t* out);
};

inline constexpr std::size_t kSlack = 8;

// Returns the kernels of the best vector instructions of this processor.
[[nodiscard]] const ImageKernels& image_kernels();

}  // namespace hotpack::expand
