#include "base/text.hpp"

#include <algorithm>

namespace hotpack {

std::string number_text(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string counted_text(std::uint64_t count, std::string_view one, std::string_view many) {
  return number_text(count) + " " + std::string(count == 1 ? one : many);
}

std::string share_text(std::uint64_t count, std::uint64_t of, std::string_view one, std::string_view many) {
  if (of <= 1) return counted_text(count, one, many);
  if (count == of) return "all " + counted_text(of, one, many);
  return number_text(count) + " of " + counted_text(of, one, many);
}

std::string list_text(const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, words.size()); ++i) text += (i > 0 ? ", " : "") + words[i];
  return words.size() > most ? text + ", …" : text;
}

}  // namespace hotpack
