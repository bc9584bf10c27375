// The weights of the antialiased filters: triangle, cubic and lanczos. Only src/geometry and its
// tests use them.
//
// FORMAT.md ("Geometry") has the formulas. If an axis shrinks by a factor, the kernel is wider by
// that factor.
//
// Each worker has its own objects, which keep tables; not thread-safe. Failure: std::bad_alloc.
#pragma once

#include <cstdint>
#include <vector>

namespace hotpack::geometry {

enum class Kernel { triangle, cubic, lanczos };

// The number of fraction bits of a weight. In an int, this leaves 8 bits for the value of a pixel,
// and 2 bits because kernels overshoot: the absolute weights of an output sum to less than 1.6
// (lanczos at the edge of an image). So a weighted sum always fits an int.
constexpr int kWeightBits = 32 - 8 - 2;

// The outputs [first, first + count) of an axis of `source` inputs and `target` outputs.
struct AxisRange {
  Kernel kernel = Kernel::triangle;
  int source = 0, target = 0, first = 0, count = 0;
  bool operator==(const AxisRange&) const = default;
};

// For each output of an axis, the source pixels that it is made of and their weights. The tables
// are computed again only if the range changes, because most images of a data set have the same
// size.
class AxisWeights {
 public:
  // The source pixels first … first + count − 1 of an output and their weights, in units of 2^-22.
  // The weights sum to nearly 2^22.
  struct Window {
    int first = 0, count = 0;
    const std::int32_t* weights = nullptr;
  };

  void update(const AxisRange& wanted);
  // Returns the window of output `i`, counted from the start of the range. From one output to the
  // next, `first` and first + count never decrease.
  [[nodiscard]] Window window(int i) const;
  // Returns the largest number of inputs of a window.
  [[nodiscard]] int longest() const { return longest_; }

 private:
  struct Place {
    int first, count;
  };
  void fill(int i);

  AxisRange range_;
  int longest_ = 0;  // number of weights stored per window; some may be unused
  std::vector<Place> places_;
  std::vector<std::int32_t> weights_;
  std::vector<double> exact_;  // the weights of one window, before they are rounded
};

}  // namespace hotpack::geometry
