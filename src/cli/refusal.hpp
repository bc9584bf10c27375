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

// The command of the line, or `root` if none was recognized.
[[nodiscard]] const CLI::App& given_command(const CLI::App& root);

// "unknown command 'pakc'; did you mean 'pack'?"
[[nodiscard]] std::string unknown_command(const CLI::App& root, const std::string& name);

// Long names of a command's options that a configuration file may hold, without dashes.
[[nodiscard]] std::vector<std::string> long_names(const CLI::App& command);

// "unknown key 'sise'; did you mean 'size'?"
[[nodiscard]] std::string unknown_name(std::string_view kind, const std::string& name,
                                       const std::vector<std::string>& candidates);

// The error to show for what the parser threw: `io` for an unreadable configuration file, else
// `usage`.
[[nodiscard]] Error refusal(const CLI::App& root, const CLI::ParseError& thrown);

}  // namespace hotpack::cli
