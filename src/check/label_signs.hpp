// Recognizes from the pixels of one label how it was made: photos, interpolated or lossy borders,
// rescaled ids.
//
// Pure functions of a LabelInspection; thread-safe. The thresholds were chosen from measurements of
// correct and of damaged labels. They are far away from the values of correct labels, so a damaged
// label that resembles a correct one is not reported.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pack/inspection.hpp"

namespace hotpack::pipeline {

// True if the label looks like a photo or a depth map: it has many values and hardly any equal
// neighbors, or it has 16 bits and many smooth steps.
[[nodiscard]] bool looks_like_photo(const LabelInspection& label);

enum class Borders {
  sharp,
  blended,       // intermediate values along many borders: resized or rotated with interpolation
  anti_aliased,  // intermediate values between only two main values: a mask drawn with smooth edges
  jpeg,          // blended, with noise in 8x8 blocks
};
[[nodiscard]] Borders borders_of(const LabelInspection& label);

// Returns the values as ids: stored values, or gray colors. Absent if a color is not gray, or if
// there are more than kMostValues values.
[[nodiscard]] std::optional<std::vector<ValueCount>> id_values(const LabelInspection& label);

// Returns 85 or 17 if a program seems to have rescaled the ids of a 2-bit or 4-bit PNG to 8 bits;
// else 1. If all ids are `known`, several different ids are needed to conclude this.
[[nodiscard]] int rescale_factor(const std::vector<ValueCount>& ids,
                                 const std::bitset<65536>& known);

// Returns a text such as "0, 17, 34 … 187".
[[nodiscard]] std::string values_text(const std::vector<ValueCount>& values);

}  // namespace hotpack::pipeline
