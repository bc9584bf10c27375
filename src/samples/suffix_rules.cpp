#include "samples/suffix_rules.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shell_word.hpp"
#include "files/file_kind.hpp"
#include "samples/affixes.hpp"
#include "samples/layout_commands.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostProposals = 3;

// A known suffix of labels or images. Labels of one family describe the same image in different
// forms, or come from different annotators. If several suffixes of a family occur, the first of
// them in the table is used.
struct Suffix {
  std::string_view text;
  int family = 0;  // 0: none
};
constexpr std::array<Suffix, 15> kImageSuffixes{{{"", 0},
                                                 {"_leftImg8bit", 0},
                                                 {"_rgb_anon", 0},
                                                 {"_img", 0},
                                                 {"_image", 0},
                                                 {"-img", 0},
                                                 {"-image", 0},
                                                 {"_im", 0},
                                                 {"_sat", 0},
                                                 {"_rgb", 0},
                                                 {"_RGB", 0},
                                                 {"_photo", 0},
                                                 {"_orig", 0},
                                                 {"_training", 0},
                                                 {"_test", 0}}};
constexpr std::array<Suffix, 44> kLabelSuffixes{{
    {"", 0},
    {"_gtFine_labelIds", 1},
    {"_gtFine_labelTrainIds", 1},
    {"_gtFine_color", 1},
    {"_gtCoarse_labelIds", 2},
    {"_gtCoarse_labelTrainIds", 2},
    {"_gtCoarse_color", 2},
    {"_gt_labelIds", 3},
    {"_gt_labelTrainIds", 3},
    {"_gt_labelColor", 3},
    {"_labelIds", 4},
    {"_labelTrainIds", 4},
    {"_1stHO", 5},
    {"_2ndHO", 5},
    {".ah", 6},
    {".vk", 6},
    {"_manual1", 7},
    {"_manual2", 7},
    {"_L", 0},
    {"_mask", 0},
    {"-mask", 0},
    {".mask", 0},
    {"_masks", 0},
    {"_Mask", 0},
    {"_gt", 0},
    {"-gt", 0},
    {"_GT", 0},
    {"_groundtruth", 0},
    {"_ground_truth", 0},
    {"_label", 0},
    {"-label", 0},
    {"_labels", 0},
    {"_lab", 0},
    {"_seg", 0},
    {"-seg", 0},
    {"_segmentation", 0},
    {"_Segmentation", 0},
    {"_semantic", 0},
    {"_annotation", 0},
    {"_anno", 0},
    {"_annot", 0},
    {"_trimap", 0},
    {"_target", 0},
    {"_instance_color_RGB", 0},
}};

constexpr std::uint64_t kEnoughPercent = 95;
constexpr std::string_view kJoints = "_-. ";  // between the parts of a name

bool is_enough(std::uint64_t part, std::uint64_t whole) {
  return part > 0 && part * 100 >= whole * kEnoughPercent;
}

// How well a rule fits.
struct Coverage {
  bool listed = false;       // images without label may be meant to have none
  std::uint64_t images = 0;  // images that should have a label
  std::uint64_t labels = 0;  // labels that should have an image
  std::uint64_t keyed = 0;   // images, or labels if there are more of them, that get a key
  std::uint64_t pairs = 0;
  [[nodiscard]] bool fits() const {
    return is_enough(pairs, listed ? labels : std::max(images, labels));
  }
  [[nodiscard]] bool leaves_orphans() const { return !listed && pairs < keyed; }
};

bool is_known_ending(std::string_view text) {
  return std::any_of(kLabelSuffixes.begin(), kLabelSuffixes.end(),
                     [&](const Suffix& suffix) { return suffix.text == text; });
}

// Words at the ends of names that mark another form of the same label: "_gtFine_color" next to
// "_gtFine_labelIds", or "_gt_color" next to "_gt".
constexpr std::array<std::string_view, 9> kForms{"labelIds",    "labelTrainIds",    "labelColor",
                                                 "instanceIds", "instanceTrainIds", "invIds",
                                                 "color",       "colors",           "vis"};

std::size_t start_of_last_word(std::string_view suffix) {
  const std::size_t joint = suffix.find_last_of(kJoints);
  return joint == std::string_view::npos ? 0 : joint + 1;
}

bool ends_with_form(std::string_view suffix) {
  const std::string_view word = suffix.substr(start_of_last_word(suffix));
  return std::find(kForms.begin(), kForms.end(), word) != kForms.end();
}

