// Finds the word that a user probably meant.
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hotpack {

// Counts insertions, deletions, substitutions and swaps of neighbors (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the candidate that the user probably meant, or nothing. Its edit distance from `word` is
// at most a third of the length; exchanging two neighboring characters counts as one edit.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<const std::string> candidates);
// Returns "; did you mean 'size'?", or an empty text if no candidate is near.
[[nodiscard]] std::string suggestion(std::string_view word,
                                     std::span<const std::string> candidates);

}  // namespace hotpack
