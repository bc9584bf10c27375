#include "discovery/pairings.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "discovery/layout_pattern.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostFolders = 24;  // that are compared
constexpr std::size_t kMostExamples = 3;

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : name.empty() ? folder : folder + "/" + name;
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name)
    if (std::string_view("_-. ").find(c) != std::string_view::npos)
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

bool has_word(std::string_view name, bool (*is_word)(std::string_view)) {
  const std::vector<std::string> words = words_of(name);
  return is_word(name) || std::any_of(words.begin(), words.end(), is_word);
}

// Folders of one name, one in each split, with the keys of their images.
struct Role {
  std::string name;
  std::vector<std::string> keys;
  FolderSurvey::Looks looks;
  bool jpeg = true;

  [[nodiscard]] SortedNames names() const { return {keys.begin(), keys.end()}; }
};

class Finder {
 public:
  explicit Finder(const FolderSurvey& survey) : survey_(survey), start_(start_of(survey)) {
    std::set<std::string> names;
    for (const std::string& part : start_.parts)
      for (std::string& name : survey.children(joined(start_.folder, part)))
        names.insert(std::move(name));
    if (names.size() > kMostFolders) return;
    for (const std::string& name : names) add_role(name);
  }

  std::vector<Pairing> find() {
    std::vector<Pairing> found;
    for (const Role& one : roles_)
      for (const Role& other : roles_)
        if (one.name < other.name) add_pairing(one, other, found);
    std::stable_sort(found.begin(), found.end(), [](const Pairing& a, const Pairing& b) {
      return std::pair(a.evidence, a.pairs) > std::pair(b.evidence, b.pairs);
    });
    add_splits(found);
    return found;
  }

 private:
  void add_role(const std::string& name) {
    Role role;
    role.name = name;
    for (const std::string& part : start_.parts) {
      const std::string folder = joined(joined(start_.folder, part), name);
      for (const std::string& stem : survey_.stems(folder)) role.keys.push_back(joined(part, stem));
      const FolderSurvey::Looks looks = survey_.looks(folder);
      role.looks.photographs += looks.photographs, role.looks.label_like += looks.label_like;
      role.looks.mixed += looks.mixed;
      for (const auto& [below, entry] : survey_.folders)
        role.jpeg = role.jpeg && ((below != folder && !below.starts_with(folder + "/")) ||
                                  !entry.formats.contains("PNG"));
    }
    std::sort(role.keys.begin(), role.keys.end());
    if (std::adjacent_find(role.keys.begin(), role.keys.end()) == role.keys.end())
      roles_.push_back(std::move(role));
  }

  // Signs that `labels` are the labels of `images`.
  static int evidence(const Role& images, const Role& labels, const Affix& affix) {
    int signs = 0;
    if (labels.looks.label_like > 0 && labels.looks.photographs == 0) signs += 3;
    if (images.looks.photographs > 0 && images.looks.label_like == 0) signs += 1;
    if (has_word(labels.name, is_labels_word)) signs += 2;
    if (has_word(images.name, is_images_word)) signs += 2;
    if (images.jpeg && !labels.jpeg) signs += 1;
    if (has_word(affix.text, is_labels_word)) signs += 2;
    return signs;
  }

