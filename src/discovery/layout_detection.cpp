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
#include "discovery/folder_pattern.hpp"
#include "discovery/layout_questions.hpp"
#include "discovery/layout_readings.hpp"
#include "discovery/sibling_folders.hpp"
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

std::string count_text(std::size_t count, const std::string& one, const std::string& many) {
  return count == 0 ? "no " + many : std::to_string(count) + " " + (count == 1 ? one : many);
}

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

bool holds_classes(const Found& found) {
  return std::all_of(found.readings.begin(), found.readings.end(), [](const Layout& layout) {
    return layout.kind == Layout::Kind::class_folders;
  });
}

Error too_many(const std::string& folder) {
  return data_error("the search for a data set ended here, after " + std::to_string(kMostFolders) +
                        " folders; give the folder of the data set itself, or name the folders of "
                        "the samples with --images and --labels, "
                        "--image-folders or --pairs",
                    folder);
}

// Returns the layouts of `folder` or, if it has none, those of the folders in it, up to `levels`
// deep. `seen` has the folders that were examined already; none is examined twice, and at most
// kMostFolders altogether.
Result<std::vector<Found>> find_layouts(const std::string& folder, const GivenSuffixes& given,
                                        int levels, std::set<std::string>& seen) {
  std::error_code failure;
  const std::string real = std::filesystem::canonical(folder, failure).string();
  if (seen.contains(real)) return std::vector<Found>();
  if (seen.size() >= kMostFolders) return too_many(folder);
  seen.insert(real);
  HOTPACK_ASSIGN(std::vector<Layout> readings, layout_readings(folder, given));
  std::vector<Found> found;
  if (!readings.empty()) found.push_back({folder, std::move(readings), false});
  if (!found.empty() || levels == 0) return found;
  HOTPACK_ASSIGN(const FolderContent content, read_folder(folder));
  for (const std::string& name : content.folders) {
    HOTPACK_ASSIGN(std::vector<Found> within,
                   find_layouts(path_below(folder, name), given, levels - 1, seen));
    std::move(within.begin(), within.end(), std::back_inserter(found));
  }
  if (has_image(content))
    for (Found& within : found) within.beside_images = true;
  if (!std::all_of(found.begin(), found.end(), holds_classes)) return found;
  HOTPACK_ASSIGN(readings, likely_class_folders(folder));
  if (readings.empty()) return found;
  return std::vector<Found>{{folder, std::move(readings), false}};
}

// ---- nothing found

class FileCount : public TreeVisitor {
 public:
  [[nodiscard]] bool needs_sizes() const override { return false; }
  bool file(const std::string& below, std::uint64_t) override {
    ++files;
    if (below.ends_with(".txt")) ++texts;
    return true;
  }
  std::size_t files = 0, texts = 0;
};

// Returns a text that says what is in the folder `name` inside `root`, if it has a name for labels
// but no images. Data sets for object detection keep boxes there, in text files.
std::string no_images_text(const std::string& root, const std::string& name) {
  FileCount count;
  const Status walked = walk_tree(path_below(root, name), count);
  if (!walked.ok() || count.files == 0) return "; " + quoted_text(name) + " holds no file";
  if (count.texts < count.files) return "; " + quoted_text(name) + " holds no PNG or JPEG";
  return "; " + quoted_text(name) + " holds " + count_text(count.texts, "text file", "text files") +
         " and no image (hotpack does not read labels in text files, such as the boxes of YOLO: "
         "labels must be images)";
}

// Describes the folder, and says whether its images or its labels are missing.
Result<std::string> content_text(const std::string& root, const FolderContent& content) {
  const auto image_files =
      std::count_if(content.files.begin(), content.files.end(), [](const std::string& name) {
        const FileKind kind = describe_name(name).kind;
        return kind == FileKind::image || kind == FileKind::unsupported;
      });
  std::string text = "it holds " +
                     count_text(static_cast<std::size_t>(image_files), "image", "images") +
                     " and " + count_text(content.folders.size(), "folder", "folders");
  if (!content.folders.empty()) text += " (" + quoted_list_text(content.folders, kMostNames) + ")";
  for (const std::string& name : content.folders) {
    HOTPACK_ASSIGN(const ImageFiles below, image_files_below(path_below(root, name)));
    if (below == ImageFiles::none && is_labels_word(name)) text += no_images_text(root, name);
    if (below == ImageFiles::none) continue;
    if (is_images_word(name)) text += "; no folder of labels belongs to " + quoted_text(name);
    if (is_labels_word(name)) text += "; no folder of images belongs to " + quoted_text(name);
  }
  return text;
}

