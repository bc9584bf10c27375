// Linear resizing of 8-bit images, bit for bit equal to OpenCV 4.6's cv::resize: INTER_LINEAR, and
// the variant of it that OpenCV uses for INTER_AREA if an axis grows. Only src/geometry and its
// tests use this.
//
// Each output pixel combines two source columns and two source rows in fixed point. FORMAT.md
// ("Geometry") has the formulas. If both axes are halved, OpenCV averages blocks instead;
// blocks.hpp does that.
//
// Each worker has its own object, which keeps tables and buffers; not thread-safe. It throws
// std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "geometry/padded_rows.hpp"

namespace hotpack::geometry {

// How far an output lies between two inputs. `growing_area` is INTER_AREA's rule.
enum class LinearRule { linear, growing_area };

// Two inputs and their weights, in 2048ths.
struct LinearTap {
  int first = 0, second = 0;
  std::int16_t first_weight = 0, second_weight = 0;
};

// The outputs first … first + count − 1 of an axis on which `source` pixels become `target` pixels.
// Columns and rows differ at the last source pixel: columns drop the fraction of the position
// there, rows keep it.
struct LinearAxis {
  LinearRule rule = LinearRule::linear;
  bool columns = true;
  int source = 0, target = 0, first = 0, count = 0;
  bool operator==(const LinearAxis&) const = default;
};

[[nodiscard]] LinearTap linear_tap(const LinearAxis& axis, int output);

// Where the two source pixels of each output column are, and their weights, for vector code. A
// block is eight output values, whose sources lie within 16 bytes. Vector code selects the sources
// of the even and of the odd values of a block in turn. If the sources of a block lie farther
// apart, vector code loads each pixel by itself.
struct LinearColumns {
  static constexpr std::size_t kBlock = 8;
  std::vector<std::int32_t> starts;                  // of the 16 bytes, from the row's start
  std::array<std::vector<std::uint8_t>, 2> places;   // 16 per block, for TableLookupBytesOr0
  std::array<std::vector<std::int16_t>, 2> weights;  // 8 per block

  std::vector<std::int32_t> far_starts;   // of each pixel's first input, from the row's start
  std::vector<std::int16_t> far_weights;  // 2 per pixel
};

class LinearResizer {
 public:
  // Resamples `source` to the size of `region` and places the result at `region`, which covers all
  // of `out`. Computes and writes only the part that lies in `out`. Preconditions: both images have
  // the same number of channels, 1 or 3, and do not overlap.
  void resample(const ConstPixels& source, const Region& region, LinearRule rule,
                const MutablePixels& out);

 private:
  void update_columns(const LinearAxis& axis, int channels);
  void fill_block(std::size_t block);
  void fill_far_columns();
  const std::int16_t* combined_columns(const ConstPixels& source, int y);

  LinearAxis columns_axis_;
  int channels_ = 0;
  std::vector<LinearTap> taps_;  // per column
  bool narrow_ = false;          // every block's inputs lie in 16 bytes
  LinearColumns columns_;
  std::vector<std::uint8_t> pairs_;  // two inputs of each output of a gray row
  PaddedRows rows_;
  // Row y of the source with combined columns is in slot y mod 2, if slot_rows_ says so.
  Buffer slots_;
  std::size_t slot_samples_ = 0;
  std::array<int, 2> slot_rows_{};
};

}  // namespace hotpack::geometry
