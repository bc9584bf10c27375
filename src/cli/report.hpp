// The result of a command as one value, which is printed as JSON or as text
// (CommandContext::print).
//
// Ownership: plain values. Not thread-safe. Failure: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/json.hpp"
#include "hotpack/result.hpp"

namespace hotpack::cli {

class Report {
 public:
  // `column`: where the text of a named line begins.
  explicit Report(std::size_t column = 10) : column_(column) {}

  // A member of the JSON object. Strings must be valid UTF-8.
  void member(const std::string& name, format::Json value) { json_[name] = std::move(value); }
  // A line of the text: a name, and in a column of its own the text, whose further lines are
  // aligned with the first.
  void line(std::string_view name, std::string_view text);
  // Lines of the text as they are, each ended by a newline.
  void lines(std::string_view text) { text_ += text; }

  [[nodiscard]] const format::Json& json() const { return json_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::size_t column_;
  format::Json json_ = format::Json::object();
  std::string text_;
};

// An array of strings, made valid UTF-8.
[[nodiscard]] format::Json utf8_list(const std::vector<std::string>& texts);

// An error as --json prints it; `code` is its name, `exit` the exit code.
[[nodiscard]] format::Json error_json(std::string_view code, int exit, const Error& error);

// The report of one pack among several that cannot be opened, with the error as for a single pack.
[[nodiscard]] Report failed_pack(const std::string& folder, const Error& error);

}  // namespace hotpack::cli
