// Keys as text: what may be one, which key a path gives, and which names of splits may be folders.
//
// Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace hotpack::pipeline {

// The rule of FORMAT.md for keys: UTF-8, parts separated by '/', no part empty, "." or "..", no NUL byte.
[[nodiscard]] bool valid_key(std::string_view key);

// What keys may begin with: nothing, or a key followed by '/'.
[[nodiscard]] bool valid_key_prefix(std::string_view prefix);

// A path, absolute or relative, as a key: "/a/./b/../c" and "../a/c" give "a/c". May be empty.
[[nodiscard]] std::string key_of_path(std::string_view path);

// A name that a split's folder can have: one part of a key, not hidden.
[[nodiscard]] bool valid_split_name(std::string_view name);

// train, val, test and their likes, in upper or lower case, also with a year: "train2017".
[[nodiscard]] bool usual_split_name(std::string_view name);
// The usual names as alternatives of a regular expression, in lower case.
[[nodiscard]] std::string_view usual_split_names();

}  // namespace hotpack::pipeline
