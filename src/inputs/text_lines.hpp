// The lines of lists and tables.
//
// Lines are views of the text, which must outlive them. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

struct TextLine {
  std::size_t number = 0;  // from 1
  std::string_view text;   // without surrounding blanks and CR; never empty
};

class TextLines {
 public:
  explicit TextLines(std::string_view text);
  // The next line that is neither empty nor a comment ('#' alone or followed by a blank). Another
  // line that begins with '#' may be a comment or a name; the caller decides.
  std::optional<TextLine> next();

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// True if a list comes from standard input ("-") or a pipe: it can be read only once, and its
// folder means nothing.
[[nodiscard]] bool is_stream(const std::string& path);

// Reads a text file, a pipe, or standard input ("-"): UTF-8 with or without byte order mark. UTF-16
// is refused by name, code `data`.
[[nodiscard]] Result<std::string> read_list_text(const std::string& path);

// The fields of a line of comma- or tab-separated values with RFC 4180 quotes, without surrounding
// blanks; with separator ' ' its words, which quotes may join. Nothing if a quote is not closed or
// is followed by other text.
[[nodiscard]] std::optional<std::vector<std::string>> split_fields(std::string_view line,
                                                                   char separator);

[[nodiscard]] std::string_view without_blanks(std::string_view text);

}  // namespace hotpack::pipeline
