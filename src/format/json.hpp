// JSON as the format wants it: a strict parser and a canonical writer.
//
// The DOM is nlohmann's ordered_json (keys keep their order); its exceptions never leave these functions. Pure; thread-safe.
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

// What a text may hold at most; more is refused while it is read.
struct JsonLimits {
  std::size_t depth = 64;                                          // nested objects and lists
  std::size_t elements = std::numeric_limits<std::size_t>::max();  // of one list
};

// Refuses, with code `damaged` and the byte offset in the text: anything RFC 8259 refuses, a duplicate key at any depth, invalid
// UTF-8, a byte order mark, more than the limits allow, text after the value other than white space. Cost is O(n log n) in the text at
// worst (no quadratic key search, no hash that an attacker can fill with collisions: a hostile header may hold a million keys).
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// The members of an object in file order, each value as the text it has there. Precondition: parse_json accepts `text` as an object.
// Keys are given as written, without resolving escapes.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> raw_members(std::string_view text);

// Key order kept, no white space, no escapes except `"`, `\`, \b \t \n \f \r and \u00xx (lower case) for other control characters;
// integers in plain digits, floating-point numbers as std::to_chars(double) writes them. Strings must be valid UTF-8.
[[nodiscard]] std::string canonical_json(const Json& value);
[[nodiscard]] std::string canonical_string(std::string_view text);  // one quoted JSON string
[[nodiscard]] std::string canonical_double(double value);

[[nodiscard]] bool valid_utf8(std::string_view text);
// Each byte that is no part of valid UTF-8 becomes U+FFFD: names of files, before they are shown.
[[nodiscard]] std::string with_valid_utf8(std::string_view text);

}  // namespace hotpack::format
