// Quotes words of a command so that a shell reads them back unchanged.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

namespace hotpack {

// Returns the word as it is if a shell would not interpret any of it, else in quotes. Characters
// that must not be printed (control characters, marks that change the direction of text, bytes
// that are not UTF-8) become octal numbers in $'…'.
[[nodiscard]] std::string shell_word(const std::string& word);
// The same for a path: a leading '-' must not look like an option.
[[nodiscard]] std::string shell_path(const std::string& path);

}  // namespace hotpack
