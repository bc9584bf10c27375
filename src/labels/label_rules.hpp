// Checks that the rules of a LabelDecoder fit together, and applies them to label values. Only
// src/labels uses this.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "hotpack/result.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::labels {

// The id that is ignored by default in labels of up to 8 bits; the next constant is that for labels
// of 16 bits.
inline constexpr std::uint32_t kDefaultIgnore8 = 255;
inline constexpr std::uint32_t kDefaultIgnore16 = 65535;

// Fails as LabelDecoder::create() describes.
[[nodiscard]] Status check_rules(const ClassTable& table, const LabelRules& rules);

// Returns every value that has a class or is ignored, ascending. For `binary`, the values are 0
// (below the threshold) and 1.
[[nodiscard]] std::vector<MappedValue> known_values(const ClassTable& table,
                                                    const LabelRules& rules);
// Finds a value among ascending ones; absent if it is unknown.
[[nodiscard]] const MappedValue* find_value(const std::vector<MappedValue>& values,
                                            std::uint32_t value);

// The id of an unknown value in id planes.
[[nodiscard]] std::uint16_t id_of_unknown(const LabelRules& rules);

// Sets `classes[].sources` and `ignore` as LabelDecoder::table() describes.
void fill_sources(const std::vector<MappedValue>& values, const LabelRules& rules,
                  ClassTable& table);

}  // namespace hotpack::labels
