#include "cli/named_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/refusal.hpp"

namespace hotpack::cli {

namespace {

// Returns the part of a message that says what is wrong, without commands that it proposes.
std::string_view without_proposals(std::string_view message) {
  for (const std::string_view end : {"\n", "What to do:", "hotpack pack "})
    message = message.substr(0, message.find(end));
  return message;
}

// Calls `use` with each word of the text, without quotes and punctuation, until it returns true.
template <class Use>
void for_each_word(std::string_view text, Use use) {
  constexpr std::string_view kBetween = " '\"`,;:=()";
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    if (use(text.substr(at, end - at))) return;
    at = text.find_first_not_of(kBetween, end);
  }
}

}  // namespace

std::vector<NamedOption> named_options(const CLI::App& root) {
  std::vector<NamedOption> options;
  for (const CLI::Option* option : given_command(root).get_options()) {
    NamedOption named{{}, option->count() > 0};
    for (const std::string& name : option->get_lnames()) named.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) named.names.push_back("-" + name);
    if (option->get_positional()) named.names.push_back(option->get_name(true, false));
    options.push_back(std::move(named));
  }
  return options;
}

std::string option_in(std::string_view message, std::span<const NamedOption> options) {
  constexpr std::string_view kUnknown = "unknown option '";
  if (message.starts_with(kUnknown)) {
    const std::size_t end = message.find('\'', kUnknown.size());
    return std::string(message.substr(kUnknown.size(), end - kUnknown.size()));
  }
  std::string found;
  bool first = true;
  for_each_word(without_proposals(message), [&](std::string_view word) {
    for (const NamedOption& option : options) {
      const bool named =
          std::find(option.names.begin(), option.names.end(), word) != option.names.end();
      if (named && (first || (option.given && word.starts_with('-')))) found = option.names.front();
    }
    first = false;
    return !found.empty();
  });
  return found;
}

}  // namespace hotpack::cli
