#include "pipeline/layout_readings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/try.hpp"
#include "pipeline/file_kind.hpp"
#include "pipeline/folder_pattern.hpp"
#include "pipeline/key_text.hpp"
#include "pipeline/pair_table.hpp"
#include "pipeline/scan.hpp"
#include "pipeline/text_lines.hpp"
#include "pipeline/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

using Layouts = std::vector<Layout>;
using Kind = Layout::Kind;

// Images and labels in folders of their own. `lists` are folders where lists of samples may be, likeliest first.
struct PairPattern {
  std::string_view name;
  FolderPattern images, labels;
  std::vector<std::string> lists = {};
};

const std::vector<PairPattern>& known_data_sets() {
  static const std::vector<PairPattern> patterns = [] {
    const std::vector<std::string> voc{"ImageSets/Segmentation", "ImageSets"};
    const auto row = [](std::string_view name, std::string_view images, std::string_view labels, std::vector<std::string> lists = {}) {
      return PairPattern{name, FolderPattern(images), FolderPattern(labels), std::move(lists)};
    };
    return std::vector<PairPattern>{
        row("Pascal VOC", "JPEGImages", "SegmentationClass", voc),
        row("Pascal VOC", "JPEGImages", "SegmentationClassPNG", voc),
        row("Pascal VOC", "JPEGImages", "SegmentationClassAug", voc),
        row("Pascal Context", "JPEGImages", "SegmentationClassContext", {"ImageSets/SegmentationContext", "ImageSets/Segmentation"}),
        row("Cityscapes", "leftImg8bit/{split}", "gtFine/{split}"),
        row("Cityscapes", "leftImg8bit/{split}", "gtCoarse/{split}"),
        row("Cityscapes", "leftImg8bit/{split}", "gtCoarse_daytime_trainvaltest/{split}"),
        row("Dark Zurich", "rgb_anon/{split}", "gt/{split}"),
        row("BDD100K", "images/10k/{split}", "labels/sem_seg/masks/{split}"),
        row("Mapillary Vistas", "{split}/images", "{split}/v1.2/labels"),
        row("Mapillary Vistas", "{split}/images", "{split}/v2.0/labels"),
        row("Mapillary Vistas", "images", "v1.2"),
        row("Mapillary Vistas", "images", "v2.0"),
        row("Oxford-IIIT Pet", "images", "annotations/trimaps", {"annotations"}),
        row("CamVid", "701_StillsRaw_full", "LabeledApproved_full"),
    };
  }();
  return patterns;
}

const std::vector<PairPattern>& usual_names_with_splits() {
  static const std::vector<PairPattern> patterns{
      {"folders of images and of labels, each divided into splits", FolderPattern("{images}/{split}"), FolderPattern("{labels}/{split}")},
      {"splits, each with a folder of images and one of labels", FolderPattern("{split}/{images}"), FolderPattern("{split}/{labels}")},
      {"splits, each beside a folder of its labels", FolderPattern("{split}"), FolderPattern("{split}{-}{labels}")},
      {"a folder of images and one of labels for each split", FolderPattern("{split}{-}{images}"), FolderPattern("{split}{-}{labels}")},
      {"a folder of images and one of labels for each split", FolderPattern("{images}{-}{split}"), FolderPattern("{labels}{-}{split}")},
  };
  return patterns;
}

const std::vector<PairPattern>& usual_names() {
  static const std::vector<PairPattern> patterns{
      {"a folder of images and one of labels",
       FolderPattern("{images}"),
       FolderPattern("{labels}"),
       {"splits", "split", "ImageSets/Segmentation", "ImageSets", "lists", "."}},
  };
  return patterns;
}

void sort_splits(Layout& layout) {
  std::sort(layout.splits.begin(), layout.splits.end(), [](const SplitFolders& a, const SplitFolders& b) { return a.name < b.name; });
}

// ---- images and labels in folders of their own

std::set<std::string> words_of(const std::vector<FoundFolder>& folders) {
  std::set<std::string> words;
  for (const FoundFolder& folder : folders) words.insert(lowered(folder.word));
  return words;
}

// The labels' folder of a split among those of one word; empty where there is none with pictures, of which `most` says what kind.
Result<std::string> labels_of(const FoundFolder& images, const std::vector<FoundFolder>& labels, const std::string& word, Pictures& most) {
  for (const FoundFolder& folder : labels) {
    if (lowered(folder.word) != word || lowered(folder.split) != lowered(images.split) || folder.path == images.path) continue;
    HOTPACK_ASSIGN(const Pictures pictures, pictures_below(folder.path));
    most = std::max(most, pictures);
    if (pictures != Pictures::none) return folder.path;
  }
  return std::string();
}

struct PairReading {
  Layout layout;
  Pictures labels = Pictures::none;  // the best kind that any split has
};