// True if `other` is another form of the labels that end with `label`.
bool is_form_of(std::string_view label, std::string_view other) {
  if (!ends_with_form(other)) return false;
  const std::string_view start = other.substr(0, start_of_last_word(other));
  const bool extends = start.size() == label.size() + 1 && start.starts_with(label);
  return extends || (ends_with_form(label) && label.substr(0, start_of_last_word(label)) == start);
}

bool is_kind_of_label(std::string_view stem) {
  return std::any_of(kLabelSuffixes.begin() + 1, kLabelSuffixes.end(),
                     [&](const Suffix& suffix) { return has_suffix(stem, suffix.text); });
}

std::uint64_t count_suffix(const FileList& list, std::string_view suffix) {
  return static_cast<std::uint64_t>(
      std::count_if(list.files.begin(), list.files.end(),
                    [&](const FoundFile& file) { return has_suffix(list.key(file), suffix); }));
}

bool is_jpeg(const FileList& list, const FoundFile& file) {
  return describe_name(list.text(file)).is_jpeg;
}

// The keys that the files of a set would have if a rule were used, sorted.
class RuleKeys {
 public:
  RuleKeys(const FileSet& set, const SuffixRule& rule) : set_(set), rule_(rule) {}

  std::vector<std::string_view> labels() const {
    return keys(set_.labels, rule_.label,
                [&](const FoundFile& file) { return is_label(set_.labels, file); });
  }
  std::vector<std::string_view> images() const {
    return keys(set_.images, rule_.image, [&](const FoundFile& file) { return is_image(file); });
  }
  // Returns how many files are images according to the rule. If images and labels are in one
  // folder, these are all files except those that the rule takes as labels. If the rule has a
  // suffix for images, files with another known suffix of labels do not count either.
  std::uint64_t image_files() const {
    if (!set_.one_folder) return set_.images.files.size();
    const FileList& list = set_.images;
    return static_cast<std::uint64_t>(
        std::count_if(list.files.begin(), list.files.end(), [&](const FoundFile& file) {
          const bool other_kind = !rule_.image.empty() && is_kind_of_label(list.key(file));
          return is_image(file) && !other_kind;
        }));
  }

 private:
  [[nodiscard]] bool is_label(const FileList& list, const FoundFile& file) const {
    return rule_.by_format ? !is_jpeg(list, file) : has_suffix(list.key(file), rule_.label);
  }
  [[nodiscard]] bool is_image(const FoundFile& file) const {
    return !set_.one_folder || !is_label(set_.images, file);
  }

  template <class Wanted>
  std::vector<std::string_view> keys(const FileList& list, std::string_view suffix,
                                     Wanted wanted) const {
    std::vector<std::string_view> found;
    found.reserve(list.files.size());
    for (const FoundFile& file : list.files) {
      std::string_view key = list.key(file);
      if (!wanted(file) || !has_suffix(key, suffix)) continue;
      key.remove_suffix(suffix.size());
      found.push_back(key);
    }
    if (!std::is_sorted(found.begin(), found.end())) std::sort(found.begin(), found.end());
    return found;
  }

  const FileSet& set_;
  const SuffixRule& rule_;
};

std::uint64_t count_common(const std::vector<std::string_view>& a,
                           const std::vector<std::string_view>& b) {
  std::uint64_t count = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const int order = i->compare(*j);
    if (order == 0) ++count;
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
  return count;
}

struct Candidate {
  SuffixRule rule;
  int family = 0;
  bool known =
      true;  // from the table; else all labels must pair: others may be masks of other classes
  Coverage coverage;
};

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string pairs_text(const Coverage& coverage) {
  if (coverage.listed)
    return std::to_string(coverage.pairs) + " of " + std::to_string(coverage.labels) +
           " labels have an image";
  return std::to_string(coverage.pairs) + " of " + std::to_string(coverage.images) +
         " images have a label";
}

std::string rule_text(const SuffixRule& rule) {
  if (rule.by_format) return "JPEG files are images, PNG files of the same name their labels";
  if (rule.image.empty() && rule.label.empty()) return "labels have the names of their images";
  if (rule.image.empty()) return "labels end with " + in_quotes(rule.label);
  if (rule.label.empty()) return "images end with " + in_quotes(rule.image);
  return "images end with " + in_quotes(rule.image) + ", labels with " + in_quotes(rule.label);
}

