// The help of a command: what it does, examples, usage, then its options in groups.
//
// Pure; thread-safe.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hotpack::cli {

class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace hotpack::cli
