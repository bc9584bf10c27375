#include "discovery/sibling_folders.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "discovery/folder_pattern.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/scan.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kSameNamesPercent = 90;

// A folder and its files. Cannot be moved: `names` are views of the text of `files`.
struct Side {
  explicit Side(std::string folder_name) : name(std::move(folder_name)) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  std::string name;
  FileList files;
  SortedNames names;
};

Status read_side(const std::string& folder, Side& side) {
  ProblemLog ignored;  // the code that packs the folder scans it again and reports them
  HOTPACK_ASSIGN(side.files, scan_images({{path_below(folder, side.name), ""}}, ignored));
  for (const FoundFile& file : side.files.files) side.names.push_back(side.files.key(file));
  std::sort(side.names.begin(), side.names.end());
  side.names.erase(std::unique(side.names.begin(), side.names.end()), side.names.end());
  return {};
}

Result<std::vector<std::string>> folders_with_images(const std::string& folder) {
  HOTPACK_ASSIGN(FolderContent content, read_folder(folder));
  std::vector<std::string> names;
  for (std::string& name : content.folders) {
    HOTPACK_ASSIGN(const ImageFiles image_files, image_files_below(path_below(folder, name)));
    if (image_files != ImageFiles::none) names.push_back(std::move(name));
  }
  return names;
}

// The affix that turns names of `shorter` into names of `longer`.
struct Match {
  const Side* shorter = nullptr;
  const Side* longer = nullptr;
  Affix affix;
  std::uint64_t pairs = 0;
};

void improve(const Side& shorter, const Side& longer, const Affix& affix, Match& best) {
  const std::uint64_t pairs = count_affixed(shorter.names, longer.names, affix);
  if (pairs > best.pairs) best = {&shorter, &longer, affix, pairs};
}

Match best_match(const Side& a, const Side& b) {
  Match best;
  improve(a, b, {}, best);
  for (const Affix& affix : likely_affixes(a.names, b.names)) improve(a, b, affix, best);
  for (const Affix& affix : likely_affixes(b.names, a.names)) improve(b, a, affix, best);
  return best;
}

// Returns a weight; of two folders, the one with the larger weight is more likely the folder of
// images. JPEG files are seldom labels, and images are usually larger files than labels.
std::pair<std::size_t, std::uint64_t> weight_as_images(const Side& side) {
  std::pair<std::size_t, std::uint64_t> weight;
  for (const FoundFile& file : side.files.files) {
    if (describe_name(side.files.text(file)).is_jpeg) ++weight.first;
    weight.second += file.bytes;
  }
  return weight;
}

// True if the images have the longer names.
bool images_have_affix(const Match& match) {
  static constexpr std::array<std::string_view, 6> kOfImages = {"img", "image", "sat",
                                                                "rgb", "photo", "leftImg8bit"};
  const auto is_in_affix = [&](std::string_view word) {
    return match.affix.text.find(word) != std::string::npos;
  };
  const bool longer_named = is_images_word(match.longer->name),
             shorter_named = is_images_word(match.shorter->name);
  if (longer_named != shorter_named) return longer_named;
  if (!match.affix.text.empty())
    return std::any_of(kOfImages.begin(), kOfImages.end(), is_in_affix);
  return weight_as_images(*match.longer) > weight_as_images(*match.shorter);
}

SiblingFolders siblings_of(const Match& match) {
  SiblingFolders siblings;
  siblings.affix = match.affix;
  siblings.on_images = images_have_affix(match);
  siblings.pairs = match.pairs;
  const auto with_affix = [&](std::string_view name) {
    return match.affix.in_front ? match.affix.text + std::string(name)
                                : std::string(name) + match.affix.text;
  };
  const auto first = std::find_if(
      match.shorter->names.begin(), match.shorter->names.end(), [&](std::string_view name) {
        return std::binary_search(match.longer->names.begin(), match.longer->names.end(),
                                  with_affix(name));
      });
  siblings.images = match.shorter->name, siblings.image_example = std::string(*first);
  siblings.labels = match.longer->name, siblings.label_example = with_affix(*first);
  if (siblings.on_images)
    std::swap(siblings.images, siblings.labels),
        std::swap(siblings.image_example, siblings.label_example);
  return siblings;
}

bool fits(const Match& match, const Side& a, const Side& b) {
  return match.pairs > 0 &&
         match.pairs * 100 >= std::min(a.names.size(), b.names.size()) * kSameNamesPercent;
}

// ---- images next to a folder of labels

// Names of the images directly in the folder, without extension, in byte order.
std::vector<std::string> stems_in(const FolderContent& content) {
  std::vector<std::string> stems;
  for (const std::string& file : content.files)
    if (const FileName name = describe_name(file); name.kind == FileKind::image)
      stems.push_back(file.substr(0, name.stem_length));
  std::sort(stems.begin(), stems.end());
  stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
  return stems;
}

