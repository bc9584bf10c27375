// Reads options from the file that `--config FILE` names. Its keys are the long names of the
// command's options; config_text.hpp describes its syntax.
//
// The command line takes precedence over the file. Failure: parsing the command line throws
// CLI::ConfigError if the content of the file is wrong, and CLI::FileError if the file cannot be
// read.
#pragma once

#include <CLI/CLI.hpp>

namespace hotpack::cli {

// Makes `root` read the file that a command's --config names. Call it before commands are added.
void prepare_config_files(CLI::App& root);

// Returns where the value of an option comes from: " (FILE, line 3)" if from the configuration
// file, otherwise "". `option` is the name with "--".
[[nodiscard]] std::string config_place(const CLI::App& root, const std::string& option);

// Adds --config to a command of the root that was given to prepare_config_files().
void add_config_file_option(CLI::App& command);

}  // namespace hotpack::cli
