#include "inputs/file_steps.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "inputs/list_file.hpp"
#include "inputs/path_pattern.hpp"
#include "inputs/split.hpp"
#include "labels/presets.hpp"

namespace hotpack::pipeline {

namespace {

// Files without a key are orphans.
void drop_orphans(FileList& list, ProblemKind kind, const std::string& why, ProblemLog& problems) {
  for (const FoundFile& file : list.files)
    if (file.key_length == 0) problems.add({kind, list.path(file), why});
  drop_keyless(list);
}

// Images and labels in one folder: files without a key here that the other side's expression matches are dropped.
Status drop_other_side(FileList& list, const PathPattern& other) {
  std::vector<FoundFile> kept;
  for (const FoundFile& file : list.files) {
    HOTPACK_ASSIGN(const std::optional<std::string_view> found, other.find(list.below(file)));
    if (file.key_length > 0 || !found) kept.push_back(file);
  }
  list.files = std::move(kept);
  return {};
}

Status capture_all(std::vector<FileSet>& sets, const InputOptions& input, ProblemLog& problems) {
  HOTPACK_ASSIGN(const PathPattern images, PathPattern::compile(input.image_regex, "--pair-regex"));
  HOTPACK_ASSIGN(const PathPattern labels, PathPattern::compile(input.label_regex, "--pair-regex"));
  for (FileSet& set : sets) {
    HOTPACK_TRY(capture_keys(set.images, images, problems));
    HOTPACK_TRY(capture_keys(set.labels, labels, problems));
    if (set.one_folder) {
      HOTPACK_TRY(drop_other_side(set.images, labels));
      drop_keyless(set.labels);  // reported once, as images
    }
    drop_orphans(set.images, ProblemKind::orphan_image, "--pair-regex '" + input.image_regex + "' does not match its path", problems);
    drop_orphans(set.labels, ProblemKind::orphan_label, "--pair-regex '" + input.label_regex + "' does not match its path", problems);
  }
  return {};
}

Status key_all_masks(std::vector<FileSet>& sets, const InputOptions& input, ProblemLog& problems) {
  HOTPACK_ASSIGN(const MaskPattern pattern, MaskPattern::parse(input.mask_per_class));
  for (FileSet& set : sets) {
    const std::uint64_t other_files = set.images.other_files;
    if (set.one_folder && input.image_suffix.empty()) HOTPACK_TRY(part_masks(set.images, set.labels, pattern));
    if (set.one_folder && !input.image_suffix.empty()) drop_suffix(set.labels, input.image_suffix);
    if (set.one_folder && set.labels.files.empty() && !set.images.files.empty())
      return data_error("no file fits the pattern '" + input.mask_per_class +
                            "' of --mask-per-class, with the key of another file as {key}; " + "the first file is " +
                            set.images.path(set.images.files.front()),
                        set.images.roots.front().folder);
    strip_suffix(set.images, input.image_suffix);
    // Both lists held all files: what is no image is a mask, or told as an orphan.
    if (set.one_folder) set.images.other_files = other_files, set.labels.other_files = 0;
    sort_by_key(set.images);
    key_masks(set.labels, set.images, pattern);
    drop_orphans(set.labels, ProblemKind::orphan_label,
                 "its path does not fit the pattern '" + input.mask_per_class + "' of --mask-per-class", problems);
  }
  return {};
}

Result<SuffixChoice> strip_all(std::vector<FileSet>& sets, const SuffixWishes& wishes, ProblemLog& problems) {
  std::vector<FileSet> labelled;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (sets[i].labelled) labelled.push_back(std::move(sets[i])), places.push_back(i);
  SuffixChoice choice;
  choice.rule.image = wishes.image;
  if (!labelled.empty()) {
    HOTPACK_ASSIGN(choice, choose_suffixes(labelled, wishes));
  }
  for (std::size_t i = 0; i < places.size(); ++i) sets[places[i]] = std::move(labelled[i]);
  const bool together = std::any_of(sets.begin(), sets.end(), [](const FileSet& set) { return set.one_folder; });
  if (together && !choice.fits && !wishes.label.empty())
    return data_error("holds images and labels together, but no label whose name ends with '" + wishes.label +
                          "' next to an image of the same name; look at --label-suffix again, or write --pair-regex",
                      sets.front().images.roots.front().folder);
  if (together && !choice.fits)
    return data_error(
        "holds images and labels together, and nothing that is known tells them apart; say how the names of labels end with "
        "--label-suffix, or write --pair-regex",
        sets.front().images.roots.front().folder);
  for (FileSet& set : sets) apply_suffixes(set, choice.rule, wishes, problems);
  return choice;
}

// For each image the list that names it, or kNoPart.
class ListAssignment {
 public:
  ListAssignment(const FileList& images, const std::vector<ListPart>& lists)
      : images_(images), lists_(lists), part_of_(images.files.size(), kNoPart) {}

