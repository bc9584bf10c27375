// What the pixels of one label betray about its making: a photo, resampled or lossy borders, rescaled ids.
//
// Pure functions of a LabelInspection; thread-safe. Thresholds were measured on hand-made and on spoilt labels and lie between the two,
// each several times away from hand-made ones; where a spoilt label looks like a sound one, nothing is said.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pack/inspection.hpp"

namespace hotpack::pipeline {

// Hardly two equal pixels side by side, and many values; or many smooth steps of 16 bits: no label, but a photo or a depth map.
[[nodiscard]] bool looks_like_photo(const LabelInspection& label);

enum class Borders {
  sharp,
  blended,       // values in between along many borders: an interpolating resize or rotation
  anti_aliased,  // the same between two main values: a mask drawn with smooth edges
  jpeg,          // and noise around them, in blocks
};
[[nodiscard]] Borders borders_of(const LabelInspection& label);

// The values as ids: raw samples, or colors of equal channels. Absent for other colors and for more than kMostValues values.
[[nodiscard]] std::optional<std::vector<ValueCount>> id_values(const LabelInspection& label);

// 85 or 17 where the ids are those of a 2-bit or 4-bit PNG that a program rescaled to 8 bits; else 1. Of ids that are all `known` several
// different ones must show it.
[[nodiscard]] int rescale_factor(const std::vector<ValueCount>& ids, const std::bitset<65536>& known);

// "0, 17, 34 … 187"
[[nodiscard]] std::string values_text(const std::vector<ValueCount>& values);

}  // namespace hotpack::pipeline
