#include "cli/refusal.hpp"

#include <optional>

#include "base/error.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

bool looks_like_option(const std::string& argument) { return argument.size() > 1 && argument.front() == '-'; }

// "--size=3" → "--size"
std::string option_part(const std::string& argument) { return argument.substr(0, argument.find('=')); }

std::optional<std::string> first_unknown_option(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (looks_like_option(argument)) return option_part(argument);
  }
  return std::nullopt;
}

std::vector<std::string> dashed_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// What the parser could not place, if that explains the refusal better than what it threw.
std::optional<std::string> explain_leftovers(const CLI::App& root) {
  const CLI::App& command = given_command(root);
  const std::vector<std::string> before = root.remaining();
  const bool none_given = &command == &root;
  if (const auto option = first_unknown_option(before)) {
    const bool misplaced = !none_given && command.get_option_no_throw(*option) != nullptr;
    if (misplaced) return "options follow the command: " + root.get_name() + " " + command.get_name() + " " + *option;
    return unknown_name("option", *option, dashed_names(root));
  }
  if (none_given) {
    if (before.empty()) return std::nullopt;
    return unknown_name("command", before.front(), command_names(root));
  }
  const std::vector<std::string> after = command.remaining();
  if (const auto option = first_unknown_option(after)) return unknown_name("option", *option, dashed_names(command));
  if (!after.empty()) return "unexpected argument '" + after.front() + "'";
  return std::nullopt;
}

// CLI11's words, but for the commonest mistake, where it names its own type: "--size: 1 required TEXT missing".
std::string words_of(const CLI::ParseError& thrown) {
  const std::string words = thrown.what();
  const bool value_missing = dynamic_cast<const CLI::ArgumentMismatch*>(&thrown) != nullptr && words.ends_with(" missing");
  return value_missing ? words.substr(0, words.find(':')) + " needs a value" : words;
}

}  // namespace

const CLI::App& given_command(const CLI::App& root) {
  const std::vector<CLI::App*> parsed = root.get_subcommands();
  return parsed.empty() ? root : *parsed.front();
}

std::vector<std::string> long_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_configurable()) continue;
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

std::string unknown_name(std::string_view kind, const std::string& name, const std::vector<std::string>& candidates) {
  std::string text = "unknown " + std::string(kind) + " '" + name + "'";
  if (const auto nearest = nearest_word(name, candidates)) text += "; did you mean '" + *nearest + "'?";
  return text;
}

Error refusal(const CLI::App& root, const CLI::ParseError& thrown) {
  if (dynamic_cast<const CLI::FileError*>(&thrown) != nullptr) {
    return {ErrorCode::io, "the configuration file is missing or unreadable", root.get_config_ptr()->results().front(), {}};
  }
  const bool from_config = dynamic_cast<const CLI::ConfigError*>(&thrown) != nullptr;
  const auto leftovers = from_config ? std::nullopt : explain_leftovers(root);
  return usage_error(leftovers ? *leftovers : words_of(thrown));
}

}  // namespace hotpack::cli
