// A regular expression (ECMAScript) that an option gives, for paths and keys.
//
// Immutable; thread-safe. Failure: code `usage` naming the option, for an expression that is wrong or too complex for a path; no exception
// of <regex> leaves this class.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class PathPattern {
 public:
  // `option` is for messages: "--group".
  [[nodiscard]] static Result<PathPattern> compile(const std::string& text, std::string_view option);

  [[nodiscard]] std::size_t groups() const { return regex_.mark_count(); }
  // What the first group captures or, without groups, the whole match, wherever in the text it begins; nothing without a match.
  [[nodiscard]] Result<std::optional<std::string_view>> find(std::string_view text) const;

 private:
  PathPattern(std::regex regex, std::string name) : regex_(std::move(regex)), name_(std::move(name)) {}
  std::regex regex_;
  std::string name_;  // "--group 'REGEX'"
};

}  // namespace hotpack::pipeline
