#include "inputs/suffix_rules.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/try.hpp"
#include "inputs/affixes.hpp"
#include "inputs/file_kind.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostEnds = 3;  // of labels' names in a message

// Of several kinds in one family the first is meant: they say the same in other ways, or are second opinions.
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

constexpr std::uint64_t kFewPercent = 5;    // equal names may be chance
constexpr std::uint64_t kMostPercent = 50;  // enough where equal names are few and no other rule comes near

bool is_enough(std::uint64_t part, std::uint64_t whole) { return part > 0 && part * 100 >= whole * kEnoughPercent; }

// How well a rule fits.
struct Coverage {
  bool listed = false;       // images without label may be meant to have none
  std::uint64_t images = 0;  // that should have a label
  std::uint64_t labels = 0;  // of the kind that the rule means
  std::uint64_t pairs = 0;
  [[nodiscard]] bool fits() const { return is_enough(pairs, listed ? labels : std::max(images, labels)); }
  [[nodiscard]] bool is_chance() const { return pairs * 100 <= images * kFewPercent; }
  [[nodiscard]] bool fits_most() const { return pairs > 0 && pairs * 100 >= images * kMostPercent; }
};

bool is_kind_of_label(std::string_view stem) {
  return std::any_of(kLabelSuffixes.begin() + 1, kLabelSuffixes.end(), [&](const Suffix& suffix) { return has_suffix(stem, suffix.text); });
}

std::uint64_t count_suffix(const FileList& list, std::string_view suffix) {
  return static_cast<std::uint64_t>(
      std::count_if(list.files.begin(), list.files.end(), [&](const FoundFile& file) { return has_suffix(list.key(file), suffix); }));
}

bool is_jpeg(const FileList& list, const FoundFile& file) { return describe_name(list.text(file)).is_jpeg; }

// The keys that files would have under a rule, sorted.
class RuleKeys {
 public:
  RuleKeys(const FileSet& set, const SuffixRule& rule) : set_(set), rule_(rule) {}

  std::vector<std::string_view> labels() const {
    return keys(set_.labels, rule_.label, [&](const FoundFile& file) { return is_label(set_.labels, file); });
  }
  std::vector<std::string_view> images() const {
    return keys(set_.images, rule_.image, [&](const FoundFile& file) { return is_image(file); });
  }
  // Files that are images by the rule, or nothing that is known.
  std::uint64_t image_files() const {
    if (!set_.one_folder) return set_.images.files.size();
    const FileList& list = set_.images;
    return static_cast<std::uint64_t>(std::count_if(list.files.begin(), list.files.end(), [&](const FoundFile& file) {
      const bool other_kind = !rule_.image.empty() && is_kind_of_label(list.key(file));
      return is_image(file) && !other_kind;
    }));
  }

 private:
  [[nodiscard]] bool is_label(const FileList& list, const FoundFile& file) const {
    return rule_.by_format ? !is_jpeg(list, file) : has_suffix(list.key(file), rule_.label);
  }
  [[nodiscard]] bool is_image(const FoundFile& file) const { return !set_.one_folder || !is_label(set_.images, file); }

