// Words of a command line that a shell reads back as they are.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

namespace hotpack {

// As it is where nothing in it means something to a shell; else in quotes. What must not be printed (control characters, marks that turn
// the direction of text, bytes that are not UTF-8) stands as octal numbers in $'…'.
[[nodiscard]] std::string shell_word(const std::string& word);
// The same for a path: one that begins with '-' is no option.
[[nodiscard]] std::string shell_path(const std::string& path);

}  // namespace hotpack
