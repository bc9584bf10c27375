#include "discovery/layout_detection.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "discovery/folder_survey.hpp"
#include "discovery/layout_questions.hpp"
#include "discovery/layout_readings.hpp"
#include "discovery/pairings.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/listed_path.hpp"
#include "files/tree_walk.hpp"
#include "format/manifest.hpp"
#include "samples/layout_commands.hpp"

namespace hotpack::pipeline {

namespace {

constexpr int kMostLevels = 3;            // of folders around the data set, as in archives
constexpr std::size_t kMostFolders = 64;  // that are examined
constexpr std::size_t kMostNames = 8;     // of folders in a message

bool has_image(const FolderContent& content) {
  return std::any_of(content.files.begin(), content.files.end(), [](const std::string& name) {
    return describe_name(name).kind == FileKind::image;
  });
}

// A folder with its possible layouts.
struct Found {
  std::string folder;
  std::vector<Layout> readings;
  bool beside_images = false;  // next to images that belong to no layout
};

Error too_many(const std::string& folder) {
  return data_error("the search for a data set ended here, after " + std::to_string(kMostFolders) +
                        " folders; give the folder of the data set itself, or name the folders of "
                        "the samples with --images and --labels, "
                        "--image-folders or --pairs",
                    folder);
}

// The layouts of a folder or of the folders in it.
struct Search {
  std::vector<Found> found;
  std::set<std::string> seen;  // folders that were examined; none is examined twice
  bool complete = true;        // false if there are more folders than kMostFolders
};

// Adds the layouts of `folder` or, if it has none, those of the folders in it, up to `levels` deep.
Status find_layouts(const std::string& folder, const GivenSuffixes& given, int levels,
                    Search& search) {
  std::error_code failure;
  const std::string real = std::filesystem::canonical(folder, failure).string();
  if (search.seen.contains(real)) return {};
  if (search.seen.size() >= kMostFolders) return search.complete = false, Status();
  search.seen.insert(real);
  HOTPACK_ASSIGN(std::vector<Layout> readings, layout_readings(folder, given));
  const std::size_t before = search.found.size();
  if (!readings.empty()) search.found.push_back({folder, std::move(readings), false});
  if (search.found.size() > before || levels == 0) return {};
  HOTPACK_ASSIGN(const FolderContent content, read_folder(folder));
  for (const std::string& name : content.folders)
    HOTPACK_TRY(find_layouts(path_below(folder, name), given, levels - 1, search));
  if (has_image(content))
    for (std::size_t i = before; i < search.found.size(); ++i) search.found[i].beside_images = true;
  return {};
}

// Data sets in several folders, or next to images that belong to none.
Error data_sets_within(const std::string& root, const std::vector<Found>& found) {
  std::vector<std::string> names;
  bool together = true;
  for (const Found& one : found) {
    names.push_back(one.folder);
    together =
        together && one.readings.size() == 1 && one.readings[0].kind == Layout::Kind::one_folder;
  }
  HOTPACK_ASSIGN(const FolderSurvey survey, survey_folders(root));
  std::vector<Suggestion> suggestions;
  const std::string folder = shell_path(root);
  if (together) {
    suggestions.push_back(
        {"As one data set", whole_command("--images " + folder + " --labels " + folder)});
    const std::vector<std::string> files = survey.images_below("");
    if (std::any_of(files.begin(), files.end(),
                    [](const std::string& file) { return file.find("_mask_1") != file.npos; }))
      suggestions.push_back({"If an image may have several masks",
                             whole_command("--images " + folder + " --labels " +
                                           shell_path(path_below(root, "{key}_mask*")))});
  } else if (!found[0].beside_images) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : " ") + shell_path(name);
    suggestions.push_back({"As one data set", whole_command(all)});
  }
  suggestions.push_back({"One of them", whole_command(shell_path(names.front()))});
  return data_error("has no layout of its own, but contains " +
                        counted_text(found.size(), "data set") + ": " +
                        quoted_list_text(names, kMostNames) +
                        (found[0].beside_images ? ", next to images that belong to none" : "") +
                        ". It holds:" + survey.text() + suggestions_text(suggestions),
                    root);
}

// ---- what was left out

bool is_used(const Layout& layout, const std::string& folder) {
  const auto covers = [&](const std::string& used) {
    return used == folder || used.starts_with(folder + "/");
  };
  return covers(layout.root) ||
         std::any_of(layout.splits.begin(), layout.splits.end(), [&](const SplitFolders& split) {
           return covers(split.images) || covers(split.labels);
         });
}

// Returns the folders in which images may lie that the layout does not use: the parents of its
// folders of images and labels, its own folder, and the parents of that up to `given`.
std::set<std::string> folders_around(const Layout& layout, const std::string& given) {
  std::set<std::string> around{layout.root};
  for (std::string outer = layout.root; outer.size() > given.size();)
    around.insert(outer = folder_of(outer));
  for (const SplitFolders& split : layout.splits)
    for (const std::string& folder : {split.images, split.labels})
      if (!folder.empty() && folder != layout.root) around.insert(folder_of(folder));
  for (const SplitFolders& split : layout.splits) around.erase(split.images);
  return around;
}