// The reading of a pattern by one word for images and one for labels.
Result<PairReading> pair_reading(const std::vector<FoundFolder>& images, const std::string& images_word,
                                 const std::vector<FoundFolder>& labels, const std::string& labels_word) {
  PairReading reading;
  for (const FoundFolder& folder : images) {
    if (lowered(folder.word) != images_word) continue;
    HOTPACK_ASSIGN(const Pictures pictures, pictures_below(folder.path));
    if (pictures == Pictures::none) continue;
    HOTPACK_ASSIGN(std::string labels_folder, labels_of(folder, labels, labels_word, reading.labels));
    reading.layout.splits.push_back({folder.split, folder.path, std::move(labels_folder), ""});
  }
  sort_splits(reading.layout);
  return reading;
}

Status add_pair_readings(const std::string& root, const PairPattern& pattern, std::vector<PairReading>& readings) {
  HOTPACK_ASSIGN(const std::vector<FoundFolder> images, pattern.images.find(root));
  if (images.empty()) return {};
  HOTPACK_ASSIGN(const std::vector<FoundFolder> labels, pattern.labels.find(root));
  for (const std::string& images_word : words_of(images))
    for (const std::string& labels_word : words_of(labels)) {
      HOTPACK_ASSIGN(PairReading reading, pair_reading(images, images_word, labels, labels_word));
      if (reading.labels == Pictures::none) continue;
      reading.layout.name = pattern.name;
      reading.layout.root = root;
      readings.push_back(std::move(reading));
    }
  return {};
}

// ---- lists of samples

// Files train.txt, val.txt, … of a folder, by the names of their splits. Lists of several splits together are left out where there are
// others.
Result<std::vector<std::pair<std::string, std::string>>> split_lists(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> lists;
  if (!is_folder(folder)) return lists;
  HOTPACK_ASSIGN(const FolderContent content, read_folder(folder));
  for (const std::string& file : content.files)
    if (file.ends_with(".txt") && usual_split_name(std::string_view(file).substr(0, file.size() - 4)))
      lists.emplace_back(file.substr(0, file.size() - 4), path_below(folder, file));
  const auto is_joint = [](const auto& list) { return lowered(list.first).starts_with("trainval"); };
  const auto is_part = [](const auto& list) { return lowered(list.first) == "train" || lowered(list.first) == "val"; };
  if (std::any_of(lists.begin(), lists.end(), is_part)) std::erase_if(lists, is_joint);
  return lists;
}

// One set of samples becomes those of the lists.
Status add_lists(Layout& layout, const std::vector<std::string>& places) {
  if (layout.splits.size() != 1 || !layout.splits[0].name.empty()) return {};
  const SplitFolders all = layout.splits[0];
  for (const std::string& place : places) {
    const std::string folder = place == "." ? layout.root : path_below(layout.root, place);
    HOTPACK_ASSIGN(const auto lists, split_lists(folder));
    if (lists.empty()) continue;
    layout.splits.clear();
    for (const auto& [name, file] : lists) layout.splits.push_back({name, all.images, all.labels, file});
    sort_splits(layout);
    return {};
  }
  return {};
}

// Readings whose labels can be read win over others; the same folders found in two ways are one reading.
Layouts best_of(std::vector<PairReading> readings) {
  Pictures best = Pictures::none;
  for (const PairReading& reading : readings) best = std::max(best, reading.labels);
  Layouts layouts;
  for (PairReading& reading : readings) {
    const auto is_same = [&](const Layout& other) {
      return std::equal(other.splits.begin(), other.splits.end(), reading.layout.splits.begin(), reading.layout.splits.end(),
                        [](const SplitFolders& a, const SplitFolders& b) { return a.images == b.images && a.labels == b.labels; });
    };
    if (reading.labels == best && std::none_of(layouts.begin(), layouts.end(), is_same)) layouts.push_back(std::move(reading.layout));
  }
  return layouts;
}

Result<Layouts> pair_readings(const std::string& root, const std::vector<PairPattern>& patterns) {
  std::vector<PairReading> readings;
  for (const PairPattern& pattern : patterns) {
    const std::size_t before = readings.size();
    HOTPACK_TRY(add_pair_readings(root, pattern, readings));
    for (std::size_t i = before; i < readings.size(); ++i) HOTPACK_TRY(add_lists(readings[i].layout, pattern.lists));
  }
  return best_of(std::move(readings));
}

// ---- tables

// metadata.jsonl or metadata.csv of a folder, if it names files; empty otherwise.
Result<std::string> metadata_of(const std::string& folder) {
  for (const std::string_view name : {"metadata.jsonl", "metadata.csv"}) {
    const std::string path = path_below(folder, name);
    if (!is_regular_file(path)) continue;
    HOTPACK_ASSIGN(const std::string text, read_list_text(path));
    const std::optional<TextLine> first = TextLines(text).next();
    if (first && first->text.substr(0, 4096).find("file_name") != std::string_view::npos) return path;
  }
  return std::string();
}

