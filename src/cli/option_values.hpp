// Functions that define options of the command line and say how the help shows their values.
//
// Failure: parsing a value of a wrong form throws CLI::ValidationError, which names the option and
// the expected form.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/words.hpp"

namespace hotpack::cli {

// Adds an option whose value CLI11 converts. The help shows `form` in place of the value.
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, T& value,
                       const std::string& text, const std::string& form, const char* group) {
  return command.add_option(name, value, text)->option_text(form)->group(group);
}

// Adds an option with any text as value. Each value is passed to `set`, which must throw
// CLI::ValidationError if the text is wrong. The help shows `text` as the description and `form` as
// the form of the value, below the heading `group`.
template <class Set>
CLI::Option* add_text(CLI::App& command, const std::string& name, Set set, const std::string& text,
                      const std::string& form, const char* group) {
  return command.add_option_function<std::string>(name, set, text)->option_text(form)->group(group);
}

// The words of an option and what they mean, in the order of the help; the first is the default.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

// Returns the word in lower case, with dashes in place of underscores.
[[nodiscard]] std::string plain_word(std::string word);

// Returns a message such as "'lineer' is none of auto|linear; did you mean 'linear'?".
[[nodiscard]] std::string no_choice(const std::string& word, const std::vector<std::string>& words);

// What the help shows in place of a value, and what kind of value it stands for.
struct ValueForm {
  std::string_view form;        // or the name of an argument
  std::string_view type;        // as --help=json names it
  std::string_view path = {};   // of the type "path": file, folder or any
  std::string_view about = {};  // what the letters mean
};
// Returns the form's entry in the table; nullptr if the table lacks it. The types of all other
// values follow from what CLI11 converts them to.
[[nodiscard]] const ValueForm* find_form(std::string_view form);

// Returns the end of a message about a value that has another form than `form`: " is none of a|b"
// if that is a choice, else such as " is not of the form WxH, width x height in pixels, such as
// 512x512".
[[nodiscard]] std::string not_of_form(const std::string& form);

// Says that the value is one of these words or, if the form is in the table, like "NAME|FILE", has
// that form. They are kept in CLI11's name of the option's type,
// which the help does not show, because the form shows them in its own way.
CLI::Option* set_choices(CLI::Option* option, const std::vector<std::string>& words);
// The same for words that are made when somebody asks for them.
CLI::Option* set_choices(CLI::Option* option, std::function<std::vector<std::string>()> words);
// Returns the words of set_choices(); for other options, the words that the form lists next to
// other values, such as "auto" in "I/N|auto".
[[nodiscard]] std::vector<std::string> choices_of(const CLI::Option& option);
// True if set_choices() was called.
[[nodiscard]] bool has_choices(const CLI::Option& option);

// True if the option has one of these names.
[[nodiscard]] bool has_name(const CLI::Option& option, std::span<const std::string_view> names);

// Adds an option whose value is one of the words in `choices`. `also` has more accepted words,
// which the help does not show. CLI11's own transformers are not used, because they would show
// numbers in the help.
template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& value,
                        const Choices<T>& choices, const std::string& text, const char* group,
                        const Choices<T>& also = {}) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  const auto choose = [&value, choices, also, name, words](const std::string& word) {
    for (const auto* list : {&choices, &also})
      for (const auto& [known, meaning] : *list)
        if (plain_word(known) == plain_word(word)) return void(value = meaning);
    throw CLI::ValidationError(name, no_choice(word, words));
  };
  CLI::Option* const option = add_text(command, name, choose, text, joined_text(words, "|"), group);
  return set_choices(option, words)->default_str(choices.front().first);
}

// Adds an option whose value is one of the words of an enum (base/words.hpp). The option also
// accepts the word that stands for the same value in the schemas of packs.
template <class Enum, class T>
CLI::Option* add_words(CLI::App& command, const std::string& name, T& value,
                       const std::string& text, const char* group, Choices<T> also = {}) {
  Choices<T> choices;
  for (const Word<Enum>& word : kWords<Enum>) {
    choices.emplace_back(word.text, word.value);
    if (word.packed != word.text) also.emplace_back(word.packed, word.value);
  }
  return add_choice(command, name, value, choices, text, group, also);
}

// Adds an option whose text `parse` converts; `parse` returns nothing for text of another form.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& command, const std::string& name, T& value, Parse parse,
                        const std::string& text, const std::string& form, const char* group) {
  const auto set = [&value, parse, name, form](const std::string& word) {
    const std::optional<T> parsed = parse(word);
    if (!parsed) throw CLI::ValidationError(name, "'" + word + "'" + not_of_form(form));
    value = *parsed;
  };
  return add_text(command, name, set, text, form, group);
}

}  // namespace hotpack::cli
