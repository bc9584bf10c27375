#include "cli/json_wishes.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <string_view>

#include "cli/option_values.hpp"

namespace hotpack::cli {

namespace {

// True for --json, and for --json=VALUE unless the value means no.
bool is_json_switch(const std::string& argument) {
  constexpr std::string_view kSwitch = "--json", kWithValue = "--json=";
  if (argument == kSwitch) return true;
  if (!argument.starts_with(kWithValue)) return false;
  const std::string value = plain_word(argument.substr(kWithValue.size()));
  return value != "false" && value != "off" && value != "no" && value != "0";
}

bool is_json(const std::string& word) { return plain_word(word) == "json"; }

// True if the arguments contain `--progress json`, in one word or in two.
bool asks_json_messages(std::span<const std::string> arguments) {
  constexpr std::string_view kProgress = "--progress";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with(kProgress)) continue;
    const std::string rest = argument.substr(kProgress.size());
    if (rest.starts_with('=') && is_json(rest.substr(1))) return true;
    if (rest.empty() && i + 1 < arguments.size() && is_json(arguments[i + 1])) return true;
  }
  return false;
}

// True if the option, which may be absent from the command, was given with a value like this.
template <class Matches>
bool was_given(const CLI::App& command, const std::string& name, Matches matches) {
  const CLI::Option* const option = command.get_option_no_throw(name);
  return option != nullptr &&
         std::any_of(option->results().begin(), option->results().end(), matches);
}

}  // namespace

JsonWishes typed_json_wishes(std::span<const std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return {std::any_of(arguments.begin(), end, is_json_switch),
          asks_json_messages({arguments.begin(), end})};
}

JsonWishes given_json_wishes(const CLI::App& command) {
  return {was_given(command, "--json", [](const std::string& word) { return word == "true"; }),
          was_given(command, "--progress", is_json)};
}

}  // namespace hotpack::cli
