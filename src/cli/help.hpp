// Formats the help of a command: its description, examples, usage and options in groups. CLI11's
// mode Normal is the short help (-h), which shows only the main options if a command has many; mode
// All is the whole help (--help).
//
// Pure; thread-safe.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace hotpack::cli {

struct OptionGroup {
  std::string title;
  std::vector<const CLI::Option*> options;
};

// The parts of the whole help, which --help=json shows, too, in the same order.
[[nodiscard]] std::vector<const CLI::Option*> arguments_of(const CLI::App& app);
[[nodiscard]] std::vector<OptionGroup> option_groups(const CLI::App& app);
[[nodiscard]] bool is_switch(const CLI::Option& option);                     // takes no value
[[nodiscard]] std::vector<std::string> names_of(const CLI::Option& option);  // -j, --jobs
[[nodiscard]] std::string form_of(const CLI::Option& option);  // of the value; empty for switches
[[nodiscard]] std::string usage_line(const CLI::App& app, const std::string& name);

class HelpFormatter final : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(std::size_t columns) : columns_(columns) {}
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  std::size_t columns_;  // the text fits them
};

}  // namespace hotpack::cli
