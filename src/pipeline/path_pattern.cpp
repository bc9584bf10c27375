#include "pipeline/path_pattern.hpp"

#include <utility>

#include "base/error.hpp"

namespace hotpack::pipeline {

Result<PathPattern> PathPattern::compile(const std::string& text, std::string_view option) {
  std::string name = std::string(option) + " '" + text + "'";
  try {
    return PathPattern(std::regex(text, std::regex::ECMAScript | std::regex::optimize), name);
  } catch (const std::regex_error& error) {
    return usage_error(name + ": is no regular expression (" + error.what() + ")");
  }
}

Result<std::optional<std::string_view>> PathPattern::find(std::string_view text) const {
  std::match_results<std::string_view::const_iterator> match;
  try {
    if (!std::regex_search(text.begin(), text.end(), match, regex_)) return std::optional<std::string_view>();
  } catch (const std::regex_error& error) {
    return usage_error(name_ + ": is too complex for '" + std::string(text) + "' (" + error.what() + "); write a simpler one");
  }
  const auto& found = match[groups() > 0 ? 1 : 0];
  if (!found.matched) return std::optional<std::string_view>();
  return std::optional(text.substr(static_cast<std::size_t>(found.first - text.begin()), static_cast<std::size_t>(found.length())));
}

}  // namespace hotpack::pipeline
