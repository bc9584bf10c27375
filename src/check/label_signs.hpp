// Recognizes from the pixels of one label how it was made: photos, interpolated or lossy borders,
// rescaled ids.
//
// Pure functions of a LabelInspection; thread-safe. Thresholds were measured on correct and on
// damaged labels and lie between the two, far away from correct ones. A damaged label that looks
// like a correct one is not reported.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pack/inspection.hpp"

namespace hotpack::pipeline {

// True for a photo or depth map: many values with hardly two equal neighbors, or many smooth steps
// in 16 bits.
[[nodiscard]] bool looks_like_photo(const LabelInspection& label);

enum class Borders {
  sharp,
  blended,       // intermediate values along many borders: resized or rotated with interpolation
  anti_aliased,  // intermediate values between only two main values: a mask drawn with smooth edges
  jpeg,          // blended, with noise in 8x8 blocks
};
[[nodiscard]] Borders borders_of(const LabelInspection& label);

// The values as ids: raw samples, or gray colors. Absent for other colors and for more than
// kMostValues values.
[[nodiscard]] std::optional<std::vector<ValueCount>> id_values(const LabelInspection& label);

// 85 or 17 if a program seems to have rescaled the ids of a 2-bit or 4-bit PNG to 8 bits; else 1.
// If all ids are `known`, this needs several different ids.
[[nodiscard]] int rescale_factor(const std::vector<ValueCount>& ids,
                                 const std::bitset<65536>& known);

// "0, 17, 34 … 187"
[[nodiscard]] std::string values_text(const std::vector<ValueCount>& values);

}  // namespace hotpack::pipeline