Result<Layouts> table_readings(const std::string& root) {
  Layout layout;
  layout.kind = Kind::tables;
  layout.name = "folders with a table of their files";
  layout.root = root;
  HOTPACK_ASSIGN(const std::string all, metadata_of(root));
  if (!all.empty()) {
    layout.splits.push_back({"", root, root, all});
    return Layouts{layout};
  }
  HOTPACK_ASSIGN(const std::vector<FoundFolder> splits, FolderPattern("{split}").find(root));
  for (const FoundFolder& split : splits) {
    HOTPACK_ASSIGN(const std::string table, metadata_of(split.path));
    if (!table.empty()) layout.splits.push_back({split.split, split.path, split.path, table});
  }
  sort_splits(layout);
  return layout.splits.empty() ? Layouts{} : Layouts{layout};
}

// ---- what a folder holds

struct FolderLook {
  bool pictures = false;             // of its own
  std::vector<std::string> folders;  // with pictures in them or below
};

Result<FolderLook> look_at(const std::string& folder) {
  HOTPACK_ASSIGN(FolderContent content, read_folder(folder));
  FolderLook look;
  look.pictures = std::any_of(content.files.begin(), content.files.end(), [](const std::string& name) {
    const FileKind kind = describe_name(name).kind;
    return kind == FileKind::picture || kind == FileKind::unsupported;
  });
  for (std::string& name : content.folders) {
    HOTPACK_ASSIGN(const Pictures pictures, pictures_below(path_below(folder, name)));
    if (pictures != Pictures::none) look.folders.push_back(std::move(name));
  }
  return look;
}

// ---- labels beside their images

Result<bool> holds_pairs(const std::vector<SplitFolders>& splits, const SuffixWishes& wishes) {
  std::vector<FileSet> sets;
  bool possible = !wishes.label.empty();
  for (const SplitFolders& split : splits) {
    ProblemLog ignored;  // gather() scans again, and tells
    FileSet set;
    HOTPACK_ASSIGN(set.images, scan_pictures({{split.images, ""}}, ignored));
    set.labels = set.images;
    set.labelled = set.one_folder = true;
    possible = possible || may_hold_labels(set.images);
    sets.push_back(std::move(set));
  }
  if (!possible) return false;
  const Result<SuffixChoice> choice = choose_suffixes(sets, wishes);
  return !choice.ok() || choice->fits;  // an error says that several kinds of label fit
}

Result<Layouts> one_folder_readings(const std::string& root, const FolderLook& look, const SuffixWishes& wishes) {
  Layout layout;
  layout.kind = Kind::one_folder;
  layout.name = "labels beside their images";
  layout.root = root;
  if (look.pictures) layout.splits.push_back({"", root, root, ""});
  for (const std::string& name : look.folders) {
    if (look.pictures || !usual_split_name(name)) continue;
    const std::string path = path_below(root, name);
    HOTPACK_ASSIGN(const FolderLook within, look_at(path));
    if (within.pictures) layout.splits.push_back({name, path, path, ""});
  }
  if (layout.splits.empty()) return Layouts{};
  HOTPACK_ASSIGN(const bool pairs, holds_pairs(layout.splits, wishes));
  return pairs ? Layouts{layout} : Layouts{};
}

// ---- class folders

// Whether the folders here are classes: several, each with pictures of its own (or none at all), none called like a part of a data set.
Result<bool> holds_classes(const std::string& root, const FolderLook& look) {
  if (look.pictures || look.folders.size() < 2) return false;
  for (const std::string& name : look.folders) {
    if (usual_split_name(name) || is_images_word(name) || is_labels_word(name)) return false;
    HOTPACK_ASSIGN(const FolderLook within, look_at(path_below(root, name)));
    if (!within.pictures) return false;
  }
  return true;
}

Result<Layouts> class_folder_readings(const std::string& root, const FolderLook& look) {
  Layout layout;
  layout.kind = Kind::class_folders;
  layout.name = "class folders";
  layout.root = root;
  HOTPACK_ASSIGN(const bool classes, holds_classes(root, look));
  if (classes) layout.splits.push_back({"", root, root, ""});
  bool labelled = classes;
  for (const std::string& name : look.folders) {
    if (classes || !usual_split_name(name)) continue;
    const std::string path = path_below(root, name);
    HOTPACK_ASSIGN(const FolderLook within, look_at(path));
    HOTPACK_ASSIGN(const bool classes_within, holds_classes(path, within));
    if (classes_within || within.pictures) layout.splits.push_back({name, path, classes_within ? path : "", ""});
    labelled = labelled || classes_within;
  }
  return labelled ? Layouts{layout} : Layouts{};
}

}  // namespace

Result<std::vector<Layout>> layout_readings(const std::string& folder, const SuffixWishes& wishes) {
  HOTPACK_ASSIGN(Layouts readings, table_readings(folder));
  for (const auto* patterns : {&known_data_sets(), &usual_names_with_splits(), &usual_names()}) {
    if (!readings.empty()) return readings;
    HOTPACK_ASSIGN(readings, pair_readings(folder, *patterns));
  }
  if (!readings.empty()) return readings;
  HOTPACK_ASSIGN(const FolderLook look, look_at(folder));
  HOTPACK_ASSIGN(readings, one_folder_readings(folder, look, wishes));
  if (!readings.empty()) return readings;
  return class_folder_readings(folder, look);
}

}  // namespace hotpack::pipeline
