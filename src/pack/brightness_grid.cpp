#include "pack/brightness_grid.hpp"

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace hotpack::pipeline {

namespace {

constexpr int kLast = kGridSide - 1;
constexpr int kLeastDeviation = 8;

struct Range {
  int begin = 0, end = 0;
};

// Returns which pixels along an axis of `length` pixels belong to a cell. If the length is not a
// multiple of 8, neighboring cells overlap by a pixel, so that the cells of a flipped image are the
// flipped cells.
Range range_of(int cell, int length) {
  const std::int64_t whole = length;
  return {static_cast<int>(cell * whole / kGridSide),
          static_cast<int>(((cell + 1) * whole + kGridSide - 1) / kGridSide)};
}

std::uint64_t sum_of(const std::uint8_t* begin, const std::uint8_t* end) {
  return std::accumulate(begin, end, std::uint64_t{0});
}

std::uint8_t cell_mean(ConstPixels image, Range columns, Range rows) {
  std::uint64_t sum = 0;
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t first = static_cast<std::size_t>(columns.begin) * channels,
                    last = static_cast<std::size_t>(columns.end) * channels;
  for (int y = rows.begin; y < rows.end; ++y)
    sum += sum_of(image.row(y) + first, image.row(y) + last);
  const std::uint64_t count = (last - first) * static_cast<std::uint64_t>(rows.end - rows.begin);
  return static_cast<std::uint8_t>((sum + count / 2) / count);
}

struct Cell {
  int x = 0, y = 0;
};

// Maps a cell of a copy to its place in the original.
struct Transform {
  std::string_view text;
  Cell (*source)(int x, int y);
};

constexpr Transform kTransforms[] = {
    {"hardly differs",
     [](int x, int y) {
       return Cell{x, y};
     }},
    {"flipped left to right",
     [](int x, int y) {
       return Cell{kLast - x, y};
     }},
    {"flipped upside down",
     [](int x, int y) {
       return Cell{x, kLast - y};
     }},
    {"rotated by 180 degrees",
     [](int x, int y) {
       return Cell{kLast - x, kLast - y};
     }},
    {"rotated by 90 degrees to the right",
     [](int x, int y) {
       return Cell{y, kLast - x};
     }},
    {"rotated by 90 degrees to the left",
     [](int x, int y) {
       return Cell{kLast - y, x};
     }},
    {"rotated and flipped",
     [](int x, int y) {
       return Cell{y, x};
     }},
    {"rotated and flipped",
     [](int x, int y) {
       return Cell{kLast - y, kLast - x};
     }},
};

int at(const BrightnessGrid& grid, int x, int y) {
  return grid[static_cast<std::size_t>(y) * kGridSide + static_cast<std::size_t>(x)];
}

bool fits(const BrightnessGrid& copy, const BrightnessGrid& original, const Transform& transform) {
  for (int y = 0; y < kGridSide; ++y) {
    for (int x = 0; x < kGridSide; ++x) {
      const Cell source = transform.source(x, y);
      if (std::abs(at(copy, x, y) - at(original, source.x, source.y)) > kCellSlack) return false;
    }
  }
  return true;
}

// Returns twice the distance of a cell from the center of its axis; negative before the center.
int from_middle(int cell) { return 2 * cell - kLast; }

// Fits a plane to the brightness of the cells and returns its slope along an axis.
template <class Axis>
double slope_of(const BrightnessGrid& grid, Axis axis) {
  int sum = 0, squares = 0;
  for (int y = 0; y < kGridSide; ++y) {
    for (int x = 0; x < kGridSide; ++x) {
      const int place = from_middle(axis(x, y));
      sum += place * at(grid, x, y);
      squares += place * place;
    }
  }
  return static_cast<double>(sum) / squares;
}

}  // namespace

BrightnessGrid brightness_grid(ConstPixels image) {
  BrightnessGrid grid{};
  auto cell = grid.begin();
  for (int y = 0; y < kGridSide; ++y)
    for (int x = 0; x < kGridSide; ++x)
      *cell++ = cell_mean(image, range_of(x, image.width), range_of(y, image.height));
  return grid;
}

int total_of(const BrightnessGrid& grid) { return std::accumulate(grid.begin(), grid.end(), 0); }

bool is_distinct(const BrightnessGrid& grid) {
  constexpr int kCells = kGridSide * kGridSide;
  const double mean = static_cast<double>(total_of(grid)) / kCells;
  const double across = slope_of(grid, [](int x, int) { return x; }),
               down = slope_of(grid, [](int, int y) { return y; });
  double deviation = 0;
  for (int y = 0; y < kGridSide; ++y)
    for (int x = 0; x < kGridSide; ++x)
      deviation +=
          std::abs(at(grid, x, y) - mean - across * from_middle(x) - down * from_middle(y));
  return deviation >= kLeastDeviation * kCells;
}

std::optional<std::string_view> relation_of(const BrightnessGrid& copy,
                                            const BrightnessGrid& original) {
  for (const Transform& transform : kTransforms)
    if (fits(copy, original, transform)) return transform.text;
  return std::nullopt;
}

}  // namespace hotpack::pipeline
