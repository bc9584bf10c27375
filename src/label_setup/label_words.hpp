// Interprets the values of --ignore, --unknown and --pad-label for a class table.
//
// Pure functions; thread-safe. Failure: code `usage`; the message names the option and the word,
// and says what was expected and what to do.
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

// The whole text as a number.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);

// Divides the words of --ignore into raw ids, colors and class names, and stores them in `rules`,
// whose `kind` must be set already. A number is a raw id if labels contain ids, else the id of a
// class.
[[nodiscard]] Status resolve_ignored(const std::vector<std::string>& words,
                                     const labels::ClassTable& table, labels::LabelRules& rules);

// Returns the policy for unknown values. `word` may be error, ignore, nearest[:D] or the name of a
// class. A class whose name is one of the first three words cannot be chosen.
[[nodiscard]] Result<labels::UnknownPolicy> resolve_unknown(const std::string& word,
                                                            const labels::ClassTable& table);
// The policy as the schema stores it: the word, "nearest:D", or the name of the class.
[[nodiscard]] std::string unknown_text(const labels::UnknownPolicy& unknown,
                                       const labels::ClassTable& table);

// Accepts ignore or the name of a class.
[[nodiscard]] Result<std::uint16_t> resolve_pad(const std::string& word,
                                                const labels::ClassTable& table);

// Warnings about classes whose names are words of these options.
[[nodiscard]] std::vector<std::string> warnings_of_reserved_names(const labels::ClassTable& table);

}  // namespace hotpack::pipeline
