#include "cli/option_values.hpp"

#include <cctype>

#include "base/text.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

std::string plain_word(std::string word) {
  for (char& c : word)
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

std::string no_choice(const std::string& word, const std::vector<std::string>& words) {
  return "'" + word + "' is none of " + joined_text(words, "|") +
         suggestion(plain_word(word), words);
}

std::string not_of_form(const std::string& form) {
  if (form.find('|') != std::string::npos) return " is none of " + form;
  std::string text = " is not of the form " + form;
  if (form == "WxH") text += ", width x height in pixels, such as 512x512";
  if (form == "CxR") text += ", columns x rows, such as 4x3";
  return text;
}

bool has_name(const CLI::Option& option, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return option.check_name(std::string(name)); });
}

}  // namespace hotpack::cli
