#include "check/split_copies.hpp"

#include "base/text.hpp"
#include "samples/split.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

namespace hotpack::pipeline {

namespace {

// An image is compared with at most this many images of nearly equal brightness.
constexpr std::size_t kMostCompared = 2000;
constexpr int kTotalSlack = 32;  // sums of the 64 cells may differ by half a level per cell

// A copy, its original in another split, and how the copy was made.
struct Pair {
  SamplePlace copy, original;
  std::string how;
  auto operator<=>(const Pair&) const = default;
};

// Adds one diagnostic per pair of splits. If a copy has several originals, the first is reported.
void report_pairs(std::vector<Pair> pairs, const Diagnostic& about, std::string_view one,
                  std::string_view many, const std::vector<std::string>& names,
                  const std::function<std::string(SamplePlace)>& path_of,
                  Diagnostics& diagnostics) {
  std::sort(pairs.begin(), pairs.end());
  std::map<std::pair<std::uint32_t, std::uint32_t>, Occurrences> by_splits;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    if (i > 0 && pairs[i - 1].copy == pair.copy &&
        pairs[i - 1].original.split == pair.original.split)
      continue;
    by_splits[{pair.original.split, pair.copy.split}].add(
        {path_of(pair.copy), pair.how + path_of(pair.original)});
  }
  for (auto& [splits, occurrences] : by_splits) {
    Diagnostic diagnostic = about;
    diagnostic.severity = Severity::warning;
    diagnostic.count = occurrences.count;
    diagnostic.title =
        counted_text(occurrences.count, "image", "images") + " of '" + names[splits.second] + "' " +
        std::string(occurrences.count == 1 ? one : many) + " '" + names[splits.first] + "'";
    diagnostic.examples = std::move(occurrences.examples);
    diagnostics.add(std::move(diagnostic));
  }
}

// ---- names

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_word_of_augmentation(std::string_view part) {
  constexpr std::array<std::string_view, 47> kWords = {
      "aug",     "augm",       "augment",  "augmented", "blur",     "blurred", "blurry",
      "bright",  "brightness", "brighter", "clahe",     "contrast", "copy",    "cutout",
      "darker",  "elastic",    "equalize", "equalized", "flip",     "fliph",   "fliplr",
      "flipped", "flipud",     "flipv",    "flipx",     "flipy",    "gamma",   "hflip",
      "hvflip",  "inverted",   "jitter",   "mirror",    "mirrored", "noise",   "noisy",
      "r",       "rot",        "rotate",   "rotated",   "rotation", "scaled",  "shear",
      "sharpen", "transposed", "vflip",    "zoom",      "zoomed"};
  std::string word(part);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t letters = word.find_last_not_of("0123456789") + 1;
  if (letters == 1 && letters == word.size()) return false;  // "r" alone
  return std::find(kWords.begin(), kWords.end(), std::string_view(word).substr(0, letters)) !=
         kWords.end();
}

// Returns the key without its last part if drops(last part) is true. Otherwise, or if nothing would
// remain, returns the whole key.
template <class Drops>
std::string_view without_last(std::string_view key, Drops drops) {
  const std::size_t start = key.rfind('/') == std::string_view::npos ? 0 : key.rfind('/') + 1;
  const std::size_t mark = key.find_last_of("_-. ");
  if (mark == std::string_view::npos || mark <= start || mark + 1 == key.size() ||
      !drops(key.substr(mark + 1)))
    return key;
  return key.substr(0, mark);
}

template <class Drops>
std::string_view without_all(std::string_view key, Drops drops) {
  for (std::string_view shorter = without_last(key, drops); shorter.size() < key.size();
       shorter = without_last(key, drops))
    key = shorter;
  return key;
}

using NamesOf =
    std::map<std::string_view, std::vector<SamplePlace>>;  // by the name of their original

// Returns the samples with this key.
std::vector<SamplePlace> with_key(const std::vector<std::vector<std::string_view>>& keys,
                                  std::string_view key) {
  std::vector<SamplePlace> found;
  for (std::uint32_t split = 0; split < keys.size(); ++split) {
    const auto at = std::lower_bound(keys[split].begin(), keys[split].end(), key);
    if (at != keys[split].end() && *at == key)
      found.push_back({split, static_cast<std::uint32_t>(at - keys[split].begin())});
  }
  return found;
}

// Adds pairs of a copy and its originals in other splits. Adds none if the copy's own split
// contains an original, too: each split then has image numbers of its own, so equal names prove
// nothing.
void add_originals(SamplePlace copy, const std::vector<SamplePlace>& originals,
                   std::vector<Pair>& pairs) {
  const auto own = [&](SamplePlace place) { return place.split == copy.split; };
  if (std::any_of(originals.begin(), originals.end(), own)) return;
  for (const SamplePlace original : originals)
    pairs.push_back({copy, original, "by its name a copy of "});
}

// Pairs copies whose original is missing: each copy of a later split with the first copy.
void add_siblings(const std::vector<SamplePlace>& copies, std::vector<Pair>& pairs) {
  for (const SamplePlace copy : copies)
    if (copy.split != copies.front().split)
      pairs.push_back({copy, copies.front(), "by its name a copy of the same image as "});
}

}  // namespace

