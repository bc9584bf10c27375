// Explains why a command line was refused, and how to fix it.
//
// Pure functions over CLI11's parser; thread-safe.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::cli {

// Returns the command that the line names, or `root` if it names none.
[[nodiscard]] const CLI::App& given_command(const CLI::App& root);

[[nodiscard]] std::vector<std::string> command_names(const CLI::App& root);

// Returns a message such as "unknown command 'pakc'; did you mean 'pack'?".
[[nodiscard]] std::string unknown_command(const CLI::App& root, const std::string& name);

// Returns the long names, without dashes, of the options that a configuration file may set.
[[nodiscard]] std::vector<std::string> long_names(const CLI::App& command);

// Returns a message such as "unknown key 'sise'; did you mean 'size'?"; `kind` is "key" here.
[[nodiscard]] std::string unknown_name(std::string_view kind, const std::string& name,
                                       const std::vector<std::string>& candidates);

// Returns a message such as "there is no sample with the key 'street_02' in 'packed'; did you mean
// 'north/street_02'?" for the key `asked`. `keys` are the keys of `pack`.
[[nodiscard]] std::string unknown_key(const std::string& asked, const std::string& pack,
                                      const std::vector<std::string>& keys);

// Returns the error to show to the user for an exception of the parser: code `io` for an unreadable
// configuration file, else `usage`.
[[nodiscard]] Error refusal(const CLI::App& root, const CLI::ParseError& thrown);

}  // namespace hotpack::cli
