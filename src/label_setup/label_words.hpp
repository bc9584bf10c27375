// Words of --ignore, --unknown and --pad-label with their meaning for a class table.
//
// Pure functions; thread-safe. Failure: code `usage` with option and word, what was expected, how to go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::pipeline {

// All of the text as a number.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
// "#rrggbb"
[[nodiscard]] std::optional<RgbColor> hex_color(std::string_view text);

// Splits --ignore into raw ids (of id labels), colors, and classes (by name; of other labels by id too). Sets the members of `rules`,
// whose reading is known.
[[nodiscard]] Status resolve_ignored(const std::vector<std::string>& words, const labels::ClassTable& table, labels::LabelRules& rules);

// error, ignore, nearest[:D] or a class. A class that is called like one of these words cannot be chosen.
[[nodiscard]] Result<labels::UnknownPolicy> resolve_unknown(const std::string& word, const labels::ClassTable& table);
// As the schema has it: the word, "nearest:D", or the class's name.
[[nodiscard]] std::string unknown_text(const labels::UnknownPolicy& unknown, const labels::ClassTable& table);

// ignore or a class.
[[nodiscard]] Result<std::uint16_t> resolve_pad(const std::string& word, const labels::ClassTable& table);

// Warnings about classes that are called like words of these options.
[[nodiscard]] std::vector<std::string> warnings_of_reserved_names(const labels::ClassTable& table);

}  // namespace hotpack::pipeline
