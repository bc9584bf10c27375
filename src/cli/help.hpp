// Formats the help of a command: its description, examples, usage and options in groups. CLI11's
// mode Normal is the short help (-h), which shows only the main options if a command has many; mode
// All is the whole help (--help).
//
// Pure; thread-safe.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hotpack::cli {

class HelpFormatter final : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(std::size_t columns) : columns_(columns) {}
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  std::size_t columns_;  // the text fits them
};

}  // namespace hotpack::cli
