#include "cli/option_values.hpp"

#include <cctype>

#include "cli/text.hpp"

namespace hotpack::cli {

std::string plain_word(std::string word) {
  for (char& c : word) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

std::string no_choice(const std::string& word, const std::vector<std::string>& words) {
  std::string text = "'" + word + "' is none of ";
  for (std::size_t i = 0; i < words.size(); ++i) text += (i > 0 ? "|" : "") + words[i];
  const auto nearest = nearest_word(plain_word(word), words);
  return nearest ? text + "; did you mean '" + *nearest + "'?" : text;
}

}  // namespace hotpack::cli