std::optional<AugmentedName> augmented_name(std::string_view key) {
  if (const auto original = roboflow_original(key)) return AugmentedName{*original};
  const std::string_view base = without_all(key, is_word_of_augmentation);
  if (base.size() == key.size()) return std::nullopt;
  const std::string_view shorter = without_all(base, all_digits);
  return AugmentedName{base, shorter.size() < base.size() ? shorter : std::string_view()};
}

void SplitCopies::add(SamplePlace place, std::uint64_t image, const BrightnessGrid& grid) {
  if (is_distinct(grid)) images_.push_back({total_of(grid), place, image, grid});
}

void SplitCopies::finish(const std::vector<std::string>& split_names,
                         const std::function<std::string(SamplePlace)>& path_of,
                         Diagnostics& diagnostics) {
  std::sort(images_.begin(), images_.end(), [](const Image& a, const Image& b) {
    return std::tie(a.total, a.place) < std::tie(b.total, b.place);
  });
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < images_.size(); ++i) {
    for (std::size_t j = i + 1; j < std::min(images_.size(), i + 1 + kMostCompared); ++j) {
      if (images_[j].total - images_[i].total > kTotalSlack) break;
      const auto& [copy, original] = std::minmax(
          images_[i], images_[j], [](const Image& a, const Image& b) { return b.place < a.place; });
      if (copy.place.split == original.place.split || copy.image == original.image) continue;
      if (const auto how = relation_of(copy.grid, original.grid))
        pairs.push_back({copy.place, original.place, std::string(*how) + " from "});
    }
  }
  Diagnostic diagnostic;
  diagnostic.kind = "look-alike-between-splits";
  diagnostic.advice =
      "if these images are copies, remove them from one of the two splits; otherwise the model is "
      "tested "
      "on images that it was trained on";
  report_pairs(std::move(pairs), diagnostic, "looks like a copy of one in",
               "look like copies of some in", split_names, path_of, diagnostics);
}

void report_augmented_names(const std::vector<std::vector<std::string_view>>& keys,
                            const std::vector<std::string>& split_names,
                            const std::function<std::string(SamplePlace)>& path_of,
                            Diagnostics& diagnostics) {
  std::vector<Pair> pairs;
  NamesOf siblings;
  for (std::uint32_t split = 0; split < keys.size(); ++split) {
    for (std::uint32_t sample = 0; sample < keys[split].size(); ++sample) {
      const SamplePlace copy{split, sample};
      const auto name = augmented_name(keys[split][sample]);
      if (!name || with_key(keys, keys[split][sample]).size() > 1)
        continue;  // both splits have the name: each of them numbers its own images
      std::vector<SamplePlace> originals = with_key(keys, name->base);
      if (originals.empty() && !name->shorter.empty()) originals = with_key(keys, name->shorter);
      if (originals.empty())
        siblings[name->base].push_back(copy);
      else
        add_originals(copy, originals, pairs);
    }
  }
  for (const auto& [base, copies] : siblings) add_siblings(copies, pairs);
  Diagnostic diagnostic;
  diagnostic.kind = "augmented-between-splits";
  diagnostic.advice = "split first, then augment: all copies of an image belong in one split";
  report_pairs(std::move(pairs), diagnostic, "is by its name an augmented copy of one in",
               "are by their names augmented copies of some in", split_names, path_of, diagnostics);
}

}  // namespace hotpack::pipeline
