// Splits the text of lists and tables into lines.
//
// Lines are views of the text, which must outlive them. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

struct TextLine {
  std::size_t number = 0;  // of the line in the file, from 1
  std::string_view text;   // without surrounding spaces, tabs and CR; never empty
};

class TextLines {
 public:
  explicit TextLines(std::string_view text);
  // Returns the next line that is neither empty nor a comment ('#' alone, or followed by a space or
  // tab); nothing at the end. A line that begins with '#' and other text may be a comment or a
  // name; the caller decides.
  std::optional<TextLine> next();

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// Returns true if a list comes from standard input ("-") or a pipe. Such a list can be read only
// once, and the folder in `path` says nothing about where its files are.
[[nodiscard]] bool is_stream(const std::string& path);

// Returns the content of a text file, a pipe, or standard input ("-"). It must be UTF-8, with or
// without byte order mark. Fails with code `data` for UTF-16 and for text with NUL bytes.
[[nodiscard]] Result<std::string> read_list_text(const std::string& path);

}  // namespace hotpack::pipeline
