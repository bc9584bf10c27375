#include "samples/fold.hpp"

#include <utf8proc.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>

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
  if (folding.ignore_case && folding.unicode) return "--fold case,unicode";
  return folding.ignore_case ? "--fold case" : "--fold unicode";
}

}  // namespace

std::string folded(std::string_view text, KeyFolding folding) {
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

std::optional<FoldingAdvice> folding_advice(std::string_view a, std::string_view b,
                                            KeyFolding given) {
  const auto same = [&](KeyFolding folding) { return folded(a, folding) == folded(b, folding); };
  const auto advice = [&](KeyFolding folding, std::string_view difference) {
    const KeyFolding both{folding.ignore_case || given.ignore_case,
                          folding.unicode || given.unicode};
    return FoldingAdvice{std::string(difference), option_of(both)};
  };
  if (same({true, false})) return advice({true, false}, "upper and lower case only");
  if (same({false, true}))
    return advice({false, true}, "the Unicode form (NFC or NFD) of its characters only");
  if (same({true, true}))
    return advice({true, true}, "case and the Unicode form of its characters only");
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
