// Reads canonical JSON (FORMAT.md, section 10) from its start, one expected piece after the other.
//
// The parts of the format that grow with the shards are read in this way, because the general
// parser (json.hpp) takes most of the time of reading many shards. It never decides alone: text
// that is not exactly as hotpack writes it makes a member return false, and the caller then uses
// the general parser, which accepts it or says what is wrong.
//
// Borrows the text. Allocates only the strings that it returns, never more than the text has.
// Strings are not checked to be UTF-8: the caller does that for the whole text (is_utf8()).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hotpack::format {

class CanonicalScan {
 public:
  explicit CanonicalScan(std::string_view text) : rest_(text) {}

  // Each take_… removes what it reads. If it returns false, the scan must not be used any more.
  // Returns true if the text goes on with `expected`; else nothing is removed, and the scan goes
  // on.
  [[nodiscard]] bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  // A whole number in plain digits, of at most kMaxCount (json_node.hpp).
  [[nodiscard]] bool take_number(std::uint64_t& number);
  // A quoted string, in which only `"`, `\`, \b \t \n \f \r are escaped.
  [[nodiscard]] bool take_string(std::string& text);
  // A quoted digest: "xxh3-128:" and 32 lower-case hex digits.
  [[nodiscard]] bool take_digest(std::string& text);

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace hotpack::format
