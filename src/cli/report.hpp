// Holds the result of a command. CommandContext::print() prints it as JSON or as text.
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
  // The text of a named line begins at `column`.
  explicit Report(std::size_t column = 10) : column_(column) {}

  // Sets a member of the JSON object. Strings must be valid UTF-8.
  void member(const std::string& name, format::Json value) { json_[name] = std::move(value); }
  // Adds a line to the text: `name`, then `text`, which begins at the same column in all lines. If
  // `text` has several lines, each begins at that column.
  void line(std::string_view name, std::string_view text);
  // Adds lines to the text as they are; each must end with a newline.
  void lines(std::string_view text) { text_ += text; }

  [[nodiscard]] const format::Json& json() const { return json_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::size_t column_;
  format::Json json_ = format::Json::object();
  std::string text_;
};

// Returns the strings, made valid UTF-8, as a JSON array.
[[nodiscard]] format::Json utf8_list(const std::vector<std::string>& texts);

// Returns an error as --json prints it; docs/json.md describes the members. `option` is the name of
// the option that caused it; empty: unknown. `problems` is the list of grouped problems, if any.
[[nodiscard]] format::Json error_json(const Error& error, int exit, const std::string& option = {},
                                      format::Json problems = format::Json::array());

// Returns the report of a pack that cannot be opened, for a command that reports several packs. The
// report contains the same error object as that for a single pack.
[[nodiscard]] Report failed_pack(const std::string& folder, const Error& error);

}  // namespace hotpack::cli
