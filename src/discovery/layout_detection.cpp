#include "discovery/layout_detection.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "discovery/folder_survey.hpp"
#include "discovery/layout_pattern.hpp"
#include "discovery/layout_questions.hpp"
#include "discovery/layout_readings.hpp"
#include "discovery/pairings.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/file_set.hpp"
#include "files/listed_path.hpp"
#include "files/scan.hpp"
#include "files/tree_walk.hpp"
#include "format/manifest.hpp"
#include "samples/layout_commands.hpp"
#include "samples/suffix_rules.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

namespace {

constexpr int kMostLevels = 3;            // of folders around the data set, as in archives
constexpr std::size_t kMostFolders = 64;  // that are examined
constexpr std::size_t kMostNames = 8;     // of folders in a message

// A folder with its possible layouts.
struct Found {
  std::string folder;  // below the root
  std::vector<Layout> readings;
  bool beside_images = false;  // next to images that belong to no layout
};

Error too_many(const std::string& root) {
  return data_error("the search for a data set ended here, after " + std::to_string(kMostFolders) +
                        " folders; give the folder of the data set itself, or name the folders of "
                        "the samples with --images and --labels, "
                        "--image-folders or --pairs",
                    root);
}

// Searches for layouts in a folder or, if it has none, in the folders in it.
class Search {
 public:
  Search(const FolderSurvey& survey, const GivenSuffixes& given) : survey_(survey), given_(given) {}

  Status find(const std::string& folder, int levels) {
    std::error_code failure;
    const std::string real = std::filesystem::canonical(survey_.path(folder), failure).string();
    if (seen_.contains(real)) return {};
    if (seen_.size() >= kMostFolders) return complete = false, Status();
    seen_.insert(real);
    HOTPACK_ASSIGN(std::vector<Layout> readings, layout_readings(survey_, folder, given_));
    if (!readings.empty()) return found.push_back({folder, std::move(readings), false}), Status();
    if (levels == 0) return {};
    const std::size_t before = found.size();
    for (const std::string& name : survey_.at(folder).folders)
      HOTPACK_TRY(find(joined(folder, name), levels - 1));
    if (!survey_.at(folder).images.empty())
      for (std::size_t i = before; i < found.size(); ++i) found[i].beside_images = true;
    return {};
  }

  std::vector<Found> found;
  bool complete = true;  // false if there are more folders than kMostFolders

 private:
  const FolderSurvey& survey_;
  const GivenSuffixes& given_;
  std::set<std::string> seen_;  // folders that were examined; none is examined twice
};

// True if one suffix pairs the files of all folders, each of which holds images and labels.
Result<bool> have_one_rule(const std::string& root) {
  ProblemLog ignored;
  FileSet set;
  HOTPACK_ASSIGN(set.images, scan_images({{root, ""}}, ignored));
  set.labels = set.images;
  set.labeled = set.one_folder = true;
  return choose_suffixes(std::span(&set, 1), {}).fits;
}

// Data sets in several folders, or next to images that belong to none.
Error data_sets_within(const FolderSurvey& survey, const std::vector<Found>& found) {
  std::vector<std::string> names;
  std::string all;
  bool together = true;
  const std::string left_out = survey.left_out_text([&](const std::string& file) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Found& one) { return is_within(file, one.folder); });
  });
  for (const Found& one : found) {
    names.push_back(survey.path(one.folder));
    all += (all.empty() ? "" : " ") + shell_path(names.back());
    together =
        together && one.readings.size() == 1 && one.readings[0].kind == Layout::Kind::one_folder;
  }
  std::vector<Suggestion> suggestions;
  const std::string folder = shell_path(survey.root);
  if (together) {
    HOTPACK_ASSIGN(const bool one_rule, have_one_rule(survey.root));
    if (one_rule)
      suggestions.push_back(
          {"As one data set", whole_command("--images " + folder + " --labels " + folder)});
    const std::vector<std::string> files = survey.images_below("");
    if (std::any_of(files.begin(), files.end(),
                    [](const std::string& file) { return file.find("_mask_1") != file.npos; }))
      suggestions.push_back({"If an image may have several masks",
                             whole_command("--images " + folder + " --labels " +
                                           shell_path(path_below(survey.root, "{key}_mask*")))});
  } else if (!found[0].beside_images) {
    suggestions.push_back({"As one data set" + left_out, whole_command(all)});
  }
  suggestions.push_back({"One of them", whole_command(shell_path(names.front()))});
  return data_error("has no layout of its own, but contains " +
                        counted_text(found.size(), "data set") + ": " +
                        quoted_list_text(names, kMostNames) +
                        (found[0].beside_images ? ", next to images that belong to none" : "") +
                        ". It holds:" + survey.text() + suggestions_text(suggestions),
                    survey.root);
}

