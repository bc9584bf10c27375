// A regular expression (ECMAScript) that an option gives, for paths and keys.
//
// Immutable; thread-safe. Failure: code `usage` naming the option, for an expression that is wrong or too complex for a path; no exception
// of <regex> leaves this class.
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
  [[nodiscard]] static Result<PathPattern> compile(const std::string& text, std::string_view option);

  [[nodiscard]] std::size_t groups() const { return regex_.mark_count(); }
  // What the first group captures or, without groups, the whole match, wherever in the text it begins; nothing without a match.
  [[nodiscard]] Result<std::optional<std::string_view>> find(std::string_view text) const;
  // What all groups capture, with '/' between; groups without a part in the match are left out.
  [[nodiscard]] Result<std::optional<std::string>> find_all(std::string_view text) const;

 private:
  // The matches of the whole and of each group, as parts of `text`; those without one are empty. None where nothing matches.
  [[nodiscard]] Result<std::vector<std::optional<std::string_view>>> search(std::string_view text) const;

  PathPattern(std::regex regex, std::string name) : regex_(std::move(regex)), name_(std::move(name)) {}
  std::regex regex_;
  std::string name_;  // "--group 'REGEX'"
};

}  // namespace hotpack::pipeline
