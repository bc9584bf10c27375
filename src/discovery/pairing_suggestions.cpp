#include "discovery/pairing_suggestions.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "files/file_list.hpp"
#include "files/path_pattern.hpp"
#include "files/scan.hpp"
#include "files/tree_walk.hpp"
#include "samples/affixes.hpp"
#include "samples/fold.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kSurePercent = 90;
constexpr std::size_t kMostSuggestions = 3;

constexpr std::string_view kLastPart = "([^/]+)\\.[^.]+$";

FileList scanned(const std::string& folder) {
  ProblemLog ignored;
  Result<FileList> list = scan_images({{folder, ""}}, ignored);
  return list.ok() ? std::move(list).value() : FileList();
}

// Sorted; empty if a key occurs twice.
SortedNames keys_of(const FileList& list) {
  SortedNames keys;
  for (const FoundFile& file : list.files)
    if (file.key_length > 0) keys.push_back(list.key(file));
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) == keys.end() ? keys : SortedNames();
}

bool pair_up(const FileList& images, const FileList& labels) {
  const SortedNames one = keys_of(images), other = keys_of(labels);
  return !one.empty() && count_affixed(one, other, {}) * 100 >=
                             std::max(images.files.size(), labels.files.size()) * kSurePercent;
}

bool pair_up_by(std::string_view expression, FileList images, FileList labels) {
  const Result<PathPattern> pattern = PathPattern::compile(std::string(expression), "--pair-regex");
  ProblemLog ignored;
  if (!pattern.ok() || !capture_keys(images, *pattern, ignored).ok() ||
      !capture_keys(labels, *pattern, ignored).ok())
    return false;
  return ignored.count() == 0 && pair_up(images, labels);
}

// Suggests the folders of several annotators, masks/ann1 and masks/ann2, if each has all labels.
void add_folders_within(const Layout& layout, const FileList& images,
                        std::vector<Suggestion>& suggestions) {
  const Result<FolderContent> content = read_folder(layout.splits.front().labels);
  if (!content.ok()) return;
  for (const std::string& name : content->folders) {
    SplitFolders split = layout.splits.front();
    split.labels = path_below(split.labels, name);
    if (suggestions.size() < kMostSuggestions && pair_up(images, scanned(split.labels)))
      suggestions.push_back({"the labels in " + name, split_command(layout, split)});
  }
}

// The option for orphans, which remain if the numbers of images and labels differ.
std::string orphans_option(const FileList& images, const FileList& labels) {
  return images.files.size() == labels.files.size() ? "" : " --orphans skip";
}

// Keys without case and in one Unicode form, sorted; empty if two become equal.
std::vector<std::string> folded_keys(const FileList& list) {
  std::vector<std::string> keys;
  for (const FoundFile& file : list.files) keys.push_back(folded(list.key(file), {true, true}));
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) == keys.end() ? keys
                                                                    : std::vector<std::string>();
}

// Adds a suggestion for names that differ both in a suffix and in case or Unicode form, such as
// Süd_1 and süd_1_lbl.
void add_folded(const Layout& layout, const FileList& images, const FileList& labels,
                std::vector<Suggestion>& suggestions) {
  const std::vector<std::string> one = folded_keys(images), other = folded_keys(labels);
  const SortedNames shorter(one.begin(), one.end()), longer(other.begin(), other.end());
  for (const Affix& affix : likely_affixes(shorter, longer)) {
    const auto written = std::count_if(
        labels.files.begin(), labels.files.end(),
        [&](const FoundFile& label) { return has_suffix(labels.key(label), affix.text); });
    const std::uint64_t enough = labels.files.size() * kSurePercent;
    if (affix.in_front || static_cast<std::uint64_t>(written) * 100 < enough ||
        count_affixed(shorter, longer, affix) * 100 < enough)
      continue;
    suggestions.push_back(
        {"ignoring case, Unicode form and the suffix '" + affix.text + "' pairs their names",
         pack_command(layout, "--fold case,unicode " + value_option("--label-suffix", affix.text) +
                                  orphans_option(images, labels))});
    return;
  }
}

}  // namespace

std::vector<Suggestion> pairing_suggestions(const Layout& layout, const std::string& regex) {
  std::vector<Suggestion> suggestions;
  const auto split = std::find_if(layout.splits.begin(), layout.splits.end(),
                                  [](const SplitFolders& s) { return !s.labels.empty(); });
  if (layout.kind != Layout::Kind::folders || split == layout.splits.end()) return suggestions;
  const FileList images = scanned(split->images), labels = scanned(split->labels);
  if (!regex.empty())
    return {{"this command pairs their names",
             pack_command(layout, regex + orphans_option(images, labels))}};
  const std::string last_part(kLastPart);
  if (pair_up_by(last_part, images, labels))
    suggestions.push_back({"their names match without the folders",
                           pack_command(layout, regex_option(last_part, last_part))});
  else if (layout.splits.size() == 1)
    add_folders_within(layout, images, suggestions);
  if (suggestions.empty()) add_folded(layout, images, labels, suggestions);
  return suggestions;
}

}  // namespace hotpack::pipeline