std::string options_text(const SuffixRule& rule) {
  std::string text = rule.image.empty() ? "" : value_option("--image-suffix", rule.image);
  if (!rule.label.empty())
    text += (text.empty() ? "" : " ") + value_option("--label-suffix", rule.label);
  return text;
}

SuffixProposal proposal_of(const Candidate& candidate) {
  return {rule_text(candidate.rule) + ": " + pairs_text(candidate.coverage),
          options_text(candidate.rule), candidate.coverage.leaves_orphans()};
}

// Endings such as "_door" and "_wheel" may be the classes of masks.
std::optional<SuffixProposal> masks_per_class(const std::vector<Candidate>& rules) {
  if (rules.size() < 2 || rules.front().rule.label.empty()) return std::nullopt;
  const char joint = rules.front().rule.label.front();
  const bool are_classes = std::all_of(rules.begin(), rules.end(), [&](const Candidate& candidate) {
    return !candidate.known && candidate.rule.image.empty() &&
           candidate.rule.label.front() == joint;
  });
  if (!are_classes || kJoints.find(joint) == std::string_view::npos) return std::nullopt;
  return SuffixProposal{"each image has one mask per class",
                        "--mask-per-class " + shell_word(std::string("{key}") + joint + "{class}")};
}

class Chooser {
 public:
  Chooser(std::span<const FileSet> sets, const GivenSuffixes& given) : sets_(sets), given_(given) {
    one_folder_ =
        std::any_of(sets.begin(), sets.end(), [](const FileSet& set) { return set.one_folder; });
  }

  SuffixChoice choose() const {
    if (!given_.image.empty() && !given_.label.empty()) return as_given(given_rule(), true);
    for (const SuffixRule& rule : first_rules())
      if (const Coverage coverage = cover(rule); coverage.fits())
        return chosen({rule, 0, true, coverage});
    if (from_preset()) return as_given(preset_rule(), false);
    std::vector<Candidate> candidates = covered_candidates();
    std::vector<Candidate> fitting = candidates;
    std::erase_if(fitting, [](const Candidate& candidate) { return !candidate.coverage.fits(); });
    keep_one_per_label(fitting);
    if (!fitting.empty()) add_rivals(candidates, fitting);
    if (fitting.size() == 1) return chosen(fitting.front());
    SuffixChoice choice = unclear(given_rule());
    choice.several = fitting.size() > 1;
    propose(choice.several ? fitting : nearest(std::move(candidates), choice.pairs), choice);
    // A given suffix tells images and labels of one folder apart, however few pair.
    choice.fits =
        choice.proposals.empty() && choice.pairs > 0 && one_folder_ && !given_.label.empty();
    return choice;
  }

 private:
  [[nodiscard]] SuffixRule given_rule() const { return {given_.image, given_.label, false}; }
  [[nodiscard]] SuffixRule preset_rule() const {
    return {given_.preset_image, given_.preset_label, false};
  }
  [[nodiscard]] bool from_preset() const {
    return given_.image.empty() && given_.label.empty() &&
           !(given_.preset_image.empty() && given_.preset_label.empty());
  }

  // The rules that are tried before the table: the preset's, then equal names.
  [[nodiscard]] std::vector<SuffixRule> first_rules() const {
    std::vector<SuffixRule> rules;
    if (from_preset()) rules.push_back(preset_rule());
    const SuffixRule equal = given_rule();
    if (!one_folder_ || !equal.label.empty()) rules.push_back(equal);
    if (one_folder_ && equal.label.empty() && equal.image.empty()) rules.push_back({"", "", true});
    return rules;
  }

  // Returns those of `suffixes` that occur in the names of images, or of labels, as `side` says. If
  // an option gives the suffix (`given`), returns only that one.
  template <class List>
  std::vector<Suffix> occurring(const List& suffixes, const std::string& given,
                                FileList FileSet::*side) const {
    if (!given.empty()) return {Suffix{given, 0}};
    std::vector<Suffix> found;
    for (const Suffix& suffix : suffixes)
      if (std::any_of(sets_.begin(), sets_.end(),
                      [&](const FileSet& set) { return count_suffix(set.*side, suffix.text) > 0; }))
        found.push_back(suffix);
    return found;
  }

