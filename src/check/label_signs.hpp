// Recognizes from the pixels of one label how it was made: whether it is a photo, has interpolated
// or lossy borders, or has rescaled ids.
//
// Pure functions of a LabelInspection; thread-safe. The thresholds were chosen from measurements of
// correct and of damaged labels. They are far away from the values of correct labels. So correct
// labels are not reported, but some slightly damaged ones are missed.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pack/inspection.hpp"

namespace hotpack::pipeline {

// Returns true if the label looks like a photo or a depth map: either it has many values and
// neighboring pixels are rarely equal, or it has 16 bits and many small changes of value.
[[nodiscard]] bool looks_like_photo(const LabelInspection& label);

enum class Borders {
  sharp,
  blended,       // intermediate values along many borders: resized or rotated with interpolation
  anti_aliased,  // intermediate values between only two main values: a mask drawn with smooth edges
  jpeg,          // blended, with noise in 8x8 blocks
};
[[nodiscard]] Borders borders_of(const LabelInspection& label);

// Returns the values of the label as ids: stored values, or the gray levels of gray colors. Returns
// nothing if a color is not gray, or if there are more than kMostValues values.
[[nodiscard]] std::optional<std::vector<ValueCount>> id_values(const LabelInspection& label);

// Some programs multiply the ids of a 2-bit or 4-bit PNG by 85 or 17 to use all 8 bits. Returns
// that factor if the label seems to have been rescaled so, else 1. If every id is a `known` one,
// several different ids are needed for this conclusion.
[[nodiscard]] int rescale_factor(const std::vector<ValueCount>& ids,
                                 const std::bitset<65536>& known);

// Returns a text such as "0, 17, 34 … 187".
[[nodiscard]] std::string values_text(const std::vector<ValueCount>& values);

}  // namespace hotpack::pipeline
