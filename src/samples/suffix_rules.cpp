#include "samples/suffix_rules.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "files/file_kind.hpp"
#include "samples/fold.hpp"
#include "samples/layout_commands.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostProposals = 4, kMostAffixes = 8;
constexpr std::size_t kMostNames = 4096;      // that are examined of very many
constexpr std::string_view kJoints = "_-. ";  // between the parts of a name
constexpr std::string_view kNoLetters = "0123456789_-. ";

// Forms of the same label, or its annotators. Of several, the first is used.
constexpr std::array<std::string_view, 15> kForms{
    "labelIds", "labelTrainIds", "labelColor", "color", "colors", "instanceIds", "instanceTrainIds",
    "invIds",   "vis",           "1stHO",      "2ndHO", "ah",     "vk",          "manual1",
    "manual2"};
// Last words of the names of labels, in lower case.
constexpr std::array<std::string_view, 25> kLabelWords{
    "labelids", "labeltrainids", "labelcolor", "1stho", "2ndho", "ah",   "vk",
    "manual1",  "manual2",       "l",          "mask",  "masks", "gt",   "groundtruth",
    "truth",    "label",         "labels",     "lab",   "seg",   "anno", "segmentation",
    "semantic", "annotation",    "annot",      "trimap"};

bool is_enough(std::uint64_t part, std::uint64_t whole) {
  return part > 0 && part * 100 >= whole * 95;
}

// "_L" of "a/1_L"; "" if the name has one part.
std::string_view last_word(std::string_view name) {
  const std::string_view last = last_part(name);
  const std::size_t joint = last.find_last_of(kJoints);
  return joint == std::string_view::npos || joint == 0 ? "" : last.substr(joint);
}

std::size_t form_of(std::string_view name) {
  std::string_view word = last_word(name);
  if (!word.empty()) word.remove_prefix(1);
  return static_cast<std::size_t>(std::ranges::find(kForms, word) - kForms.begin());
}

bool ends_like_label(std::string_view name) {
  const std::string word = lowered(last_word(name));
  return !word.empty() &&
         std::ranges::find(kLabelWords, std::string_view(word).substr(1)) != kLabelWords.end();
}

// "tumor_1" gives "tumor_"; "" unless the last word is a number.
std::string_view without_number(std::string_view name) {
  const std::string_view word = last_word(name);
  const bool number = word.size() > 1 && word.find_first_not_of("0123456789", 1) == word.npos;
  return number ? name.substr(0, name.size() - word.size() + 1) : std::string_view();
}