  void add(std::uint32_t part, const std::vector<std::uint32_t>& listed) {
    for (const std::uint32_t image : listed) {
      if (part_of_[image] != kNoPart) overlap(image, part_of_[image], part);
      part_of_[image] = part;
    }
  }

  [[nodiscard]] Status check() const {
    if (overlaps_ == 0) return {};
    return data_error(
        "names " + std::to_string(overlaps_) + " images that another list names too: " + examples_ + "; a sample belongs to one split",
        lists_[first_part_].file);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& part_of() const { return part_of_; }

 private:
  void overlap(std::uint32_t image, std::uint32_t one, std::uint32_t other) {
    if (overlaps_++ == 0) first_part_ = other;
    if (overlaps_ <= ProblemLog::kExamples)
      examples_ +=
          (examples_.empty() ? "'" : ", '") + std::string(images_.key(images_.files[image])) + "' (also in " + lists_[one].file + ")";
  }

  const FileList& images_;
  const std::vector<ListPart>& lists_;
  std::vector<std::uint32_t> part_of_;
  std::uint64_t overlaps_ = 0;
  std::uint32_t first_part_ = 0;
  std::string examples_;
};

// Each label goes where the image of its key goes; `images` are sorted by key.
struct LabelParts {
  std::vector<std::uint32_t> part_of;
  std::uint64_t strange = 0;  // labels whose key no image has
};
LabelParts parts_of_labels(const FileList& labels, const FileList& images, const std::vector<std::uint32_t>& part_of_image) {
  LabelParts parts;
  parts.part_of.reserve(labels.files.size());
  for (const FoundFile& label : labels.files) {
    const std::string_view key = labels.key(label);
    const auto image = std::lower_bound(images.files.begin(), images.files.end(), key,
                                        [&](const FoundFile& file, std::string_view wanted) { return images.key(file) < wanted; });
    const bool found = image != images.files.end() && images.key(*image) == key;
    parts.part_of.push_back(found ? part_of_image[static_cast<std::size_t>(image - images.files.begin())] : kNoPart);
    if (!found) ++parts.strange;
  }
  return parts;
}

// Images that have a label and go to no part. Precondition: sorted by key.
std::uint64_t count_unlisted(const FileSet& set, const std::vector<std::uint32_t>& part_of) {
  std::uint64_t unlisted = 0;
  const auto before = [&](const FoundFile& file, std::string_view wanted) { return set.labels.key(file) < wanted; };
  for (std::size_t i = 0; i < part_of.size(); ++i) {
    if (part_of[i] != kNoPart) continue;
    const std::string_view key = set.images.key(set.images.files[i]);
    const auto label = std::lower_bound(set.labels.files.begin(), set.labels.files.end(), key, before);
    if (label != set.labels.files.end() && set.labels.key(*label) == key) ++unlisted;
  }
  return unlisted;
}

// A set like another, of other files.
FileSet set_like(const FileSet& set, std::string name, FileList images, FileList labels) {
  FileSet made;
  made.name = std::move(name);
  made.images = std::move(images);
  made.labels = std::move(labels);
  made.labelled = set.labelled;
  made.by_folder = set.by_folder;
  return made;
}

std::string listed_text(const ListPart& list, const ListedImages& listed, std::size_t images) {
  std::string text = list.file + ": " + std::to_string(listed.images.size()) + " of " + std::to_string(images) + " images";
  if (listed.negative > 0) text += ", and " + std::to_string(listed.negative) + " lines marked -1 that are left out";
  return text + "\n";
}

}  // namespace

SuffixWishes suffix_wishes(const PackOptions& options) {
  SuffixWishes wishes;
  wishes.image = options.input.image_suffix;
  wishes.label = options.input.label_suffix;
  if (const labels::Preset* const preset = labels::find_preset(options.label.preset)) {
    wishes.preset_image = preset->image_suffix;
    wishes.preset_label = preset->label_suffix;
  }
  return wishes;
}

Result<SuffixChoice> assign_keys(std::vector<FileSet>& sets, const PackOptions& options, bool listed, ProblemLog& problems) {
  if (!options.input.image_regex.empty()) {
    HOTPACK_TRY(capture_all(sets, options.input, problems));
    return SuffixChoice{};
  }
  if (!options.input.mask_per_class.empty()) {
    HOTPACK_TRY(key_all_masks(sets, options.input, problems));
    return SuffixChoice{};
  }
  SuffixWishes wishes = suffix_wishes(options);
  wishes.listed = listed;
  return strip_all(sets, wishes, problems);
}

Result<Listed> take_listed(FileSet set, const std::vector<ListPart>& lists, const InputOptions& input, ProblemLog& problems) {
  sort_by_key(set.images);
  sort_by_key(set.labels);
  Listed result;
  ListAssignment assignment(set.images, lists);
  for (std::uint32_t part = 0; part < lists.size(); ++part) {
    const ListFileOptions options{input.list_root, input.strip_prefix, input.skip_orphans};
    HOTPACK_ASSIGN(const ListedImages listed, read_list_file(lists[part].file, set, options, problems));
    assignment.add(part, listed.images);
    result.left_out += listed.left_out;
    result.about += listed_text(lists[part], listed, set.images.files.size());
  }
  HOTPACK_TRY(assignment.check());
  const LabelParts label_parts = parts_of_labels(set.labels, set.images, assignment.part_of());
  result.strange_labels = label_parts.strange;
  result.unlisted = count_unlisted(set, assignment.part_of());
  std::vector<FileList> labels = divide_files(set.labels, label_parts.part_of, lists.size());
  std::vector<FileList> images = divide_files(set.images, assignment.part_of(), lists.size());
  for (std::size_t part = 0; part < lists.size(); ++part)
    result.sets.push_back(set_like(set, lists[part].name, std::move(images[part]), std::move(labels[part])));
  return result;
}

std::set<std::string> splits_with_labels(const std::vector<FileSet>& sets, bool by_folder) {
  std::set<std::string> names;
  const auto add = [&](const std::string& name, const FileList& labels, bool one_folder) {
    if (one_folder ? may_hold_labels(labels) : !labels.files.empty()) names.insert(name);
  };
  for (const FileSet& set : sets) {
    add(set.name, set.labels, set.one_folder);
    if (!by_folder || !set.name.empty()) continue;
    const Result<std::vector<FolderPart>> parts = divide_by_folder(set.labels);
    if (!parts.ok()) continue;  // keys may be captured yet; what is wrong by then is reported then
    for (const FolderPart& part : *parts) add(part.name, part.files, set.one_folder);
  }
  return names;
}

Result<std::vector<FileSet>> divide_set_by_folder(const FileSet& set) {
  HOTPACK_ASSIGN(std::vector<FolderPart> images, divide_by_folder(set.images));
  HOTPACK_ASSIGN(std::vector<FolderPart> labels, divide_by_folder(set.labels));
  std::map<std::string, FileSet> sets;
  for (FolderPart& part : images) sets.try_emplace(part.name, set_like(set, part.name, std::move(part.files), {}));
  for (FolderPart& part : labels) {
    const auto place = sets.try_emplace(part.name, set_like(set, part.name, {}, {})).first;
    place->second.labels = std::move(part.files);
  }
  std::vector<FileSet> divided;
  divided.reserve(sets.size());
  for (auto& [name, one] : sets) divided.push_back(std::move(one));
  return divided;
}

}  // namespace hotpack::pipeline
