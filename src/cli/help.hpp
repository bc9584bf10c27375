// The help of a command: what it does, examples, usage, then its options in groups. Mode Normal is the short one (-h), which of a command
// with many options shows the main ones; All is the whole (--help).
//
// Pure; thread-safe.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hotpack::cli {

class HelpFormatter final : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(std::size_t columns) : columns_(columns) {}
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  std::size_t columns_;  // that the text fits
};

}  // namespace hotpack::cli