bool is_jpeg(const FileList& list, const FoundFile& file) {
  return describe_name(list.text(file)).is_jpeg;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void sort_names(SortedNames& names) {
  if (!std::ranges::is_sorted(names)) std::ranges::sort(names);
}

bool is_among(const SortedNames& names, std::string_view name) {
  return std::ranges::binary_search(names, name);
}

// The names that have the suffix, without it.
SortedNames stripped(const SortedNames& names, std::string_view suffix) {
  SortedNames keys;
  keys.reserve(names.size());
  for (const std::string_view name : names)
    if (has_suffix(name, suffix)) keys.push_back(name.substr(0, name.size() - suffix.size()));
  sort_names(keys);
  return keys;
}

using Counts = std::map<Affix, std::uint64_t>;

std::vector<Affix> most_frequent(const Counts& counts) {
  std::vector<Affix> affixes;
  for (const auto& [affix, count] : counts) affixes.push_back(affix);
  std::ranges::stable_sort(affixes, std::greater(),
                           [&](const Affix& affix) { return counts.at(affix); });
  affixes.resize(std::min(affixes.size(), kMostAffixes));
  return affixes;
}

// Returns the last words of names that are no numbers, the most frequent first.
std::vector<Affix> last_words(const SortedNames& names) {
  Counts counts;
  for (std::size_t i = 0; i < names.size(); i += names.size() / kMostNames + 1)
    if (const auto word = last_word(names[i]); word.find_first_not_of(kNoLetters) != word.npos)
      ++counts[{false, std::string(word)}];
  return most_frequent(counts);
}

// Returns how many names of both sides are equal after folding.
std::uint64_t count_common(const SortedNames& images, const SortedNames& labels,
                           KeyFolding folding) {
  const auto count = [](const auto& some, const auto& others) -> std::uint64_t {
    std::vector<std::string_view> common;
    std::ranges::set_intersection(some, others, std::back_inserter(common));
    return common.size();
  };
  if (!folding.any()) return count(images, labels);
  const auto fold = [&](const SortedNames& names) {
    std::vector<std::string> keys;
    for (const std::string_view name : names) keys.push_back(folded(name, folding));
    std::ranges::sort(keys);
    return keys;
  };
  return count(fold(images), fold(labels));
}

// The names of images and labels of all sets.
struct Sides {
  SortedNames images, labels;
};

struct Candidate {
  SuffixRule rule;
  std::uint64_t images = 0, labels = 0;  // that should have a partner
  std::uint64_t keyed = 0;               // images, or labels if they are more, with their suffix
  std::uint64_t pairs = 0;
};

std::string rule_text(const SuffixRule& rule) {
  const std::string image = "'" + rule.image + "'", label = "'" + rule.label + "'";
  if (rule.image.empty() && rule.label.empty())
    return rule.by_format ? "JPEG files are images, PNG files of the same name their labels"
                          : "labels have the names of their images";
  if (rule.image.empty()) return "labels end with " + label;
  return "images end with " + image + (rule.label.empty() ? "" : ", labels with " + label);
}

std::string options_text(const SuffixRule& rule) {
  std::string text = rule.image.empty() ? "" : value_option("--image-suffix", rule.image);
  if (!rule.label.empty())
    text += (text.empty() ? "" : " ") + value_option("--label-suffix", rule.label);
  return text;
}

class Chooser {
 public:
  Chooser(std::span<const FileSet> sets, const GivenSuffixes& given)
      : sets_(sets), given_(given), one_folder_(std::ranges::any_of(sets, &FileSet::one_folder)) {}

  SuffixChoice choose() {
    const bool both = !given_.image.empty() && !given_.label.empty() && !given_.by_preset;
    const bool told_apart = !one_folder_ || !given_.label.empty();
    const SuffixRule given{given_.image, given_.label, false};
    const Candidate found = count(told_apart ? divide(given) : Sides(), given);
    if (fits(found) || (both && found.pairs > 0)) return chosen(found, true);
    if (given_.by_preset) {
      const Candidate equal = one_folder_ ? Candidate() : count(divide({}), {});
      return fits(equal) ? chosen(equal, true) : chosen(found, false);
    }
    for (const SuffixRule& division : divisions())
      if (!both && try_endings(division)) return chosen(tried_.back(), true);
    SuffixChoice choice = asked(chosen(found, false));
    choice.fits = choice.fits || both;
    return choice;
  }

 private:
  [[nodiscard]] bool fits(const Candidate& one) const {
    return is_enough(one.pairs, given_.listed ? one.labels : std::max(one.images, one.labels));
  }

  // Returns the names of both sides.
  [[nodiscard]] Sides divide(const SuffixRule& rule) const {
    Sides sides;
    for (const FileSet& set : sets_) {
      if (!set.labeled) continue;
      const auto is_label = [&](const FoundFile& file) {
        return rule.by_format ? !is_jpeg(set.images, file)
                              : has_suffix(set.images.key(file), rule.label);
      };
      // Among several folders, one without a label is an unlabeled set.
      if (set.one_folder && sets_.size() > 1 && std::ranges::none_of(set.images.files, is_label))
        continue;
      for (const FoundFile& file : set.images.files)
        (set.one_folder && is_label(file) ? sides.labels : sides.images)
            .push_back(set.images.key(file));
      if (set.one_folder) continue;
      for (const FoundFile& file : set.labels.files) sides.labels.push_back(set.labels.key(file));
    }
    sort_names(sides.images);
    sort_names(sides.labels);
    return sides;
  }

  // Leaves out all forms of labels but the first, unless many labels are in no form.
  static void keep_one_form(Sides& sides) {
    std::array<std::uint64_t, kForms.size() + 1> forms{};  // the last: no form
    for (const std::string_view name : sides.labels) ++forms[form_of(name)];
    if (forms.back() * 2 >= sides.images.size()) return;
    std::size_t first = 0;
    while (first < kForms.size() && forms[first] == 0) ++first;
    std::erase_if(sides.labels, [&](std::string_view name) {
      return form_of(name) != first && form_of(name) < kForms.size();
    });
  }

  // Counts what a rule pairs. Files without a given suffix do not count.
  [[nodiscard]] Candidate count(const Sides& sides, const SuffixRule& rule) const {
    const SortedNames images = stripped(sides.images, rule.image);
    const SortedNames labels = stripped(sides.labels, rule.label);
    const bool takes_all = given_.image.empty() || given_.by_preset;
    return {rule, takes_all ? sides.images.size() : images.size(),
            given_.label.empty() || rule.label.empty() ? sides.labels.size() : labels.size(),
            std::max(images.size(), labels.size()), count_common(images, labels, given_.fold)};
  }

  // Ways to tell the labels of one folder from its images.
  [[nodiscard]] std::vector<SuffixRule> divisions() const {
    if (!one_folder_ || !given_.label.empty()) return {{"", given_.label, false}};
    std::vector<SuffixRule> ways{{"", "", true}};
    const Sides formats = divide(ways.front());
    if (formats.images.empty() || formats.labels.empty()) ways.clear();
    for (const Affix& word : last_words(divide({}).labels)) ways.push_back({"", word.text, false});
    return ways;
  }

  // The endings that 95 % of the images have, from the shortest, "", to the longest.
  [[nodiscard]] std::vector<std::string> image_endings(const SortedNames& images) const {
    std::vector<std::string> endings{given_.image};
    while (given_.image.empty()) {
      const std::vector<Affix> words = last_words(stripped(images, endings.back()));
      const std::string next = words.empty() ? "" : words.front().text + endings.back();
      if (words.empty() || !is_enough(stripped(images, next).size(), images.size())) break;
      endings.push_back(next);
    }
    return endings;
  }

  // Tries the endings of images with those of labels. True if the last candidate fits.
  bool try_endings(const SuffixRule& division) {
    Sides sides = divide(division);
    if (given_.label.empty()) keep_one_form(sides);
    for (const std::string& image : image_endings(sides.images)) {
      std::vector<std::string> endings{given_.label};
      if (given_.label.empty())
        for (const Affix& affix : likely_affixes(stripped(sides.images, image), sides.labels))
          if (!affix.in_front) endings.push_back(affix.text);
      for (const std::string& label : endings) {
        // In one folder, and for one image, only a word for labels makes two suffixes certain.
        const bool unclear =
            !image.empty() && (ends_like_label("x" + image) || !ends_like_label("x" + label));
        const bool together = one_folder_ && !division.by_format;
        if (given_.label.empty() && ((unclear && (together || sides.images.size() < 2)) ||
                                     (together && !label.ends_with(division.label))))
          continue;
        tried_.push_back(count(sides, {image, label, division.by_format}));
        if (fits(tried_.back())) return true;
      }
    }
    return false;
  }

  // Adds the rules that come near to a choice that does not fit.
  SuffixChoice asked(SuffixChoice choice) {
    if (choice.pairs == 0 && !(given_.image.empty() && given_.label.empty()))
      return without_options(std::move(choice));
    std::ranges::stable_sort(tried_, std::greater(), [](const Candidate& one) {
      return std::pair(one.pairs, ends_like_label("x" + one.rule.label));
    });
    std::vector<Candidate> near;
    for (Candidate& one : tried_) {
      const bool is_chance = one.pairs * 2 < std::min(one.images, one.labels);
      const bool again = std::ranges::any_of(
          near, [&](const Candidate& other) { return one.rule.label.ends_with(other.rule.label); });
      if (one.pairs > choice.pairs && !is_chance && !again && !one.rule.by_format &&
          near.size() < kMostProposals)
        near.push_back(std::move(one));
    }
    if (one_folder_)  // labels by one rule are no images for another
      for (Candidate& one : near)
        for (const Candidate& other : near)
          one.images -= &one == &other ? 0 : std::min(one.images, other.labels);
    choice.several = near.size() > 1 && is_enough(near[1].pairs, near[1].images);
    for (const Candidate& one : near)
      choice.proposals.push_back(
          {text_of(one), options_text(one.rule), !given_.listed && one.pairs < one.keyed});
    // Endings such as "_door" and "_wheel" may be the classes of masks.
    if (near.size() > 1 && std::ranges::all_of(near, [&](const Candidate& one) {
          return one.rule.image.empty() && one.rule.label.starts_with('_') &&
                 label_ending("x" + one.rule.label).empty() &&
                 without_number("x" + one.rule.label).empty();
        }))
      choice.proposals.push_back(
          {"each image has one mask per class", "--mask-per-class '{key}_{class}'", false});
    // A given suffix tells images and labels of one folder apart, however few pair.
    choice.fits =
        choice.proposals.empty() && choice.pairs > 0 && one_folder_ && !given_.label.empty();
    return choice;
  }

  // The given suffixes pair nothing: proposes what would be found without them.
  SuffixChoice without_options(SuffixChoice choice) const {
    GivenSuffixes none;
    none.listed = given_.listed;
    none.fold = given_.fold;
    const SuffixChoice free = Chooser(sets_, none).choose();
    choice.proposals = free.proposals;
    if (free.fits && !free.rule.by_format)
      choice.proposals.push_back({free.text, options_text(free.rule), false});
    return choice;
  }

  [[nodiscard]] std::string text_of(const Candidate& one) const {
    return rule_text(one.rule) + ": " + std::to_string(one.pairs) + " of " +
           (given_.listed ? std::to_string(one.labels) + " labels have an image"
                          : std::to_string(one.images) + " images have a label");
  }
  [[nodiscard]] SuffixChoice chosen(const Candidate& one, bool fits) const {
    return {one.rule, fits, false, one.pairs, text_of(one), {}};
  }

  std::span<const FileSet> sets_;
  const GivenSuffixes& given_;
  bool one_folder_;
  std::vector<Candidate> tried_;
};

// Strips a suffix that was found. Files without it become orphans, or are dropped if they are
// another form of a label.
void strip_found(FileList& list, const std::string& suffix, ProblemKind kind,
                 ProblemLog& problems) {
  for (FoundFile& file : list.files) {
    const std::string_view key = list.key(file);
    const bool other_form = form_of("x" + suffix) < kForms.size() && form_of(key) < kForms.size();
    if (has_suffix(key, suffix) || other_form) continue;
    problems.add(
        {kind, list.path(file), "its name lacks the suffix '" + suffix + "' that the others have"});
    file.key_length = 0;
  }
  drop_keyless(list);
  strip_suffix(list, suffix);
}

// Strips the suffix of images without labels if most of them have it.
void strip_alone(FileList& images, std::string_view suffix) {
  const auto has = [&](const FoundFile& file) { return has_suffix(images.key(file), suffix); };
  const auto holders = std::count_if(images.files.begin(), images.files.end(), has);
  if (!is_enough(static_cast<std::uint64_t>(holders), images.files.size())) return;
  for (FoundFile& file : images.files)
    if (has(file)) file.key_length = static_cast<std::uint16_t>(file.key_length - suffix.size());
}

}  // namespace

