// A regular expression from an option or a table of the program, for paths, keys and names.
//
// Immutable; thread-safe. The syntax is Perl's, read by PCRE2: without options that a caller sets,
// upper and lower case differ, and a match may be anywhere in the text. Text is UTF-8; a byte that
// is not matches nothing. Failure: code `usage` with the option's name if the expression is wrong,
// or takes too many steps or too much memory for a text.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class PathPattern {
 public:
  struct Options {
    bool caseless = false;
    bool whole = false;           // the match must be the whole text
    std::string_view shown = {};  // in messages, in place of the expression
  };
  // `option` is for messages: "--group".
  [[nodiscard]] static Result<PathPattern> compile(const std::string& text, std::string_view option,
                                                   Options options);
  [[nodiscard]] static Result<PathPattern> compile(const std::string& text,
                                                   std::string_view option) {
    return compile(text, option, Options());
  }

  [[nodiscard]] std::size_t groups() const;
  // Searches the text for a match. Returns the whole match and then what each group captures, as
  // parts of `text`; empty optionals stand for groups that take no part. Returns an empty vector if
  // there is no match.
  using Parts = std::vector<std::optional<std::string_view>>;
  [[nodiscard]] Result<Parts> match(std::string_view text) const;
  // Searches the text for a match. Returns what the first group captures or, if the expression has
  // no groups, the whole match. Returns nothing if there is no match.
  [[nodiscard]] Result<std::optional<std::string_view>> find(std::string_view text) const;
  // Searches the text for a match. Returns what all groups capture, joined by '/'; groups that take
  // no part in the match are left out. Returns nothing if there is no match.
  [[nodiscard]] Result<std::optional<std::string>> find_all(std::string_view text) const;
  // Returns what match() would for every way to reach a "(?C)" in the expression, such as
  // "^(.+)_(.+)$(?C)".
  [[nodiscard]] Result<std::vector<Parts>> ways(std::string_view text) const;

 private:
  struct Code;  // what PCRE2 makes of the expression
  PathPattern(std::shared_ptr<const Code> code, std::string name)
      : code_(std::move(code)), name_(std::move(name)) {}
  template <class Use>
  [[nodiscard]] Status search(std::string_view text, Use use, void* context = nullptr) const;

  std::shared_ptr<const Code> code_;
  std::string name_;  // "--group 'REGEX'"
};

// An expression that matches `text` itself.
[[nodiscard]] std::string literal_pattern(std::string_view text);

struct Placeholder {
  std::string_view text;        // "{key}"
  std::string_view expression;  // "(.+)"
};
// An expression for a text with placeholders: literal except for these.
[[nodiscard]] std::string placeholder_pattern(std::string_view text,
                                              std::span<const Placeholder> placeholders);

}  // namespace hotpack::pipeline
