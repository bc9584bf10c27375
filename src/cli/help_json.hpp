// Describes the commands and their options as JSON, for programs that make completions, pages and
// wrappers from it. docs/json.md describes the members.
//
// Pure functions over CLI11's parser; thread-safe.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "format/json.hpp"

namespace hotpack::cli {

// Describes a command: its arguments and options.
[[nodiscard]] format::Json command_json(const CLI::App& command, const std::string& program);
// Describes the program: its commands, exit codes and own options.
[[nodiscard]] format::Json program_json(const CLI::App& root, const std::string& version);

}  // namespace hotpack::cli
