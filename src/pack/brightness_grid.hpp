// A coarse fingerprint of an image, the mean brightness of 8x8 cells, and a comparison that finds
// copies that are saved again, flipped or rotated by right angles.
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

// The mean of all samples in each cell. The image needs at least one pixel.
[[nodiscard]] BrightnessGrid brightness_grid(ConstPixels image);

// The sum of all cells: the same for all flips and rotations of an image.
[[nodiscard]] int total_of(const BrightnessGrid& grid);

// True if the image has enough contrast to be distinguished from others: its cells differ on
// average by at least 8 from an even slope of brightness, which many images share.
[[nodiscard]] bool is_distinct(const BrightnessGrid& grid);

// How `copy` was made from `original` ("hardly differs", "flipped left to right", …) if, after that
// change, no cell differs by more than kCellSlack; else absent.
[[nodiscard]] std::optional<std::string_view> relation_of(const BrightnessGrid& copy,
                                                          const BrightnessGrid& original);
inline constexpr int kCellSlack = 1;

}  // namespace hotpack::pipeline
