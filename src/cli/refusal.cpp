#include "cli/refusal.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/nearest_word.hpp"
#include "base/text.hpp"
#include "cli/config_file.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument.front() == '-';
}

// Returns the name in an argument such as "--size=3": "--size".
std::string option_part(const std::string& argument) {
  return argument.substr(0, argument.find('='));
}

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

// True if the user probably means `key`: "street_02.png" and "street_02" mean "north/street_02".
bool is_end_of(std::string_view asked, const std::string& key) {
  for (const std::string_view end : {asked, asked.substr(0, asked.rfind('.'))}) {
    if (end == key ||
        (key.size() > end.size() && key.ends_with(end) && key[key.size() - end.size() - 1] == '/'))
      return true;
  }
  return false;
}

// Explains the first argument that belongs to no option. Absent if CLI11's exception says as much.
std::optional<std::string> explain_leftovers(const CLI::App& root) {
  const CLI::App& command = given_command(root);
  const std::vector<std::string> before = root.remaining();
  const bool none_given = &command == &root;
  if (none_given && !before.empty() && !looks_like_option(before.front()))
    return unknown_command(root, before.front());
  if (const auto option = first_unknown_option(before)) {
    const bool misplaced = !none_given && command.get_option_no_throw(*option) != nullptr;
    if (misplaced)
      return "options must follow the command: " + root.get_name() + " " + command.get_name() +
             " " + *option;
    return unknown_name("option", *option, dashed_names(root));
  }
  if (none_given) return std::nullopt;
  const std::vector<std::string> after = command.remaining();
  if (const auto option = first_unknown_option(after))
    return unknown_name("option", *option, dashed_names(command));
  if (after.empty()) return std::nullopt;
  return "unexpected argument '" + after.front() + "'";
}

// Rewords CLI11's text about a wrong number of values.
std::string words_of_mismatch(const std::string& words) {
  const std::string option = words.substr(0, words.find(':'));
  if (words.ends_with(" missing")) return option + " needs a value";
  if (words.find(": At Most ") != std::string::npos)
    return option + " takes one value, but is given more than once";
  if (words.find(": At least ") != std::string::npos ||
      words.find(" required but received ") != std::string::npos)
    return option + " needs more values than it was given";
  if (words.ends_with(" was given a disallowed flag override"))
    return words.substr(0, words.find(' ')) + " is a switch and takes no value";
  return words;
}

// Rewords CLI11's text about a value that is not a number: "Could not convert: --shuffle = -n".
std::string words_of_conversion(const std::string& words) {
  constexpr std::string_view kBegin = "Could not convert: ";
  const std::size_t equals = words.find(" = ");
  if (words.starts_with(kBegin) && equals != std::string::npos) {
    const std::string option = words.substr(kBegin.size(), equals - kBegin.size());
    const std::string value = words.substr(equals + 3);
    if (value.starts_with("true,") || value.starts_with("false,"))
      return option + " is given more than once; give it once, without a value";
    if (looks_like_option(value)) return option + " needs a number, but '" + value + "' follows";
    return option + ": '" + value + "' is not a valid number";
  }
  const std::size_t end = words.find(": ");
  return end == std::string::npos
             ? words
             : words.substr(0, end) + " is a switch and takes no value except true or false";
}

// Rewords CLI11's "--jobs: Value many not in range 1 to 1024" if the value is not a number.
std::string words_of_range(const std::string& words) {
  constexpr std::string_view kValue = ": Value ";
  const std::size_t begin = words.find(kValue);
  const std::size_t end = words.find(" not in range ");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return words;
  const std::string option = words.substr(0, begin);
  const std::string value = words.substr(begin + kValue.size(), end - begin - kValue.size());
  if (!value.empty() && value.find_first_not_of("-0123456789.") == std::string::npos) return words;
  return words_of_conversion("Could not convert: " + option + " = " + value);
}

// Returns CLI11's message, reworded if it names CLI11's own types.
std::string words_of(const CLI::ParseError& thrown) {
  const std::string words = thrown.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&thrown) != nullptr)
    return words_of_mismatch(words);
  if (dynamic_cast<const CLI::ConversionError*>(&thrown) != nullptr)
    return words_of_conversion(words);
  return words_of_range(words);
}

// Returns the option with which a message begins; empty if it begins with none.
std::string option_of(const std::string& words) {
  return words.starts_with("--") ? words.substr(0, words.find_first_of(": ")) : std::string();
}

}  // namespace

const CLI::App& given_command(const CLI::App& root) {
  const std::vector<CLI::App*> parsed = root.get_subcommands();
  return parsed.empty() ? root : *parsed.front();
}

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> long_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_configurable()) continue;
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

std::string unknown_name(std::string_view kind, const std::string& name,
                         const std::vector<std::string>& candidates) {
  return "unknown " + std::string(kind) + " '" + name + "'" + suggestion(name, candidates);
}

std::string unknown_key(const std::string& asked, const std::string& pack,
                        const std::vector<std::string>& keys) {
  const std::string text =
      "there is no sample with the key " + quoted_text(asked) + " in " + quoted_text(pack);
  const auto ending = std::find_if(keys.begin(), keys.end(),
                                   [&](const std::string& key) { return is_end_of(asked, key); });
  if (ending != keys.end()) return text + "; did you mean " + quoted_text(*ending) + "?";
  if (const auto nearest = nearest_word(asked, keys))
    return text + "; did you mean " + quoted_text(*nearest) + "?";
  return keys.empty() ? text : text + "; the first key is " + quoted_text(keys.front());
}

std::string unknown_command(const CLI::App& root, const std::string& name) {
  return unknown_name("command", name, command_names(root));
}

Error refusal(const CLI::App& root, const CLI::ParseError& thrown) {
  if (dynamic_cast<const CLI::FileError*>(&thrown) != nullptr) {
    return {ErrorCode::io,
            "the configuration file is missing or unreadable",
            root.get_config_ptr()->results().front(),
            {}};
  }
  const bool from_config = dynamic_cast<const CLI::ConfigError*>(&thrown) != nullptr;
  const auto leftovers = from_config ? std::nullopt : explain_leftovers(root);
  if (leftovers) return usage_error(*leftovers);
  const std::string words = words_of(thrown);
  return usage_error(words + config_place(root, option_of(words)));
}

}  // namespace hotpack::cli
