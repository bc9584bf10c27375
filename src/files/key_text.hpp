// Checks keys, makes the key of a path, and checks names of splits.
//
// Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace hotpack::pipeline {

// Returns true if the key obeys the rule of FORMAT.md: UTF-8, parts separated by '/', no part
// empty, "." or "..", no NUL byte.
[[nodiscard]] bool valid_key(std::string_view key);

// A valid prefix of keys: nothing, or a key followed by '/', of at most 16,384 bytes.
[[nodiscard]] bool valid_key_prefix(std::string_view prefix);

// A path, absolute or relative, as a key: "/a/./b/../c" and "../a/c" give "a/c". May be empty.
[[nodiscard]] std::string key_of_path(std::string_view path);

// A valid folder name for a split: one part of a key, not hidden.
[[nodiscard]] bool valid_split_name(std::string_view name);

// True for train, val, test and similar names in any case, also with a year: "train2017", "trn".
[[nodiscard]] bool usual_split_name(std::string_view name);
// The usual names as alternatives of a regular expression, in lower case.
[[nodiscard]] std::string_view usual_split_names();

}  // namespace hotpack::pipeline
