#include "samples/fold.hpp"

#include <utf8proc.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace hotpack::pipeline {

namespace {

struct Release {
  void operator()(utf8proc_uint8_t* text) const { std::free(text); }
};

using Images = std::unordered_map<std::string, const FoundFile*>;

Images images_by_folded_key(const FileList& images, KeyFolding folding, ProblemLog& problems) {
  Images by_key;
  for (const FoundFile& image : images.files) {
    const auto [place, is_new] = by_key.try_emplace(folded(images.key(image), folding), &image);
    if (is_new || images.key(*place->second) == images.key(image)) continue;
    problems.add({ProblemKind::duplicate_key, images.path(image),
                  "has the key '" + std::string(images.key(image)) +
                      "', which --fold makes equal to the key of " +
                      quoted_text(images.path(*place->second))});
  }
  return by_key;
}

std::string option_of(KeyFolding folding) {
  std::vector<std::string> words;
  if (folding.ignore_case) words.emplace_back("case");
  if (folding.unicode) words.emplace_back("unicode");
  if (folding.numbers) words.emplace_back("numbers");
  return "--fold " + joined_text(words, ",");
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string without_leading_zeros(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // After "1." zeros are decimals.
    const bool decimal = plain.size() > 1 && plain.back() == '.' && is_digit(plain.end()[-2]);
    const bool leads = text[i] == '0' && !decimal && (plain.empty() || !is_digit(plain.back())) &&
                       i + 1 < text.size() && is_digit(text[i + 1]);
    if (!leads) plain += text[i];
  }
  return plain;
}

std::string folded_characters(std::string_view text, KeyFolding folding) {
  if (!folding.ignore_case && !folding.unicode) return std::string(text);
  unsigned options = 0;
  if (folding.ignore_case) options |= static_cast<unsigned>(UTF8PROC_CASEFOLD);
  if (folding.unicode)
    options |= static_cast<unsigned>(UTF8PROC_STABLE) | static_cast<unsigned>(UTF8PROC_COMPOSE);
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
      static_cast<utf8proc_ssize_t>(text.size()), &made, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, Release> owner(made);
  if (length < 0) return std::string(text);
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)};
}

}  // namespace

std::string folded(std::string_view text, KeyFolding folding) {
  const std::string characters = folded_characters(text, folding);
  return folding.numbers ? without_leading_zeros(characters) : characters;
}

std::optional<FoldingAdvice> folding_advice(std::string_view a, std::string_view b,
                                            KeyFolding given) {
  struct Difference {
    KeyFolding folding;
    std::string_view text;
  };
  constexpr std::array kDifferences{
      Difference{{true, false, false}, "upper and lower case only"},
      Difference{{false, true, false}, "the Unicode form (NFC or NFD) of its characters only"},
      Difference{{false, false, true}, "leading zeros only"},
      Difference{{true, true, false}, "case and the Unicode form of its characters only"},
      Difference{{true, true, true}, "case, leading zeros and the Unicode form of its characters"},
  };
  for (const auto& [folding, text] : kDifferences) {
    if (folded(a, folding) != folded(b, folding)) continue;
    const KeyFolding all{folding.ignore_case || given.ignore_case, folding.unicode || given.unicode,
                         folding.numbers || given.numbers};
    return FoldingAdvice{std::string(text), option_of(all)};
  }
  return std::nullopt;
}

std::optional<SimilarNames> similar_names(const std::vector<std::string>& names) {
  constexpr std::string_view kNoBreak = "\u00A0";
  std::unordered_map<std::string, std::string> seen;
  for (const std::string& name : names) {
    std::string plain = folded(name, {true, true});
    for (std::size_t at; (at = plain.find(kNoBreak)) != std::string::npos;)
      plain.erase(at, kNoBreak.size());
    std::erase_if(plain, [](char c) { return c == ' ' || c == '\t'; });
    const std::string& other = seen.try_emplace(std::move(plain), name).first->second;
    if (other == name) continue;
    const auto advice = folding_advice(other, name, {});
    return SimilarNames{other, name,
                        advice ? advice->difference : "blanks (and perhaps case) only"};
  }
  return std::nullopt;
}

void fold_keys(FileSet& set, KeyFolding folding, ProblemLog& problems) {
  const Images by_key = images_by_folded_key(set.images, folding, problems);
  for (FoundFile& label : set.labels.files) {
    const auto image = by_key.find(folded(set.labels.key(label), folding));
    if (image == by_key.end()) continue;
    const std::string key(set.images.key(*image->second));
    label.key = set.labels.arena.add(key);
    label.key_length = static_cast<std::uint16_t>(key.size());
  }
}

}  // namespace hotpack::pipeline
