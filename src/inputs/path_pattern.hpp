// A regular expression (ECMAScript) given by an option, for paths and keys.
//
// Immutable; thread-safe. Failure: code `usage` naming the option if the expression is wrong or too
// complex for a path; no exception of <regex> leaves this class.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class PathPattern {
 public:
  // `option` is for messages: "--group".
  [[nodiscard]] static Result<PathPattern> compile(const std::string& text,
                                                   std::string_view option);

  [[nodiscard]] std::size_t groups() const { return regex_.mark_count(); }
  // Searches the text for a match. Returns the capture of the first group or, without groups, the
  // whole match; nothing if there is no match.
  [[nodiscard]] Result<std::optional<std::string_view>> find(std::string_view text) const;
  // The same for the captures of all groups, joined by '/'. Omits groups that take no part in the
  // match.
  [[nodiscard]] Result<std::optional<std::string>> find_all(std::string_view text) const;

 private:
  // The whole match and the capture of each group, as parts of `text`; groups that take no part are
  // empty. No element without a match.
  [[nodiscard]] Result<std::vector<std::optional<std::string_view>>> search(
      std::string_view text) const;

  PathPattern(std::regex regex, std::string name)
      : regex_(std::move(regex)), name_(std::move(name)) {}
  std::regex regex_;
  std::string name_;  // "--group 'REGEX'"
};

// An expression that matches `text` itself.
[[nodiscard]] std::string literal_pattern(std::string_view text);

}  // namespace hotpack::pipeline
