// Numbers and lines as people read them.
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
[[nodiscard]] std::string human_duration(double seconds);    // "0.25 s", "7.3 s", "42 s", "1 min 05 s", "2 h 03 min", "3 d 04 h"
[[nodiscard]] std::string human_rate(double per_second);     // "0.25", "7.3", "1,234"; no unit

// What a terminal, a log and a reader's eye may be given: control characters (C0, DEL, C1), marks that turn the direction of text,
// separators of lines and paragraphs, and bytes that are not UTF-8, as \xNN or \uNNNN. Newline and tab stay. The result is valid UTF-8;
// in JSON that escapes what it must, what is escaped here stays an escape of JSON.
[[nodiscard]] std::string printable(std::string_view text);
// The same for a key, a class or a path, which is one line whatever it holds: newline and tab as \n and \t.
[[nodiscard]] std::string printable_name(std::string_view name);
// Columns of a terminal: wide characters count two, combining ones none.
[[nodiscard]] std::size_t text_width(std::string_view text);
// At most `width` columns; a longer text ends with "…".
[[nodiscard]] std::string truncated(std::string_view text, std::size_t width);
// Breaks at spaces into a block of `width` columns, if its words allow; lines after the first begin with `indent` more spaces.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);
// Lines beyond `columns` broken at spaces, the rest below the text of their first line: behind "name   " or the line's own indent. Words
// stay whole, and so do lines with a command to copy, which begins with "hotpack ".
[[nodiscard]] std::string fitted(std::string_view lines, std::size_t columns);
// Printable text whose spaces wrapped() does not break at, and back: paths, options, commands.
[[nodiscard]] std::string unbroken(std::string text);
[[nodiscard]] std::string with_spaces(std::string text);
// All three: printable, fitted, and with its unbroken spaces put back.
[[nodiscard]] std::string laid_out(std::string_view text, std::size_t columns);

// The candidate that a person probably meant: edit distance (a swap of neighbours counts one) at most a third of its length.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> candidates);

}  // namespace hotpack::cli