  // The rules of the table whose suffixes occur and that agree with the given ones.
  [[nodiscard]] std::vector<Candidate> table() const {
    const std::vector<Suffix> images = occurring(kImageSuffixes, given_.image, &FileSet::images);
    std::vector<Candidate> candidates;
    for (const Suffix& label : occurring(kLabelSuffixes, given_.label, &FileSet::labels))
      for (const Suffix& image : images) {
        SuffixRule rule{std::string(image.text), std::string(label.text), false};
        if (rule.label.empty() && (one_folder_ || rule.image.empty())) continue;
        candidates.push_back({std::move(rule), label.family, true, {}});
      }
    return candidates;
  }

  // Returns rules for endings that are not in the table: endings by which the names of labels are
  // longer than those of images (without the images' suffix `image`). Leaves out an ending that
  // ends with another one, such as "_b_annot" with "_annot".
  [[nodiscard]] std::vector<Candidate> endings(const std::string& image) const {
    std::vector<Candidate> candidates;
    if (!given_.label.empty()) return candidates;
    const SuffixRule any_label{image, "", false};
    for (const FileSet& set : sets_) {
      const RuleKeys keys(set, any_label);
      // In one folder each file may be an image.
      for (Affix& affix :
           likely_affixes(set.one_folder ? keys.labels() : keys.images(), keys.labels()))
        if (!affix.in_front && !is_known_ending(affix.text))
          candidates.push_back({{image, std::move(affix.text), false}, 0, false, {}});
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.rule.label.size(), a.rule.label) <
             std::pair(b.rule.label.size(), b.rule.label);
    });
    std::vector<Candidate> shortest;
    for (Candidate& candidate : candidates)
      if (std::none_of(shortest.begin(), shortest.end(), [&](const Candidate& other) {
            return candidate.rule.label.ends_with(other.rule.label);
          }))
        shortest.push_back(std::move(candidate));
    return shortest;
  }

  // The rules of the table and of endings that pair something, one per family.
  [[nodiscard]] std::vector<Candidate> covered_candidates() const {
    std::vector<Candidate> candidates = table();
    std::vector<Candidate> unknown = endings(given_.image);
    std::move(unknown.begin(), unknown.end(), std::back_inserter(candidates));
    std::vector<Candidate> covered;
    for (Candidate& candidate : candidates) {
      candidate.coverage = cover(candidate.rule);
      if (!candidate.known) candidate.coverage.labels = label_files();
      if (is_near(candidate) && !has_family(covered, candidate))
        covered.push_back(std::move(candidate));
    }
    return covered;
  }

  // Adds the rules for other kinds of label that enough images have, for each kind the rule that
  // pairs most. These rules need not fit: a rule with an unknown suffix cannot fit if there are
  // labels of another kind.
  void add_rivals(std::vector<Candidate> candidates, std::vector<Candidate>& fitting) const {
    const Candidate best = fitting.front();
    for (Candidate& candidate : endings(best.rule.image))
      candidates.push_back(std::move(candidate));
    for (Candidate& candidate : candidates) candidate.coverage = cover(candidate.rule);
    std::erase_if(candidates,
                  [&](const Candidate& candidate) { return !is_rival(best, candidate); });
    std::move(candidates.begin(), candidates.end(), std::back_inserter(fitting));
    keep_one_per_label(fitting);
  }

  static bool is_rival(const Candidate& best, const Candidate& other) {
    const std::uint64_t wanted =
        other.coverage.listed ? best.coverage.pairs : other.coverage.images;
    const bool same_family = other.family != 0 && other.family == best.family;
    return is_enough(other.coverage.pairs, wanted) && !same_family &&
           !other.rule.label.ends_with(best.rule.label) &&
           !is_form_of(best.rule.label, other.rule.label);
  }

  [[nodiscard]] std::uint64_t label_files() const {
    std::uint64_t files = 0;
    for (const FileSet& set : sets_) files += set.labels.files.size();
    return files;
  }

  // False for rules that pair nothing, and for endings that so few names have that it is chance.
  [[nodiscard]] static bool is_near(const Candidate& candidate) {
    const Coverage& coverage = candidate.coverage;
    return coverage.pairs > 0 &&
           (candidate.known || coverage.pairs * 2 >= std::min(coverage.images, coverage.labels));
  }

  // True if an earlier form of these labels fits or pairs as many.
  [[nodiscard]] static bool has_family(const std::vector<Candidate>& candidates,
                                       const Candidate& candidate) {
    return candidate.family != 0 &&
           std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
             const bool is_enough =
                 other.coverage.fits() || other.coverage.pairs >= candidate.coverage.pairs;
             return other.family == candidate.family && is_enough;
           });
  }

  [[nodiscard]] Coverage cover(const SuffixRule& rule) const {
    Coverage coverage;
    coverage.listed = given_.listed;
    for (const FileSet& set : sets_) {
      const RuleKeys keys(set, rule);
      const std::vector<std::string_view> labels = keys.labels();
      const std::vector<std::string_view> images = keys.images();
      if (labels.empty() && is_test_set(set, rule)) continue;
      coverage.images += given_.image.empty() ? keys.image_files() : images.size();
      coverage.labels += labels.size();
      coverage.keyed += std::max(images.size(), labels.size());
      coverage.pairs += count_common(images, labels);
    }
    return coverage;
  }

  // True for one of several folders if nothing in it looks like a label.
  [[nodiscard]] bool is_test_set(const FileSet& set, const SuffixRule& rule) const {
    if (!set.one_folder || sets_.size() < 2) return false;
    return rule.by_format || std::none_of(set.images.files.begin(), set.images.files.end(),
                                          [&](const FoundFile& file) {
                                            return is_kind_of_label(set.images.key(file));
                                          });
  }

  // Sorts the rules, the best first. Of those with one suffix of labels, keeps the best.
  static void keep_one_per_label(std::vector<Candidate>& candidates) {
    std::stable_sort(
        candidates.begin(), candidates.end(),
        [](const Candidate& a, const Candidate& b) { return a.coverage.pairs > b.coverage.pairs; });
    std::vector<Candidate> best;
    for (Candidate& candidate : candidates)
      if (std::none_of(best.begin(), best.end(), [&](const Candidate& other) {
            return other.rule.label == candidate.rule.label;
          }))
        best.push_back(std::move(candidate));
    candidates = std::move(best);
  }

  // Returns the rules that pair more files than `pairs`, the number that the current rule pairs. If
  // there are none and a suffix of the options pairs nothing, returns the rules that would be
  // possible without that option.
  [[nodiscard]] std::vector<Candidate> nearest(std::vector<Candidate> candidates,
                                               std::uint64_t pairs) const {
    std::erase_if(candidates,
                  [&](const Candidate& candidate) { return candidate.coverage.pairs <= pairs; });
    keep_one_per_label(candidates);
    const bool given = !given_.image.empty() || !given_.label.empty();
    return candidates.empty() && pairs == 0 && given ? without_options() : candidates;
  }

  // Proposes all rules if several fit, else the first few.
  static void propose(std::vector<Candidate> rules, SuffixChoice& choice) {
    if (!choice.several && rules.size() > kMostProposals) rules.resize(kMostProposals);
    for (const Candidate& candidate : rules) choice.proposals.push_back(proposal_of(candidate));
    if (std::optional<SuffixProposal> masks = masks_per_class(rules))
      choice.proposals.push_back(std::move(*masks));
  }

  [[nodiscard]] static SuffixChoice chosen(const Candidate& candidate) {
    SuffixChoice choice;
    choice.rule = candidate.rule;
    choice.fits = true;
    choice.pairs = candidate.coverage.pairs;
    choice.text = rule_text(candidate.rule) + ": " + pairs_text(candidate.coverage);
    return choice;
  }

  // The choice if nothing fits: `rule`, which pairs names as given or equal names.
  [[nodiscard]] SuffixChoice unclear(const SuffixRule& rule) const {
    SuffixChoice choice = chosen({rule, 0, true, cover(rule)});
    choice.fits = false;
    return choice;
  }

  // The choice if options or a preset give the rule. Proposes others only if it pairs nothing.
  [[nodiscard]] SuffixChoice as_given(const SuffixRule& rule, bool by_option) const {
    SuffixChoice choice = unclear(rule);
    choice.fits = by_option;
    if (by_option) choice.text.clear();
    if (choice.pairs == 0) propose(nearest(covered_candidates(), 0), choice);
    return choice;
  }

  // The rules that would pair something if no suffix were given; equal names first.
  [[nodiscard]] std::vector<Candidate> without_options() const {
    GivenSuffixes none;
    none.listed = given_.listed;
    const Chooser free(sets_, none);
    std::vector<Candidate> near = free.covered_candidates();
    if (Candidate equal{{}, 0, true, free.cover({})}; !one_folder_ && equal.coverage.pairs > 0)
      near.insert(near.begin(), std::move(equal));
    return free.nearest(std::move(near), 0);
  }

  std::span<const FileSet> sets_;
  const GivenSuffixes& given_;
  bool one_folder_ = false;
};