  template <class Wanted>
  std::vector<std::string_view> keys(const FileList& list, std::string_view suffix, Wanted wanted) const {
    std::vector<std::string_view> found;
    for (const FoundFile& file : list.files) {
      std::string_view key = list.key(file);
      if (!wanted(file) || !has_suffix(key, suffix)) continue;
      key.remove_suffix(suffix.size());
      found.push_back(key);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  const FileSet& set_;
  const SuffixRule& rule_;
};

std::uint64_t count_common(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
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
  std::uint64_t images = 0, labels = 0;  // files that have its suffixes
  Coverage coverage;
};

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string pairs_text(const Coverage& coverage) {
  if (coverage.listed) return std::to_string(coverage.pairs) + " of " + std::to_string(coverage.labels) + " labels have an image";
  return std::to_string(coverage.pairs) + " of " + std::to_string(coverage.images) + " images have a label";
}

std::string rule_text(const SuffixRule& rule) {
  if (rule.by_format) return "JPEG files are images, PNG files of the same name their labels";
  if (rule.image.empty() && rule.label.empty()) return "labels are called like their images";
  if (rule.image.empty()) return "labels end with " + in_quotes(rule.label);
  if (rule.label.empty()) return "images end with " + in_quotes(rule.image);
  return "images end with " + in_quotes(rule.image) + ", labels with " + in_quotes(rule.label);
}

std::string options_text(const SuffixRule& rule) {
  std::string text = rule.image.empty() ? "" : "--image-suffix " + rule.image;
  if (!rule.label.empty()) text += (text.empty() ? "" : " ") + ("--label-suffix " + rule.label);
  return text;
}

class Chooser {
 public:
  Chooser(std::span<const FileSet> sets, const SuffixWishes& wishes) : sets_(sets), wishes_(wishes) {
    one_folder_ = std::any_of(sets.begin(), sets.end(), [](const FileSet& set) { return set.one_folder; });
    for (const FileSet& set : sets) image_files_ += wishes.image.empty() ? set.images.files.size() : count_suffix(set.images, wishes.image);
  }

  Result<SuffixChoice> choose() {
    if (!wishes_.image.empty() && !wishes_.label.empty()) return given();
    for (const SuffixRule& rule : first_rules())
      if (const Coverage coverage = cover(rule); coverage.fits()) return chosen(rule, coverage);
    if (from_preset()) return fallback(preset_rule());
    std::vector<Candidate> fitting;
    for (Candidate& candidate : table()) {
      if (!may_fit(candidate)) continue;
      candidate.coverage = cover(candidate.rule);
      if (candidate.coverage.fits() && !has_family(fitting, candidate.family)) fitting.push_back(std::move(candidate));
    }
    if (fitting.empty()) {
      const std::optional<SuffixChoice> most = only_rule_for_most();
      return most ? *most : fallback({wishes_.image, wishes_.label, false});
    }
    HOTPACK_TRY(check_one_kind(fitting));
    const auto fewer_pairs = [](const Candidate& a, const Candidate& b) { return a.coverage.pairs < b.coverage.pairs; };
    const Candidate& best = *std::max_element(fitting.begin(), fitting.end(), fewer_pairs);
    return chosen(best.rule, best.coverage);
  }

 private:
  [[nodiscard]] SuffixChoice given() const {
    SuffixChoice choice;
    choice.rule = {wishes_.image, wishes_.label, false};
    choice.fits = true;
    if (cover(choice.rule).pairs == 0) choice.hint = hint();
    return choice;
  }

  [[nodiscard]] bool from_preset() const {
    return wishes_.image.empty() && wishes_.label.empty() && !(wishes_.preset_image.empty() && wishes_.preset_label.empty());
  }
  [[nodiscard]] SuffixRule preset_rule() const { return {wishes_.preset_image, wishes_.preset_label, false}; }

  // Before the table: what the preset says, then equal names.
  [[nodiscard]] std::vector<SuffixRule> first_rules() const {
    std::vector<SuffixRule> rules;
    if (from_preset()) rules.push_back(preset_rule());
    const SuffixRule equal{wishes_.image, wishes_.label, false};
    if (!one_folder_ || !equal.label.empty()) rules.push_back(equal);
    if (one_folder_ && equal.label.empty() && equal.image.empty()) rules.push_back({"", "", true});
    return rules;
  }

  struct Occurring {
    Suffix suffix;
    std::uint64_t files = 0;
  };

  // Which of the suffixes occur on one side; only `given` where that is not empty.
  template <class List>
  std::vector<Occurring> occurring(const List& suffixes, const std::string& given, FileList FileSet::*side) const {
    std::vector<Occurring> found;
    for (const Suffix& listed : suffixes) {
      const Suffix suffix = given.empty() ? listed : Suffix{given, 0};
      std::uint64_t files = 0;
      for (const FileSet& set : sets_) files += count_suffix(set.*side, suffix.text);
      if (files > 0) found.push_back({suffix, files});
      if (!given.empty()) break;
    }
    return found;
  }

  // The rules of the table that leave alone what is given, and whose suffixes occur.
  [[nodiscard]] std::vector<Candidate> table() const {
    const std::vector<Occurring> images = occurring(kImageSuffixes, wishes_.image, &FileSet::images);
    std::vector<Candidate> candidates;
    for (const Occurring& label : occurring(kLabelSuffixes, wishes_.label, &FileSet::labels))
      for (const Occurring& image : images) {
        SuffixRule rule{std::string(image.suffix.text), std::string(label.suffix.text), false};
        if (rule.label.empty() && (one_folder_ || rule.image.empty())) continue;
        candidates.push_back({std::move(rule), label.suffix.family, image.files, label.files, {}});
      }
    return candidates;
  }

  // Cheap: whether there are files enough with these suffixes.
  [[nodiscard]] bool may_fit(const Candidate& candidate) const {
    const std::uint64_t needed = wishes_.listed ? 1 : image_files_;
    return one_folder_ || (is_enough(candidate.images, needed) && is_enough(candidate.labels, needed));
  }

  [[nodiscard]] Coverage cover(const SuffixRule& rule) const {
    Coverage coverage;
    coverage.listed = wishes_.listed;
    for (const FileSet& set : sets_) {
      const RuleKeys keys(set, rule);
      const std::vector<std::string_view> labels = keys.labels();
      const std::vector<std::string_view> images = keys.images();
      if (labels.empty() && is_test_set(set, rule)) continue;
      coverage.images += wishes_.image.empty() ? keys.image_files() : images.size();
      coverage.labels += labels.size();
      coverage.pairs += count_common(images, labels);
    }
    return coverage;
  }

  // One of several folders in which nothing looks like a label.
  [[nodiscard]] bool is_test_set(const FileSet& set, const SuffixRule& rule) const {
    if (!set.one_folder || sets_.size() < 2) return false;
    return rule.by_format || std::none_of(set.images.files.begin(), set.images.files.end(),
                                          [&](const FoundFile& file) { return is_kind_of_label(set.images.key(file)); });
  }

  [[nodiscard]] static bool has_family(const std::vector<Candidate>& fitting, int family) {
    return family != 0 && std::any_of(fitting.begin(), fitting.end(), [&](const Candidate& other) { return other.family == family; });
  }

  [[nodiscard]] Status check_one_kind(const std::vector<Candidate>& fitting) const {
    std::string kinds;
    for (const Candidate& candidate : fitting)
      kinds += (kinds.empty() ? "" : ", ") + in_quotes(candidate.rule.label) + " (" + pairs_text(candidate.coverage) + ")";
    const bool one = std::all_of(fitting.begin(), fitting.end(),
                                 [&](const Candidate& candidate) { return candidate.rule.label == fitting.front().rule.label; });
    return one ? Status()
               : data_error("labels of several kinds fit the images: " + kinds + "; say which with --label-suffix",
                            sets_.front().labels.roots.front().folder);
  }

  [[nodiscard]] static SuffixChoice chosen(const SuffixRule& rule, const Coverage& coverage) {
    return {rule, true, rule_text(rule) + ": " + pairs_text(coverage), ""};
  }

  // What images' names go on with in those of labels, as rules. Longer forms of another ("_b_annot" of "_annot") are left out.
  [[nodiscard]] std::vector<Candidate> common_endings() const {
    std::vector<std::string> ends;
    for (const FileSet& set : sets_) {
      const SuffixRule given{wishes_.image, "", false};
      const RuleKeys keys(set, given);
      for (Affix& affix : likely_affixes(keys.images(), keys.labels()))
        if (!affix.in_front) ends.push_back(std::move(affix.text));
    }
    std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    std::vector<Candidate> candidates;
    for (const std::string& end : ends) {
      const auto is_form = [&](const Candidate& other) { return end.ends_with(other.rule.label); };
      if (std::any_of(candidates.begin(), candidates.end(), is_form)) continue;
      candidates.push_back({{wishes_.image, end, false}, 0, 0, 0, {}});
    }
    return candidates;
  }

  // The rules that pair most of the images, one a family.
  [[nodiscard]] std::vector<Candidate> rules_for_most(std::vector<Candidate> endings) const {
    std::vector<Candidate> candidates = table();
    std::move(endings.begin(), endings.end(), std::back_inserter(candidates));
    std::vector<Candidate> fitting;
    for (Candidate& candidate : candidates) {
      const auto is_known = [&](const Candidate& other) {
        return other.rule.label == candidate.rule.label && other.rule.image == candidate.rule.image;
      };
      if (std::any_of(fitting.begin(), fitting.end(), is_known)) continue;
      candidate.coverage = cover(candidate.rule);
      if (candidate.coverage.fits_most() && !has_family(fitting, candidate.family)) fitting.push_back(std::move(candidate));
    }
    return fitting;
  }

  // Labels that go on from names of images with another part of a name would pass for other kinds of label, unseen; they may be the masks
  // of other classes.
  [[nodiscard]] static bool has_rival(const SuffixRule& rule, const std::vector<Candidate>& endings) {
    if (is_kind_of_label("x" + rule.label)) return false;
    return std::any_of(endings.begin(), endings.end(), [&](const Candidate& other) {
      return other.rule.label != rule.label && kJoints.find(other.rule.label.front()) != std::string_view::npos;
    });
  }

  // Many images may lack a label. Where names say nothing else, the one rule that pairs most is taken, and the others are orphans.
  [[nodiscard]] std::optional<SuffixChoice> only_rule_for_most() const {
    if (wishes_.listed || one_folder_ || !cover({wishes_.image, wishes_.label, false}).is_chance()) return std::nullopt;
    const std::vector<Candidate> endings = wishes_.label.empty() ? common_endings() : std::vector<Candidate>();
    const std::vector<Candidate> rules = rules_for_most(endings);
    if (rules.size() != 1 || has_rival(rules.front().rule, endings)) return std::nullopt;
    const Candidate& rule = rules.front();
    return SuffixChoice{rule.rule, true, "suffixes: " + rule_text(rule.rule) + " (found; " + pairs_text(rule.coverage) + ")", ""};
  }

  // Nothing fits: names are taken as given or equal, and what has no partner will be reported.
  [[nodiscard]] SuffixChoice fallback(SuffixRule rule) const {
    SuffixChoice choice;
    const Coverage coverage = cover(rule);
    choice.text = rule_text(rule) + ": " + pairs_text(coverage);
    if (coverage.pairs == 0) choice.hint = hint();
    choice.rule = std::move(rule);
    return choice;
  }

  [[nodiscard]] std::string hint() const {
    Candidate best;
    for (Candidate& candidate : table()) {
      candidate.coverage = cover(candidate.rule);
      if (candidate.coverage.pairs > best.coverage.pairs) best = std::move(candidate);
    }
    if (best.coverage.pairs > 0) return "; " + options_text(best.rule) + " would do: " + pairs_text(best.coverage);
    if (wishes_.image.empty() && wishes_.label.empty()) return similar_names();
    const SuffixWishes none;
    return Chooser(sets_, none).hint_without_wishes();
  }

  // What was given pairs nothing.
  [[nodiscard]] std::string hint_without_wishes() const {
    const Coverage equal = one_folder_ ? Coverage{} : cover({});
    return equal.fits_most() ? "; without suffix options " + pairs_text(equal) : hint();
  }

  // The first image, and what stands behind its name in the names of labels.
  [[nodiscard]] std::string similar_names() const {
    for (const FileSet& set : sets_) {
      if (set.images.files.empty()) continue;
      const std::string_view image = set.images.key(set.images.files.front());
      std::set<std::string_view> ends;
      for (const FoundFile& file : set.labels.files)
        if (const std::string_view label = set.labels.key(file); label.size() > image.size() && label.starts_with(image))
          ends.insert(label.substr(image.size()));
      if (ends.empty()) continue;
      const std::string first(*ends.begin());
      std::string text = "; image " + in_quotes(image) + " and label " + in_quotes(std::string(image) + first) + " look alike: ";
      std::size_t told = 0;
      for (const std::string_view end : ends) {
        if (told < kMostEnds) text += (told == 0 ? "" : " or ") + ("--label-suffix " + shell_word(std::string(end)));
        ++told;
      }
      if (told > kMostEnds) text += " or …";
      return ends.size() == 1 ? text : text + ", or, where the masks of an image are a class each, --mask-per-class";
    }
    return {};
  }

  std::span<const FileSet> sets_;
  const SuffixWishes& wishes_;
  bool one_folder_ = false;
  std::uint64_t image_files_ = 0;
};

// ---- taking suffixes off

// Whether a name goes on from one of these keys, as "x_color" does from "x": another kind of file of the same sample.
bool goes_on_from(const std::vector<std::string>& sorted_keys, std::string_view stem) {
  for (std::size_t end = stem.find_first_of(kJoints, 1); end != std::string_view::npos; end = stem.find_first_of(kJoints, end + 1))
    if (std::binary_search(sorted_keys.begin(), sorted_keys.end(), stem.substr(0, end))) return true;
  return false;
}

// What the files that have the suffix are called without it.
void add_keys(const FileList& list, std::string_view suffix, std::vector<std::string>& keys) {
  for (const FoundFile& file : list.files)
    if (const std::string_view key = list.key(file); has_suffix(key, suffix)) keys.emplace_back(key.substr(0, key.size() - suffix.size()));
}

// Files without a suffix that was found rather than given.
class FoundSuffixes {
 public:
  FoundSuffixes(FileSet& set, const SuffixRule& rule, ProblemLog& problems) : set_(set), rule_(rule), problems_(problems) {
    add_keys(set.images, rule.image, keys_);
    add_keys(set.labels, rule.label, keys_);
    std::sort(keys_.begin(), keys_.end());
  }

  void strip_images() {
    strip(set_.images, rule_.image, ProblemKind::orphan_image, [&](std::string_view key) { return set_.one_folder && is_kind(key); });
  }
  void strip_labels() {
    strip(set_.labels, rule_.label, ProblemKind::orphan_label, [&](std::string_view key) { return is_kind(key); });
  }

 private:
  [[nodiscard]] bool is_kind(std::string_view key) const { return is_kind_of_label(key) || goes_on_from(keys_, key); }

  // Other kinds are dropped; what is left without a suffix is reported.
  template <class OtherKind>
  void strip(FileList& list, const std::string& suffix, ProblemKind kind, OtherKind other_kind) {
    for (FoundFile& file : list.files) {
      const std::string_view key = list.key(file);
      if (has_suffix(key, suffix) || other_kind(key)) continue;
      problems_.add({kind, list.path(file), "its name does not end with " + in_quotes(suffix) + " as others here do"});
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

// Images of a set without labels: the suffix is taken off where most have it.
void strip_alone(FileList& images, const std::string& suffix) {
  if (!is_enough(count_suffix(images, suffix), images.files.size())) return;
  for (FoundFile& file : images.files)
    if (has_suffix(images.key(file), suffix)) file.key_length -= static_cast<std::uint32_t>(suffix.size());
}

// One folder: both lists hold all files.
void strip_rule(FileSet& set, const SuffixRule& rule, const SuffixWishes& given, ProblemLog& problems) {
  if (set.one_folder && !rule.label.empty()) drop_suffix(set.images, rule.label);
  FoundSuffixes found(set, rule, problems);
  if (!given.image.empty())
    strip_suffix(set.images, rule.image);
  else if (!set.labelled)
    strip_alone(set.images, rule.image);
  else
    found.strip_images();
  if (set.one_folder || !given.label.empty())
    strip_suffix(set.labels, rule.label);
  else
    found.strip_labels();
}

}  // namespace

Result<SuffixChoice> choose_suffixes(std::span<const FileSet> sets, const SuffixWishes& wishes) { return Chooser(sets, wishes).choose(); }

void apply_suffixes(FileSet& set, const SuffixRule& rule, const SuffixWishes& given, ProblemLog& problems) {
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
