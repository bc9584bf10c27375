#include "cli/pack_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "cli/pack_report.hpp"

namespace hotpack::cli {

namespace {

// What says how a check runs and tells, not what is packed.
bool is_own_option(const CLI::Option& option) {
  static constexpr std::array<std::string_view, 5> kNames = {"--help", "--json", "--config", "--fast", "--write-classes"};
  return option.get_group() == "Messages" ||
         std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) { return option.check_name(std::string(name)); });
}

std::string name_of(const CLI::Option& option) {
  return option.get_snames().empty() ? "--" + option.get_lnames().front() : "-" + option.get_snames().front();
}

// A name and one value; "=" where the value could be taken for an option, or may be left out.
std::string with_value(const CLI::Option& option, const std::string& value) {
  const std::string name = name_of(option);
  const bool joined = name.starts_with("--") && (value.starts_with('-') || option.get_items_expected_min() == 0);
  return " " + name + (joined ? "=" : " ") + shell_word(value);
}

std::string words_of(const CLI::Option& option) {
  const std::vector<std::string>& values = option.results();
  std::string words;
  if (option.get_positional()) {
    for (const std::string& value : values) words += " " + shell_word(value);
  } else if (option.get_items_expected_max() == 0 || (values.size() == 1 && values.front().empty())) {
    words = " " + name_of(option);
  } else if (option.get_items_expected_min() > 1) {
    words = " " + name_of(option);
    for (const std::string& value : values) words += " " + shell_word(value);
  } else {
    for (const std::string& value : values) words += with_value(option, value);
  }
  return words;
}

}  // namespace

std::string pack_command_line(const CLI::App& command) {
  std::string line = "hotpack pack";
  bool has_output = false;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || is_own_option(*option)) continue;
    line += words_of(*option);
    has_output = has_output || option->check_name("--output");
  }
  return has_output ? line : line + " -o packed";
}

}  // namespace hotpack::cli