// ---- stripping suffixes

// Returns true if `stem` continues one of the keys, such as "x_color" for "x". The file with this
// name is then another kind of file of the same sample.
bool continues_key(const std::vector<std::string>& sorted_keys, std::string_view stem) {
  for (std::size_t end = stem.find_first_of(kJoints, 1); end != std::string_view::npos;
       end = stem.find_first_of(kJoints, end + 1))
    if (std::binary_search(sorted_keys.begin(), sorted_keys.end(), stem.substr(0, end)))
      return true;
  return false;
}

// The names of the files that have the suffix, without it.
void add_keys(const FileList& list, std::string_view suffix, std::vector<std::string>& keys) {
  for (const FoundFile& file : list.files)
    if (const std::string_view key = list.key(file); has_suffix(key, suffix))
      keys.emplace_back(key.substr(0, key.size() - suffix.size()));
}

bool all_have(const FileList& list, std::string_view suffix) {
  return std::all_of(list.files.begin(), list.files.end(),
                     [&](const FoundFile& file) { return has_suffix(list.key(file), suffix); });
}

// Strips suffixes that were found rather than given, and drops or reports files without them.
class FoundSuffixes {
 public:
  FoundSuffixes(FileSet& set, const SuffixRule& rule, ProblemLog& problems)
      : set_(set), rule_(rule), problems_(problems) {
    // Nobody asks for the keys if every file has its suffix, and they are many.
    if (!is_known_ending(rule.label) ||
        (all_have(set.images, rule.image) && all_have(set.labels, rule.label)))
      return;
    add_keys(set.images, rule.image, keys_);
    add_keys(set.labels, rule.label, keys_);
    std::sort(keys_.begin(), keys_.end());
  }

