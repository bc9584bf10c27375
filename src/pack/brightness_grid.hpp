// Computes a coarse fingerprint of an image: divides the image, whatever its size, into 8 × 8 cells
// and computes the mean brightness of each cell. Comparing fingerprints finds copies that were
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

// Returns true if the image has enough contrast to be distinguished from others. In many images
// brightness only rises evenly from one side to the other; the cells must differ from such a slope
// by at least 8 on average.
[[nodiscard]] bool is_distinct(const BrightnessGrid& grid);

// Returns how `copy` was made from `original` ("hardly differs", "flipped left to right", …) if,
// after that change, no cells differ by more than kCellSlack. Returns nothing if `copy` is not a
// copy.
[[nodiscard]] std::optional<std::string_view> relation_of(const BrightnessGrid& copy,
                                                          const BrightnessGrid& original);
inline constexpr int kCellSlack = 1;

}  // namespace hotpack::pipeline