std::vector<Affix> likely_affixes(const SortedNames& shorter, const SortedNames& longer) {
  Counts counts;
  for (std::size_t i = 0; i < longer.size(); i += longer.size() / kMostNames + 1)
    for (std::size_t cut = 1; cut < longer[i].size(); ++cut) {
      const std::string_view first = longer[i].substr(0, cut), second = longer[i].substr(cut);
      if (is_digit(first.back()) && is_digit(second.front())) continue;
      if (second.find('/') == second.npos && is_among(shorter, first))
        ++counts[{false, std::string(second)}];
      if (first.find('/') == first.npos && is_among(shorter, second))
        ++counts[{true, std::string(first)}];
    }
  return most_frequent(counts);
}

std::uint64_t count_affixed(const SortedNames& shorter, const SortedNames& longer,
                            const Affix& affix) {
  return static_cast<std::uint64_t>(std::ranges::count_if(shorter, [&](std::string_view name) {
    const std::string key(name);
    return is_among(longer, affix.in_front ? affix.text + key : key + affix.text);
  }));
}

std::string_view label_ending(std::string_view name) {
  const std::string_view numbered = without_number(name);
  const std::string_view word = numbered.empty() ? name : numbered.substr(0, numbered.size() - 1);
  return ends_like_label(word) ? name.substr(word.size() - last_word(word).size())
                               : std::string_view();
}

