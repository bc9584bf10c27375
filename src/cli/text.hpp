// Formats numbers and lines for people.
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hotpack::cli {

[[nodiscard]] std::string human_bytes(std::uint64_t bytes);  // "512 B", "1.2 GiB"
[[nodiscard]] std::string human_duration(
    double seconds);  // "0.25 s", "7.3 s", "42 s", "1 min 05 s", "2 h 03 min", "3 d 04 h"
[[nodiscard]] std::string human_rate(double per_second);  // "0.25", "7.3", "1,234"; no unit
[[nodiscard]] std::string percent_of(std::uint64_t part,
                                     std::uint64_t whole);  // "7.30 %"; if whole is 0, "0.00 %"

// Makes text harmless to terminals, logs and readers. Control characters (C0, DEL, C1), marks that
// change the direction of text, separators of lines and paragraphs, and bytes that are not UTF-8
// become \xNN or \uNNNN. Newlines and tabs stay. The result is valid UTF-8.
[[nodiscard]] std::string printable(std::string_view text);
// Makes the text of a key, a class name or a path harmless, as printable() does, and keeps it on
// one line: newlines and tabs become \n and \t.
[[nodiscard]] std::string printable_name(std::string_view name);
// Returns the width in columns of a terminal: a wide character counts 2, a combining one 0.
[[nodiscard]] std::size_t text_width(std::string_view text);
// Returns at most `width` columns of the text; if it is longer, the result ends with "…".
[[nodiscard]] std::string truncated(std::string_view text, std::size_t width);
// Breaks the text at spaces into lines of at most `width` columns; only a line with a single long
// word is longer. Lines after the first begin with `indent` spaces, which are not part of `width`.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);
// Breaks lines longer than `columns` at spaces. If a line has the form "name   TEXT", its
// continuation lines begin below TEXT; otherwise they are indented by two more columns than the
// line. Words stay whole. A TEXT that begins with "hotpack " is a command to copy and is not
// broken.
[[nodiscard]] std::string fitted(std::string_view lines, std::size_t columns);
// Replaces the spaces of a path, an option or a command by a mark, so that wrapped() does not break
// there. with_spaces() turns the marks into spaces again.
[[nodiscard]] std::string unbroken(std::string text);
[[nodiscard]] std::string with_spaces(std::string text);
// Applies printable(), fitted() and with_spaces(), in this order.
[[nodiscard]] std::string laid_out(std::string_view text, std::size_t columns);

}  // namespace hotpack::cli
