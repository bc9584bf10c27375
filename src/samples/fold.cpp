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
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(made, std::free);
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
      Difference{{true, false, true}, "case and leading zeros only"},
      Difference{{false, true, true},
                 "leading zeros and the Unicode form (NFC or NFD) of its characters only"},
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

FoldedKeys::FoldedKeys(const FileList& list, std::span<const FoundFile> files, KeyFolding folding)
    : list_(list), folding_(folding) {
  if (!folding.any()) return;
  for (const FoundFile& file : files) by_key_.try_emplace(folded(list.key(file), folding), &file);
}

const FoundFile* FoldedKeys::find(std::string_view key) const {
  if (!folding_.any()) return find_key(list_, key);
  const auto found = by_key_.find(folded(key, folding_));
  return found == by_key_.end() ? nullptr : found->second;
}

void set_key(FileList& list, FoundFile& file, const std::string& key) {
  file.key = list.arena.add(key);
  file.key_length = static_cast<std::uint16_t>(key.size());
}

void fold_keys(FileSet& set, KeyFolding folding, ProblemLog& problems) {
  const FileList& images = set.images;
  const FoldedKeys keys(images, images.files, folding);
  for (const FoundFile& image : images.files) {
    const FoundFile& first = *keys.find(images.key(image));
    if (images.key(first) == images.key(image)) continue;
    problems.add({ProblemKind::duplicate_key, images.path(image),
                  "has the key '" + std::string(images.key(image)) +
                      "', which --fold makes equal to the key of " +
                      quoted_text(images.path(first))});
  }
  for (FoundFile& label : set.labels.files)
    if (const FoundFile* const image = keys.find(set.labels.key(label)))
      set_key(set.labels, label, std::string(images.key(*image)));
}

}  // namespace hotpack::pipeline