// ---- what was left out

std::string parent_of(const std::string& folder) {
  return folder.substr(0, folder.rfind('/') == folder.npos ? 0 : folder.rfind('/'));
}

// Warns of images next to the folders that a layout uses, and finds other labels among them.
class Unused {
 public:
  Unused(const FolderSurvey& survey, Layout& layout) : survey_(survey), layout_(layout) {
    for (const SplitFolders& split : layout.splits)
      for (const std::string& folder : {split.images, split.labels})
        if (!folder.empty()) used_.insert(survey.below(folder));
  }

  // Returns readings with other labels, if folders that are not used may hold these.
  std::vector<Layout> check() {
    std::vector<std::string> unused;
    std::vector<Layout> rivals;
    std::set<std::string> names;
    const bool pairs = layout_.kind == Layout::Kind::folders && layout_.usual;
    for (const std::string& parent : parents()) {
      bool of_images = false, images_named = false, of_labels = false;
      if (const std::uint64_t loose = is_in_split(parent) ? 0 : survey_.at(parent).image_files())
        unused.push_back(counted_text(loose, "image") + " directly in " +
                         quoted_text(survey_.path(parent)));
      for (const std::string& name : survey_.at(parent).folders) {
        const std::string folder = joined(parent, name);
        const std::uint64_t images = leads_to_split(folder) ? 0 : survey_.count_images(folder);
        if (images == 0) continue;
        unused.push_back(counted_text(images, "image") + " in " +
                         quoted_text(layout_.relative(survey_.path(folder))));
        if (!pairs) continue;
        const bool photographs = shows_photographs(folder);
        const bool named = has_word(name, is_labels_word);
        of_images = of_images || (photographs && !named);
        of_labels = of_labels || named;
        images_named = images_named || (photographs && has_word(name, is_images_word));
        for (const SplitFolders& split : layout_.splits) {
          const bool next_to_labels = folder_of(split.labels) == survey_.path(parent);
          if (photographs || !fits(folder, split)) continue;
          if (split.labels.empty() || !next_to_labels)
            unclear = unclear || split.labels.empty();
          else if (names.insert(name).second)
            add_rival(name, rivals);
        }
      }
      unclear = unclear || (of_images && of_labels) || (images_named && !rivals.empty());
    }
    if (!unused.empty())
      layout_.warnings.push_back("not used, because they lie outside the folders of this layout: " +
                                 list_text(unused, kMostNames) +
                                 ". To pack these images, name their folders with --images");
    return rivals;
  }

  bool unclear = false;  // unused folders may hold labels of a split without them, or further pairs

 private:
  // The folders in which images may lie that the layout does not use: the parents of its folders of
  // images and labels, its own folder, and the parents of that.
  [[nodiscard]] std::set<std::string> parents() const {
    const std::string own = survey_.below(layout_.root);
    std::set<std::string> found{own, ""};
    for (std::string outer = own; !outer.empty(); outer = parent_of(outer)) found.insert(outer);
    for (const std::string& folder : used_)
      if (folder != own) found.insert(parent_of(folder));
    for (const SplitFolders& split : layout_.splits) found.erase(survey_.below(split.images));
    return found;
  }