class AnnotationSearch : public TreeVisitor {
 public:
  [[nodiscard]] bool needs_sizes() const override { return false; }
  bool file(const std::string& below, std::uint64_t) override {
    const FileName name = describe_name(below);
    if (name.kind != FileKind::annotation || below.ends_with(".csv")) return true;
    found = below;
    text = unsupported_text(name.format);
    return false;
  }
  std::string found, text;
};

constexpr std::string_view kLookedFor =
    "\nLooked for pairs of folders such as 'images' and 'labels' (or 'masks', 'annotations', …), "
    "'train' and 'train_labels', 'train/images' and 'train/labels', 'JPEGImages' and "
    "'SegmentationClass', 'leftImg8bit' and 'gtFine'; for labels next to their images ('x.jpg', "
    "'x_mask.png'); for class folders; for 'metadata.csv' or 'metadata.jsonl'.\nName the folders "
    "of the samples: ";

Error unknown_layout(const std::string& root) {
  HOTPACK_ASSIGN(const FolderContent content, read_folder(root));
  HOTPACK_ASSIGN(std::string text, content_text(root, content));
  AnnotationSearch annotations;
  HOTPACK_TRY(walk_tree(root, annotations));
  if (!annotations.found.empty())
    text += "; it holds " + quoted_text(annotations.found) + ", but " + annotations.text;
  HOTPACK_ASSIGN(const ImageFiles image_files, image_files_below(root));
  if (image_files == ImageFiles::none)
    return data_error("no image was found in this folder or below: " + text, root);
  HOTPACK_TRY(check_sibling_folders(root));
  const std::string alone = "--images " + (has_image(content) ? shell_path(root) : "DIR") +
                            " alone for images without labels";
  HOTPACK_ASSIGN(const std::vector<Suggestion> suggestions,
                 suggested_readings(root, content, text));
  return data_error("has no known layout: " + text + "." + std::string(kLookedFor) +
                        "--images DIR --labels DIR, " + alone +
                        ", --image-folders DIR for class folders, or --pairs FILE for a table" +
                        suggestions_text(suggestions),
                    root);
}

Error data_sets_within(const std::string& root, const std::vector<Found>& found) {
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const Found& one : found) names.push_back(one.folder);
  return data_error("has no layout of its own, but contains data sets; pack them one at a time: " +
                        quoted_list_text(names, kMostNames),
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
  return count_text(image_files, "image", "images") + " " + place;
}

// Warns of images next to the folders that are used.
Status warn_of_unused(Layout& layout, const std::string& given) {
  std::vector<std::string> unused;
  for (const std::string& parent : folders_around(layout, given)) {
    HOTPACK_ASSIGN(const FolderContent content, read_folder(parent));
    const std::uint64_t loose = is_taken(layout, parent) ? 0 : loose_images(content);
    if (loose > 0) unused.push_back(not_used_text(loose, "directly in " + quoted_text(parent)));
    for (const std::string& name : content.folders) {
      const std::string folder = path_below(parent, name);
      if (is_used(layout, folder)) continue;
      ImageCount count;
      HOTPACK_TRY(walk_tree(folder, count));
      if (count.image_files > 0)
        unused.push_back(
            not_used_text(count.image_files, "in " + quoted_text(layout.relative(folder))));
    }
  }
  if (!unused.empty())
    layout.warnings.push_back("not used, because they lie outside the folders of this layout: " +
                              list_text(unused, kMostNames) +
                              ". To pack these images, name their folders with --images");
  return {};
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
  std::set<std::string> seen;
  HOTPACK_ASSIGN(std::vector<Found> found, find_layouts(folder, given, kMostLevels, seen));
  if (found.empty()) return unknown_layout(folder);
  if (found.size() > 1 || found[0].beside_images) return data_sets_within(folder, found);
  if (found[0].readings.size() > 1) return ambiguous(found[0].folder, found[0].readings);
  Layout layout = std::move(found[0].readings[0]);
  HOTPACK_TRY(check_classes(layout, given));
  HOTPACK_TRY(check_level_of_classes(layout, folder));
  HOTPACK_TRY(warn_of_unused(layout, folder));
  return layout;
}

}  // namespace hotpack::pipeline
