// Rules of a LabelDecoder: whether they go together, and what each value becomes by them. Inside this room only.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "hotpack/result.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::labels {

// Ids that are ignored without being named: in labels of up to 8 bits, and of 16.
inline constexpr std::uint32_t kDefaultIgnore8 = 255;
inline constexpr std::uint32_t kDefaultIgnore16 = 65535;

// The failures of LabelDecoder::create().
[[nodiscard]] Status check_rules(const ClassTable& table, const LabelRules& rules);

// Every value that is known, ascending, with all that is to be ignored resolved. The values of `binary` are 0 and 1: below the threshold,
// and from it on.
[[nodiscard]] std::vector<MappedValue> known_values(const ClassTable& table, const LabelRules& rules);
// Among ascending values; absent where it is not known.
[[nodiscard]] const MappedValue* find_value(const std::vector<MappedValue>& values, std::uint32_t value);

// What an unknown value becomes in id planes.
[[nodiscard]] std::uint16_t id_of_unknown(const LabelRules& rules);

// Sets `classes[].sources` and `ignore` as LabelDecoder::table() promises.
void fill_sources(const std::vector<MappedValue>& values, const LabelRules& rules, ClassTable& table);

}  // namespace hotpack::labels
