// A regular expression (ECMAScript) from an option, for paths and keys.
//
// Immutable; thread-safe. Failure: code `usage` with the option's name if the expression is wrong,
// or takes too many steps for a path; no exception of <regex> leaves this class.
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
  // Searches the text for a match. Returns what the first group captures or, if the expression has
  // no groups, the whole match. Returns nothing if there is no match.
  [[nodiscard]] Result<std::optional<std::string_view>> find(std::string_view text) const;
  // Searches the text for a match. Returns what all groups capture, joined by '/'; groups that take
  // no part in the match are left out. Returns nothing if there is no match.
  [[nodiscard]] Result<std::optional<std::string>> find_all(std::string_view text) const;

 private:
  // Searches the text for a match. Returns the whole match and then what each group captures, as
  // parts of `text`; empty optionals stand for groups that take no part. Returns an empty vector if
  // there is no match.
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
