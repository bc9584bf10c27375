// Numbers, lists and lines as text for people, independent of the locale.
//
// Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hotpack {

// "17,302"
[[nodiscard]] std::string number_text(std::uint64_t number);
// "7.30"; `digits` after the decimal point.
[[nodiscard]] std::string fixed_text(double value, int digits);
// "7.30 %" for a share from 0 to 1.
[[nodiscard]] std::string percent_text(double share, int digits = 2);
// "#ff8000"
[[nodiscard]] std::string color_text(const std::array<std::uint8_t, 3>& color);
// The color of such a text; absent for other texts.
[[nodiscard]] std::optional<std::array<std::uint8_t, 3>> hex_color(std::string_view text);
// "1 label", "17,302 labels"; `many` defaults to `one` and an s.
[[nodiscard]] std::string counted_text(std::uint64_t count, std::string_view one,
                                       std::string_view many = {});
// "6 of 148 labels", "all 148 labels", "1 label" (of 1)
[[nodiscard]] std::string share_text(std::uint64_t count, std::uint64_t of, std::string_view one,
                                     std::string_view many);
// Joins words with a separator.
[[nodiscard]] std::string joined_text(const std::vector<std::string>& words,
                                      std::string_view separator);
// Joins the first `most` words with commas; "…" replaces the others.
[[nodiscard]] std::string list_text(const std::vector<std::string>& words, std::size_t most);

// "'name'": how a sentence shows the name of a file, folder or class.
[[nodiscard]] std::string quoted_text(std::string_view name);
// As list_text(), with each word in single quotes.
[[nodiscard]] std::string quoted_list_text(const std::vector<std::string>& words, std::size_t most);

// Returns the lines of a text without their newlines, as views into the text. After a newline at
// the very end there is no further, empty line.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace hotpack