  void add_pairing(const Role& one, const Role& other, std::vector<Pairing>& found) const {
    const Role* shorter = &one;
    const Role* longer = &other;
    Affix affix;
    std::uint64_t pairs = count_affixed(one.names(), other.names(), {});
    const auto improve = [&](const Role& a, const Role& b) {
      for (Affix& next : likely_affixes(a.names(), b.names()))
        if (const std::uint64_t count = count_affixed(a.names(), b.names(), next); count > pairs)
          pairs = count, affix = std::move(next), shorter = &a, longer = &b;
    };
    if (pairs < std::min(one.keys.size(), other.keys.size())) {
      improve(one, other);
      improve(other, one);
    }
    if (pairs == 0) return;
    const int forward = evidence(*shorter, *longer, affix),
              backward = evidence(*longer, *shorter, affix);
    const bool on_images = backward > forward;
    const Role& images = on_images ? *longer : *shorter;
    const Role& labels = on_images ? *shorter : *longer;
    // Labels without an image, or of other names, are no labels of these images.
    if (pairs < labels.keys.size()) return;
    const bool named =
        has_word(labels.name, is_labels_word) || has_word(affix.text, is_labels_word);
    const bool unlike = labels.looks.photographs > 0 && !named;
    if (unlike || images.looks.both() || labels.looks.both()) return;
    Pairing pairing;
    pairing.affix = affix, pairing.on_images = on_images;
    pairing.pairs = pairs, pairing.images = images.keys.size();
    pairing.labels = labels.keys.size();
    pairing.evidence = std::max(forward, backward);
    for (const std::string& part : start_.parts) {
      const std::string folder = joined(start_.folder, part);
      const std::vector<std::string> there = survey_.children(folder);
      const auto holds = [&](const Role& role) {
        return std::find(there.begin(), there.end(), role.name) != there.end();
      };
      if (holds(images) && holds(labels))
        pairing.layout.splits.push_back(
            {part, path(joined(folder, images.name)), path(joined(folder, labels.name)), ""});
    }
    pairing.layout.root = survey_.root;
    add_examples(*shorter, *longer, pairing);
    found.push_back(std::move(pairing));
  }

  [[nodiscard]] std::string path(const std::string& below) const {
    return below.empty() ? survey_.root : path_below(survey_.root, below);
  }

  static void add_examples(const Role& shorter, const Role& longer, Pairing& pairing) {
    for (const std::string& key : shorter.keys) {
      const std::string other =
          pairing.affix.in_front ? pairing.affix.text + key : key + pairing.affix.text;
      if (!std::binary_search(longer.keys.begin(), longer.keys.end(), other)) continue;
      std::pair<std::string, std::string> pair{shorter.name + "/" + key, longer.name + "/" + other};
      if (pairing.on_images) std::swap(pair.first, pair.second);
      pairing.examples.push_back(std::move(pair));
      if (pairing.examples.size() == kMostExamples) return;
    }
  }

  // Joins pairings of different folders into one with a split for each: x_train with y_train, and
  // x_val with y_val. Precondition: sorted.
  void add_splits(std::vector<Pairing>& found) const {
    if (start_.parts.size() != 1 || !start_.parts.front().empty()) return;
    Pairing all;
    std::set<std::string> used;
    for (const Pairing& pairing : found) {
      const SplitFolders& split = pairing.layout.splits.front();
      if (!pairing.complete() || used.contains(split.images) || used.contains(split.labels))
        continue;
      std::string name;
      const std::vector<std::string> others = words_of(last_part(split.labels));
      for (const std::string& word : words_of(last_part(split.images)))
        if (std::find(others.begin(), others.end(), word) != others.end())
          name += (name.empty() ? "" : "_") + word;
      if (name.empty() || (!used.empty() && pairing.affix.text != all.affix.text)) continue;
      used.insert({split.images, split.labels});
      all.affix = pairing.affix, all.on_images = pairing.on_images;
      all.evidence = std::max(all.evidence, pairing.evidence);
      all.pairs += pairing.pairs, all.images += pairing.images, all.labels += pairing.labels;
      if (all.examples.size() < kMostExamples) all.examples.push_back(pairing.examples.front());
      all.layout.splits.push_back({name, split.images, split.labels, ""});
    }
    if (all.layout.splits.size() > 1) found.insert(found.begin(), std::move(all));
  }

  const FolderSurvey& survey_;
  SurveyStart start_;
  std::vector<Role> roles_;
};

}  // namespace

SurveyStart start_of(const FolderSurvey& survey) {
  SurveyStart start;
  std::vector<std::string> names = survey.children("");
  while (names.size() == 1 && !usual_split_name(names.front())) {
    const auto here = survey.folders.find(start.folder);
    if (here != survey.folders.end() && !here->second.images.empty()) break;
    start.folder = joined(start.folder, names.front());
    names = survey.children(start.folder);
  }
  const bool splits = !names.empty() && std::all_of(names.begin(), names.end(), usual_split_name);
  start.parts = splits ? names : std::vector<std::string>{""};
  return start;
}

std::vector<Pairing> find_pairings(const FolderSurvey& survey) { return Finder(survey).find(); }

}  // namespace hotpack::pipeline
