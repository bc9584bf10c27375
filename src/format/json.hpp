// JSON for the format: a strict parser and a canonical writer.
//
// The DOM is nlohmann's ordered_json, which keeps the order of keys; its exceptions never leave
// these functions. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::format {

using Json = nlohmann::ordered_json;

// Limits for a text. The parser refuses a text that exceeds them while it reads it.
struct JsonLimits {
  std::size_t depth = 64;                                          // nested objects and lists
  std::size_t elements = std::numeric_limits<std::size_t>::max();  // per list
};

// Parses strict JSON. Refuses, with code `damaged` and the byte offset:
// - anything that RFC 8259 refuses, and text after the value other than white space;
// - a duplicate key at any depth, invalid UTF-8, a byte order mark;
// - more than the limits allow.
// The cost is O(n log n) at worst. A hostile header may contain a million keys, so keys are neither
// compared one by one nor hashed, since an attacker could choose keys with equal hashes.
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// Returns the members of an object in file order. Keys and values are their original text, escapes
// included. Precondition: parse_json accepts `text` as an object.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> raw_members(
    std::string_view text);

// Writes a value as canonical JSON: keys in their order, no white space, and no escapes except `"`,
// `\`, \b \t \n \f \r and \u00xx (lower case) for other control characters. Integers are plain
// digits; floating-point numbers are as std::to_chars(double) writes them. Strings must be valid
// UTF-8.
[[nodiscard]] std::string canonical_json(const Json& value);
[[nodiscard]] std::string canonical_string(std::string_view text);  // one quoted JSON string
[[nodiscard]] std::string canonical_double(double value);

// Replaces each byte that is not part of valid UTF-8 with U+FFFD, to show names of files.
[[nodiscard]] std::string with_valid_utf8(std::string_view text);

}  // namespace hotpack::format