  [[nodiscard]] bool is_in_split(const std::string& folder) const {
    return std::any_of(used_.begin(), used_.end(),
                       [&](const std::string& used) { return is_within(folder, used); });
  }
  [[nodiscard]] bool leads_to_split(const std::string& folder) const {
    return is_within(survey_.below(layout_.root), folder) ||
           std::any_of(used_.begin(), used_.end(),
                       [&](const std::string& used) { return is_within(used, folder); });
  }

  // The names of the images in a folder, without extension.
  [[nodiscard]] std::set<std::string> stems_in(const std::string& folder) const {
    std::set<std::string> stems;
    for (const std::string& file : survey_.images_below(folder))
      stems.insert(file.substr(folder.size(), file.rfind('.') - folder.size()));
    return stems;
  }

  [[nodiscard]] bool shows_photographs(const std::string& folder) const {
    return look_at(survey_.root, survey_.images_below(folder)).photographs > 0;
  }

  // True if `folder` holds files with the names of the split's labels, or of its images if it has
  // no labels.
  [[nodiscard]] bool fits(const std::string& folder, const SplitFolders& split) const {
    return survey_.kind_of(folder) == ImageFiles::readable &&
           stems_in(folder) ==
               stems_in(survey_.below(split.labels.empty() ? split.images : split.labels));
  }

  // Adds the layout with the labels in other folders of this name, in all splits that have one. If
  // there is one folder for several splits, it holds the labels of the split that its name names.
  void add_rival(const std::string& name, std::vector<Layout>& rivals) {
    Layout other = layout_;
    std::set<std::string> labels;
    const std::string named = split_in(name);
    for (SplitFolders& split : other.splits) {
      const std::string folder = path_below(folder_of(split.labels), name);
      if (!split.labels.empty() && survey_.folders.contains(survey_.below(folder)) &&
          (named.empty() || named == lowered(split.name)))
        split.labels = folder;
      unclear = unclear || (!split.labels.empty() && !labels.insert(split.labels).second);
    }
    rivals.push_back(std::move(other));
  }

  const FolderSurvey& survey_;
  Layout& layout_;
  std::set<std::string> used_;  // of splits
};

Status check_root(const std::string& root) {
  if (is_regular_file(root))
    return usage_error(root +
                       " is a file, expected the folder of a data set; give a table of images and "
                       "labels with --pairs, a plan with --plan");
  if (is_regular_file(path_below(root, format::kManifestName)))
    return usage_error(root + " is a packed data set, expected a folder of images");
  return {};
}

}  // namespace

Result<Layout> detect_layout(const std::string& root, const GivenSuffixes& given) {
  std::string folder = root;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  HOTPACK_TRY(check_root(folder));
  HOTPACK_ASSIGN(const FolderSurvey survey, survey_folders(folder));
  Search search(survey, given);
  HOTPACK_TRY(search.find("", kMostLevels));
  const std::vector<Found>& found = search.found;
  if (found.empty()) return unknown_layout(survey);
  if (!search.complete) return too_many(folder);
  if (found.size() > 1 || found[0].beside_images) return data_sets_within(survey, found);
  if (found[0].readings.size() > 1) return ambiguous(survey, found[0].readings);
  Layout layout = found[0].readings[0];
  if (layout.kind == Layout::Kind::one_folder && layout.root != folder &&
      find_pairings(survey).folders.contains(""))
    return unknown_layout(survey);
  Unused unused(survey, layout);
  std::vector<Layout> readings = unused.check();
  if (unused.unclear) return unknown_layout(survey);
  if (readings.empty()) return layout;
  readings.insert(readings.begin(), layout);
  return ambiguous(survey, readings);
}

}  // namespace hotpack::pipeline
