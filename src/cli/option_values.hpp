// Options whose values are words of a list, or text with a form of its own, in the shape that the help shows.
//
// Failure: a value of a wrong form throws CLI::ValidationError, which names the option and the form.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/words.hpp"

namespace hotpack::cli {

// The words of an option and what they mean, in the order of the help; the first is the default.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

// A word as it was meant: lower case, dashes where people write underscores.
[[nodiscard]] std::string plain_word(std::string word);

// "'lineer' is none of auto|linear; did you mean 'linear'?"
[[nodiscard]] std::string no_choice(const std::string& word, const std::vector<std::string>& words);

// An option that takes one of a few words, and of `also` what people write for them, which the help does not show. CLI11's own
// transformers show numbers in the help.
template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& value, const Choices<T>& choices, const std::string& text,
                        const char* group, const Choices<T>& also = {}) {
  std::string words;
  for (const auto& choice : choices) words += (words.empty() ? "" : "|") + choice.first;
  const auto choose = [&value, choices, also, name](const std::string& word) {
    const std::string plain = plain_word(word);
    std::vector<std::string> shown;
    for (const auto* list : {&choices, &also}) {
      for (const auto& [known, meant] : *list) {
        if (plain_word(known) == plain) return void(value = meant);
        if (list == &choices) shown.push_back(known);
      }
    }
    throw CLI::ValidationError(name, no_choice(word, shown));
  };
  return command.add_option_function<std::string>(name, choose, text)->option_text(words)->default_str(choices.front().first)->group(group);
}

// An option whose words are those of an enum (base/words.hpp). The word that packs use is accepted, too.
template <class Enum, class T>
CLI::Option* add_words(CLI::App& command, const std::string& name, T& value, const std::string& text, const char* group,
                       Choices<T> also = {}) {
  Choices<T> choices;
  for (const Word<Enum>& word : kWords<Enum>) {
    choices.emplace_back(word.text, word.value);
    if (word.packed != word.text) also.emplace_back(word.packed, word.value);
  }
  return add_choice(command, name, value, choices, text, group, also);
}

// An option whose text `parse` understands, or not.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& command, const std::string& name, T& value, Parse parse, const std::string& text, const std::string& form,
                        const char* group) {
  const auto set = [&value, parse, name, form](const std::string& word) {
    const std::optional<T> parsed = parse(word);
    if (!parsed) throw CLI::ValidationError(name, "'" + word + "' is not " + form);
    value = *parsed;
  };
  return command.add_option_function<std::string>(name, set, text)->option_text(form)->group(group);
}

}  // namespace hotpack::cli
