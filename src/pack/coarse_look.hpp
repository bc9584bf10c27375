// What an image looks like from afar: the brightness of 8 by 8 fields, and whether two images look alike as they are, flipped or turned
// by right angles.
//
// Fields are cut so that a flipped or turned image has exactly the flipped or turned fields. Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/pixels.hpp"

namespace hotpack::pipeline {

inline constexpr int kLookSide = 8;
using CoarseLook = std::array<std::uint8_t, static_cast<std::size_t>(kLookSide) * kLookSide>;  // row by row

// The mean of all samples of each field. At least one pixel.
[[nodiscard]] CoarseLook coarse_look(ConstPixels image);

// Sum of all fields: equal however the image is flipped or turned.
[[nodiscard]] int total_of(const CoarseLook& look);

// Whether it has contrast enough to be reported from others: on average its fields differ by 8 or more from an even slope of brightness, of
// which many images have much the same.
[[nodiscard]] bool is_distinct(const CoarseLook& look);

// How `copy` was made from `original`, where no field then differs by more than kFieldSlack: "hardly differs", "flipped left to right",
// "turned by 90 degrees", ….
[[nodiscard]] std::optional<std::string_view> how_alike(const CoarseLook& copy, const CoarseLook& original);
inline constexpr int kFieldSlack = 1;

}  // namespace hotpack::pipeline