  void strip_images() {
    strip(set_.images, rule_.image, ProblemKind::orphan_image,
          [&](std::string_view key) { return set_.one_folder && is_kind(key); });
  }
  void strip_labels() {
    strip(set_.labels, rule_.label, ProblemKind::orphan_label,
          [&](std::string_view key) { return is_kind(key); });
  }

 private:
  // Next to a suffix that is not known, names that continue a key may be masks of other classes.
  [[nodiscard]] bool is_kind(std::string_view key) const {
    return is_kind_of_label(key) || (is_known_ending(rule_.label) && continues_key(keys_, key));
  }

  // Other kinds are dropped; what is left without a suffix is reported.
  template <class OtherKind>
  void strip(FileList& list, const std::string& suffix, ProblemKind kind, OtherKind other_kind) {
    for (FoundFile& file : list.files) {
      const std::string_view key = list.key(file);
      if (has_suffix(key, suffix) || other_kind(key)) continue;
      problems_.add({kind, list.path(file),
                     "its name lacks the suffix " + in_quotes(suffix) + " that the others have"});
      file.key_length = 0;
    }
    drop_keyless(list);
    strip_suffix(list, suffix);
  }

  FileSet& set_;
  const SuffixRule& rule_;
  ProblemLog& problems_;
  std::vector<std::string> keys_;
};

// For images of a set without labels: strips the suffix if most of them have it.
void strip_alone(FileList& images, const std::string& suffix) {
  if (!is_enough(count_suffix(images, suffix), images.files.size())) return;
  for (FoundFile& file : images.files)
    if (has_suffix(images.key(file), suffix))
      file.key_length = static_cast<std::uint16_t>(file.key_length - suffix.size());
}

// Strips the suffixes of a rule from both lists. In one folder, both lists hold all files at first.
void strip_rule(FileSet& set, const SuffixRule& rule, const GivenSuffixes& given,
                ProblemLog& problems) {
  if (set.one_folder && !rule.label.empty()) drop_suffix(set.images, rule.label);
  FoundSuffixes found(set, rule, problems);
  if (!given.image.empty())
    strip_suffix(set.images, rule.image);
  else if (!set.labeled)
    strip_alone(set.images, rule.image);
  else
    found.strip_images();
  if (set.one_folder || !given.label.empty())
    strip_suffix(set.labels, rule.label);
  else
    found.strip_labels();
}

}  // namespace

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
  } else {
    strip_rule(set, rule, given, problems);
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
    if (is_kind_of_label(files.key(file))) return true;
    if (is_jpeg(files, file)) ++jpeg;
  }
  return jpeg > 0 && jpeg < files.files.size();
}

}  // namespace hotpack::pipeline
