// Computes a coarse fingerprint of an image: divides it into a grid of 8 by 8 cells, whatever its
// size, and takes the mean brightness of each cell. Comparing fingerprints finds copies that were
// saved again, flipped, or rotated by right angles.
//
// Cells are cut symmetrically, so a flipped or rotated image has exactly the flipped or rotated
// cells. Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/pixels.hpp"

namespace hotpack::pipeline {

inline constexpr int kGridSide = 8;
using BrightnessGrid =
    std::array<std::uint8_t, static_cast<std::size_t>(kGridSide) * kGridSide>;  // row by row

// Returns the mean of all channel values in each cell. Precondition: the image has a pixel.
[[nodiscard]] BrightnessGrid brightness_grid(ConstPixels image);

// Returns the sum of all cells. It is the same for all flips and rotations of an image.
[[nodiscard]] int total_of(const BrightnessGrid& grid);

// True if the image has enough contrast to be distinguished from others. Many images are alike in
// having an even slope of brightness; the cells must differ from one by at least 8 on average.
[[nodiscard]] bool is_distinct(const BrightnessGrid& grid);

// Returns how `copy` was made from `original` ("hardly differs", "flipped left to right", …), if no
// cell then differs by more than kCellSlack. Absent if `copy` is not a copy.
[[nodiscard]] std::optional<std::string_view> relation_of(const BrightnessGrid& copy,
                                                          const BrightnessGrid& original);
inline constexpr int kCellSlack = 1;

}  // namespace hotpack::pipeline