SuffixChoice choose_suffixes(std::span<const FileSet> sets, const GivenSuffixes& given) {
  return Chooser(sets, given).choose();
}

void apply_suffixes(FileSet& set, const SuffixRule& rule, const GivenSuffixes& given,
                    ProblemLog& problems) {
  const std::uint64_t before = set.images.other_files + set.images.files.size();
  const std::uint64_t reported_before = problems.count();
  if (rule.by_format) {
    keep_format(set.images, true);
    keep_format(set.labels, false);
  } else if (set.one_folder && !rule.label.empty()) {
    drop_suffix(set.images, rule.label);
    strip_suffix(set.labels, rule.label);
  }
  if (!given.image.empty() && !given.by_preset)
    strip_suffix(set.images, rule.image);
  else if (!set.labeled)
    strip_alone(set.images, rule.image);
  else
    strip_found(set.images, rule.image, ProblemKind::orphan_image, problems);
  if (!set.one_folder || rule.by_format) {
    if (!given.label.empty())
      strip_suffix(set.labels, rule.label);
    else
      strip_found(set.labels, rule.label, ProblemKind::orphan_label, problems);
  }
  if (!set.one_folder) return;
  // Both lists held all files: what is neither is counted once.
  const std::uint64_t reported = problems.count() - reported_before;
  set.images.other_files = before - set.images.files.size() - set.labels.files.size() - reported;
  set.labels.other_files = 0;
}

bool may_hold_labels(const FileList& files) {
  std::size_t jpeg = 0;
  for (const FoundFile& file : files.files) {
    if (ends_like_label(files.key(file))) return true;
    if (is_jpeg(files, file)) ++jpeg;
  }
  return jpeg > 0 && jpeg < files.files.size();
}

}  // namespace hotpack::pipeline
