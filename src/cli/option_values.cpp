#include "cli/option_values.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/nearest_word.hpp"
#include "base/text.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

constexpr std::array<ValueForm, 20> kForms{{
    {"DIR", "path", "folder"},
    {"FILE", "path", "file"},
    {"FILE.png", "path", "file"},
    {"FILE.html", "path", "file"},
    {"FILE|PACK", "path", "any"},
    {"NAME|FILE|list", "path", "file"},
    {"PACK", "path", "any"},
    {"ROOT", "path", "folder"},
    {"WxH", "size", {}, "width x height in pixels, such as 512x512"},
    {"CxR", "size", {}, "columns x rows, such as 4x3"},
    {"WxH[+OVERLAP]", "tile"},
    {"SIZE", "bytes"},
    {"R,G,B|#RRGGBB", "color"},
    {"REGEX", "regex"},
    {"IMAGE LABEL", "regex"},
    {"K[,K…]", "list"},
    {"LIST", "list"},
    {"[N]", "integer"},
    {"N|P%", "text", {}, "a number of samples, or a percentage of them such as 0.1%"},
    {"-N", "integer"},
}};

constexpr std::string_view kChoice = "choice=";

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// True if the part of a form is a word to type, not the name of a value.
bool is_literal(const std::string& part) {
  return !part.empty() &&
         part.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-+*/") == std::string::npos;
}

// A word of other programs, one of our words for it, and a text with all that it may mean.
struct ForeignWord {
  std::string_view word, ours, meaning;
};
constexpr std::array kForeignWords{
    ForeignWord{"letterbox", "contain", "'contain' fits the image inside and pads it"},
    ForeignWord{"pad", "contain",
                "'contain' fits the image inside and pads it; 'crop-or-pad' does not scale"},
    ForeignWord{"crop", "cover",
                "'cover' fills the record and crops; 'crop-or-pad' does not scale"},
    ForeignWord{"resize", "stretch", "'stretch' scales both sides"},
    ForeignWord{"mask", "binary",
                "'binary' reads foreground and background; 'index' reads class ids"},
};

}  // namespace

const ValueForm* find_form(std::string_view form) {
  const auto* const found = std::find_if(
      kForms.begin(), kForms.end(), [&](const ValueForm& entry) { return entry.form == form; });
  return found == kForms.end() ? nullptr : found;
}

bool has_choices(const CLI::Option& option) { return option.get_type_name().starts_with(kChoice); }

CLI::Option* set_choices(CLI::Option* option, const std::vector<std::string>& words) {
  return option->type_name(std::string(kChoice) + joined_text(words, "|"));
}

CLI::Option* set_choices(CLI::Option* option, std::function<std::vector<std::string>()> words) {
  return option->type_name_fn(
      [words = std::move(words)] { return std::string(kChoice) + joined_text(words(), "|"); });
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  if (has_choices(option)) {
    const std::string name = option.get_type_name();  // ends with the names of validators
    return parts_of(std::string_view(name).substr(0, name.find(':')).substr(kChoice.size()));
  }
  std::vector<std::string> words = parts_of(option.get_option_text());
  for (std::string& word : words) word = word.substr(0, word.find('['));
  std::erase_if(words, [](const std::string& word) { return !is_literal(word); });
  return words;
}

std::string plain_word(std::string word) {
  for (char& c : word)
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

std::string no_choice(const std::string& word, const std::vector<std::string>& words) {
  const std::string plain = plain_word(word);
  std::string meant = suggestion(plain, words);
  for (const ForeignWord& foreign : kForeignWords)
    if (plain == foreign.word && std::find(words.begin(), words.end(), foreign.ours) != words.end())
      meant = "; " + std::string(foreign.meaning);
  return "'" + word + "' is none of " + joined_text(words, "|") + meant;
}

std::string not_of_form(const std::string& form) {
  if (form.find('|') != std::string::npos) return " is none of " + form;
  const ValueForm* const found = find_form(form);
  const std::string text = " is not of the form " + form;
  return found == nullptr || found->about.empty() ? text : text + ", " + std::string(found->about);
}

bool has_name(const CLI::Option& option, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return option.check_name(std::string(name)); });
}

}  // namespace hotpack::cli
