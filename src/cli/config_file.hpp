// Options from a file: `--config FILE`, whose keys are the long names of the command's options
// (config_text.hpp has the form).
//
// The command line takes precedence. Failure: CLI::ConfigError for the content of the file,
// CLI::FileError for an unreadable file; both are thrown into CLI11's parser, which passes them to
// the frame.
#pragma once

#include <CLI/CLI.hpp>

namespace hotpack::cli {

// Makes `root` read the file of a command's --config. Call before commands are added.
void prepare_config_files(CLI::App& root);

// " (FILE, line 3)" if the option's value came from the configuration file, otherwise nothing.
// `option` has dashes.
[[nodiscard]] std::string config_place(const CLI::App& root, const std::string& option);

// Adds --config to a command of that root.
void add_config_file_option(CLI::App& command);

}  // namespace hotpack::cli