// Returns the name of the folder inside `folder` that may contain the labels: its files have the
// names of the images directly in `folder`. Returns "" if there is no such folder, or several.
Result<std::string> labels_within(const std::string& folder) {
  HOTPACK_ASSIGN(const FolderContent content, read_folder(folder));
  const std::vector<std::string> images = stems_in(content);
  std::string found;
  for (const std::string& name : content.folders) {
    HOTPACK_ASSIGN(const FolderContent within, read_folder(path_below(folder, name)));
    const std::vector<std::string> labels = stems_in(within);
    std::vector<std::string> both;
    std::set_intersection(images.begin(), images.end(), labels.begin(), labels.end(),
                          std::back_inserter(both));
    if (both.empty() || both.size() * 100 < labels.size() * kSameNamesPercent) continue;
    if (!found.empty()) return std::string();
    found = name;
  }
  return found;
}

Result<std::optional<LabelFolders>> find_folders_within(const std::string& root,
                                                        const std::vector<std::string>& names) {
  LabelFolders found;
  found.within = true;
  std::string word;
  for (const std::string& name : names) {
    HOTPACK_ASSIGN(const std::string labels, labels_within(path_below(root, name)));
    if (labels.empty() || (!word.empty() && labels != word)) {
      found.alone.push_back(name);
    } else {
      word = labels;
      found.pairs.push_back({name, name, name + "/" + labels});
    }
  }
  if (found.pairs.size() < 2) return std::optional<LabelFolders>();
  return std::optional(std::move(found));
}

// ---- folders called like others, and labels

// A folder of labels may have the name of its folder of images, followed by a word for labels:
// "seqa_gt" for "seqa". Returns the name of the folder of images, or "" if `name` does not end with
// such a word.
std::string images_of(const std::string& name) {
  for (std::size_t end = name.find_first_of("_-. ", 1); end != std::string::npos;
       end = name.find_first_of("_-. ", end + 1))
    if (is_labels_word(std::string_view(name).substr(end + 1))) return name.substr(0, end);
  return {};
}

Result<std::optional<LabelFolders>> find_folders_beside(const std::string& root,
                                                        const std::vector<std::string>& names) {
  LabelFolders found;
  for (const std::string& name : names) {
    const std::string images = images_of(name);
    if (!images.empty() && std::binary_search(names.begin(), names.end(), images))
      found.pairs.push_back({images, images, name});
  }
  if (found.pairs.size() < 2) return std::optional<LabelFolders>();
  for (const std::string& name : names)
    if (std::none_of(found.pairs.begin(), found.pairs.end(), [&](const LabelFolders::Pair& pair) {
          return pair.images == name || pair.labels == name;
        }))
      found.alone.push_back(name);
  Side images(found.pairs.front().images), labels(found.pairs.front().labels);
  HOTPACK_TRY(read_side(root, images));
  HOTPACK_TRY(read_side(root, labels));
  const Match match = best_match(images, labels);
  if (!fits(match, images, labels)) return std::optional<LabelFolders>();
  found.affix = match.affix;
  found.on_images = !match.affix.text.empty() && match.longer == &images;
  return std::optional(std::move(found));
}

// Returns true if the folders `one` and `other` inside `root` both contain images and, next to the
// images, folders with the same names. The two folders are then classes.
Result<bool> are_alike_within(const std::string& root, const std::string& one,
                              const std::string& other) {
  HOTPACK_ASSIGN(const FolderContent first, read_folder(path_below(root, one)));
  HOTPACK_ASSIGN(const FolderContent second, read_folder(path_below(root, other)));
  const bool same =
      std::any_of(first.folders.begin(), first.folders.end(), [&](const std::string& name) {
        return std::find(second.folders.begin(), second.folders.end(), name) !=
               second.folders.end();
      });
  return same && !stems_in(first).empty() && !stems_in(second).empty();
}

}  // namespace

Result<std::optional<LabelFolders>> find_label_folders(const std::string& folder) {
  HOTPACK_ASSIGN(const std::vector<std::string> names, folders_with_images(folder));
  HOTPACK_ASSIGN(std::optional<LabelFolders> near, find_folders_beside(folder, names));
  return near ? near : find_folders_within(folder, names);
}

Result<std::optional<SiblingFolders>> find_sibling_folders(const std::string& folder) {
  HOTPACK_ASSIGN(const std::vector<std::string> names, folders_with_images(folder));
  if (names.size() != 2 || (usual_split_name(names[0]) && usual_split_name(names[1])))
    return std::optional<SiblingFolders>();
  HOTPACK_ASSIGN(const bool classes, are_alike_within(folder, names[0], names[1]));
  if (classes) return std::optional<SiblingFolders>();
  Side first(names[0]), second(names[1]);
  HOTPACK_TRY(read_side(folder, first));
  HOTPACK_TRY(read_side(folder, second));
  const Match match = best_match(first, second);
  if (!fits(match, first, second)) return std::optional<SiblingFolders>();
  return std::optional<SiblingFolders>(siblings_of(match));
}

}  // namespace hotpack::pipeline