// True if the images directly in the folder belong to a split.
bool is_taken(const Layout& layout, const std::string& folder) {
  const auto is_within = [&](const std::string& used) {
    return !used.empty() && (folder == used || folder.starts_with(used + "/"));
  };
  return std::any_of(layout.splits.begin(), layout.splits.end(), [&](const SplitFolders& split) {
    return is_within(split.images) || is_within(split.labels);
  });
}

class ImageCount : public TreeVisitor {
 public:
  [[nodiscard]] bool needs_sizes() const override { return false; }
  bool file(const std::string& below, std::uint64_t) override {
    const FileKind kind = describe_name(below).kind;
    if (kind == FileKind::image || kind == FileKind::unsupported) ++image_files;
    return true;
  }
  bool unusable(const Unusable& entry) override { return entry.is_folder || file(entry.below, 0); }
  std::uint64_t image_files = 0;
};

// Counts images directly in a folder.
std::uint64_t loose_images(const FolderContent& content) {
  return static_cast<std::uint64_t>(
      std::count_if(content.files.begin(), content.files.end(), [](const std::string& name) {
        const FileKind kind = describe_name(name).kind;
        return kind == FileKind::image || kind == FileKind::unsupported;
      }));
}

std::string not_used_text(std::uint64_t image_files, const std::string& place) {
  return counted_text(image_files, "image") + " " + place;
}

std::set<std::string> stems_of(const FolderSurvey& survey) {
  std::set<std::string> stems;
  for (const std::string& file : survey.images_below(""))
    stems.insert(file.substr(0, file.rfind('.')));
  return stems;
}

// True if `folder` may hold other labels of the images: no photographs, with the names of `labels`.
bool may_hold_labels(const std::string& folder, const std::string& labels) {
  const Result<FolderSurvey> survey = survey_folders(folder), other = survey_folders(labels);
  return survey.ok() && other.ok() && survey->has_images() &&
         look_at(folder, survey->images_below("")).photographs == 0 &&
         stems_of(*survey) == stems_of(*other);
}

// The layout with the labels in other folders of this name, in all splits that have one.
Layout with_labels(Layout layout, const std::string& name) {
  for (SplitFolders& split : layout.splits)
    if (const std::string other = path_below(folder_of(split.labels), name);
        !split.labels.empty() && is_folder(other))
      split.labels = other;
  return layout;
}

// Warns of images next to the folders that are used. Returns readings with other labels, if
// folders that are not used may hold these.
Result<std::vector<Layout>> check_unused(Layout& layout, const std::string& given) {
  std::vector<std::string> unused;
  std::vector<Layout> rivals;
  std::set<std::string> names;
  const bool pairs = layout.kind == Layout::Kind::folders && layout.usual;
  for (const std::string& parent : folders_around(layout, given)) {
    HOTPACK_ASSIGN(const FolderContent content, read_folder(parent));
    const std::uint64_t loose = is_taken(layout, parent) ? 0 : loose_images(content);
    if (loose > 0) unused.push_back(not_used_text(loose, "directly in " + quoted_text(parent)));
    for (const std::string& name : content.folders) {
      const std::string folder = path_below(parent, name);
      if (is_used(layout, folder)) continue;
      ImageCount count;
      HOTPACK_TRY(walk_tree(folder, count));
      if (count.image_files == 0) continue;
      unused.push_back(
          not_used_text(count.image_files, "in " + quoted_text(layout.relative(folder))));
      for (const SplitFolders& split : layout.splits)
        if (pairs && !split.labels.empty() && folder_of(split.labels) == parent &&
            !names.contains(name) && may_hold_labels(folder, split.labels))
          names.insert(name), rivals.push_back(with_labels(layout, name));
    }
  }
  if (!unused.empty())
    layout.warnings.push_back("not used, because they lie outside the folders of this layout: " +
                              list_text(unused, kMostNames) +
                              ". To pack these images, name their folders with --images");
  return rivals;
}

Status check_root(const std::string& root) {
  if (is_regular_file(root))
    return usage_error(root +
                       " is a file, expected the folder of a data set; give a table of images and "
                       "labels with --pairs, a plan with --plan");
  HOTPACK_TRY(read_folder(root));
  if (is_regular_file(path_below(root, format::kManifestName)))
    return usage_error(root + " is a packed data set, expected a folder of images");
  return {};
}

}  // namespace

Result<Layout> detect_layout(const std::string& root, const GivenSuffixes& given) {
  std::string folder = root;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  HOTPACK_TRY(check_root(folder));
  Search search;
  HOTPACK_TRY(find_layouts(folder, given, kMostLevels, search));
  std::vector<Found>& found = search.found;
  if (found.empty()) return unknown_layout(folder);
  if (!search.complete) return too_many(folder);
  if (found.size() > 1 || found[0].beside_images) return data_sets_within(folder, found);
  if (found[0].readings.size() > 1) return ambiguous(found[0].folder, found[0].readings);
  Layout layout = std::move(found[0].readings[0]);
  if (layout.kind == Layout::Kind::one_folder && layout.root != folder) {
    HOTPACK_ASSIGN(const FolderSurvey survey, survey_folders(folder));
    if (find_pairings(survey).folders.contains("")) return unknown_layout(folder);
  }
  HOTPACK_ASSIGN(std::vector<Layout> readings, check_unused(layout, folder));
  if (readings.empty()) return layout;
  readings.insert(readings.begin(), layout);
  return ambiguous(layout.root, readings);
}

}  // namespace hotpack::pipeline
