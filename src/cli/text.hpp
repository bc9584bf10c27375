// Numbers and lines for people.
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hotpack::cli {

[[nodiscard]] std::string human_bytes(std::uint64_t bytes);  // "512 B", "1.2 GiB"
[[nodiscard]] std::string human_duration(
    double seconds);  // "0.25 s", "7.3 s", "42 s", "1 min 05 s", "2 h 03 min", "3 d 04 h"
[[nodiscard]] std::string human_rate(double per_second);  // "0.25", "7.3", "1,234"; no unit
[[nodiscard]] std::string percent_of(std::uint64_t part,
                                     std::uint64_t whole);  // "7.30 %"; of nothing "0.00 %"

// Makes text harmless to terminals, logs and readers: control characters (C0, DEL, C1), marks that
// change the direction of text, separators of lines and paragraphs, and bytes that are not UTF-8
// become \xNN or \uNNNN. Newline and tab stay. The result is valid UTF-8.
[[nodiscard]] std::string printable(std::string_view text);
// The same for a key, a class or a path, which must stay on one line: newline and tab become \n and
// \t.
[[nodiscard]] std::string printable_name(std::string_view name);
// In columns of a terminal: wide characters count two, combining ones none.
[[nodiscard]] std::size_t text_width(std::string_view text);
// At most `width` columns; a longer text ends with "…".
[[nodiscard]] std::string truncated(std::string_view text, std::size_t width);
// Text broken at spaces into lines of at most `width` columns, longer only for a longer word; lines
// after the first begin with `indent` more spaces.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);
// Breaks lines longer than `columns` at spaces, and aligns what follows with the text of the first
// line: behind "name   " or the line's own indent. Words stay whole, and so do commands to copy:
// text that begins with "hotpack ".
[[nodiscard]] std::string fitted(std::string_view lines, std::size_t columns);
// Marks the spaces of a path, an option or a command, so that wrapped() does not break there;
// with_spaces() restores them.
[[nodiscard]] std::string unbroken(std::string text);
[[nodiscard]] std::string with_spaces(std::string text);
// All three: printable(), fitted() and with_spaces().
[[nodiscard]] std::string laid_out(std::string_view text, std::size_t columns);

// The candidate that a person probably meant: at an edit distance (a swap of neighbors counts as
// one) of at most a third of the length.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<const std::string> candidates);
// "; did you mean 'size'?", or nothing if no candidate is near.
[[nodiscard]] std::string suggestion(std::string_view word,
                                     std::span<const std::string> candidates);

}  // namespace hotpack::cli
