#include "samples/file_steps.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "files/list_file.hpp"
#include "files/path_pattern.hpp"
#include "labels/presets.hpp"
#include "samples/layout_commands.hpp"
#include "samples/split.hpp"

namespace hotpack::pipeline {

namespace {

// Drops the files without a key and reports them as orphans.
void drop_orphans(FileList& list, ProblemKind kind, const std::string& why, ProblemLog& problems) {
  for (const FoundFile& file : list.files)
    if (file.key_length == 0) problems.add({kind, list.path(file), why});
  drop_keyless(list);
}

// For a folder that contains both images and labels: removes from the list of one kind the files of
// the other kind, that is, files without a key that match `other`, the expression of the other
// kind.
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
    drop_orphans(set.images, ProblemKind::orphan_image,
                 "--pair-regex '" + input.image_regex + "' does not match its path", problems);
    drop_orphans(set.labels, ProblemKind::orphan_label,
                 "--pair-regex '" + input.label_regex + "' does not match its path", problems);
  }
  return {};
}

Status key_all_masks(std::vector<FileSet>& sets, const InputOptions& input, ProblemLog& problems) {
  HOTPACK_ASSIGN(const MaskPattern pattern, MaskPattern::parse(input.mask_per_class));
  for (FileSet& set : sets) {
    const std::uint64_t other_files = set.images.other_files;
    if (set.one_folder && input.image_suffix.empty())
      HOTPACK_TRY(part_masks(set.images, set.labels, pattern));
    if (set.one_folder && !input.image_suffix.empty()) drop_suffix(set.labels, input.image_suffix);
    if (set.one_folder && set.labels.files.empty() && !set.images.files.empty())
      return data_error(
          "no file fits the pattern '" + input.mask_per_class +
              "' of --mask-per-class: {key} must be the key of an image; the first file is " +
              quoted_text(set.images.path(set.images.files.front())),
          set.images.roots.front().folder);
    strip_suffix(set.images, input.image_suffix);
    // Both lists held all files: a file that is no image is a mask, or reported as an orphan.
    if (set.one_folder) set.images.other_files = other_files, set.labels.other_files = 0;
    sort_by_key(set.images);
    key_masks(set.labels, set.images, pattern);
    drop_orphans(
        set.labels, ProblemKind::orphan_label,
        "its path does not fit the pattern '" + input.mask_per_class + "' of --mask-per-class",
        problems);
  }
  return {};
}

// "14 images, such as a/0.jpg; 12 labels, such as b/0_annot.png"
std::string files_text(const std::vector<FileSet>& sets) {
  std::uint64_t images = 0, labels = 0;
  std::string first_image, first_label;
  for (const FileSet& set : sets) {
    images += set.images.files.size();
    labels += set.labels.files.size();
    if (first_image.empty() && !set.images.files.empty())
      first_image = set.images.path(set.images.files.front());
    if (first_label.empty() && !set.labels.files.empty())
      first_label = set.labels.path(set.labels.files.front());
  }
  return counted_text(images, "image", "images") + ", such as " + quoted_text(first_image) + "; " +
         counted_text(labels, "label", "labels") + ", such as " + quoted_text(first_label);
}

// The error if no rule is certain. It proposes the rules that come near, as commands.
Error unclear_suffixes(const std::vector<FileSet>& sets, const SuffixChoice& choice,
                       const InputOptions& input) {
  std::vector<Suggestion> suggestions;
  std::string partial;
  for (const auto& [about, options, orphans] : choice.proposals)
    if (orphans)
      partial += "\n  " + about + (options.empty() ? "" : " (" + options + ")");
    else
      suggestions.push_back(
          {about, whole_command(input_options(input) + (options.empty() ? "" : " ") + options)});
  const bool some = !choice.several && choice.pairs > 0;
  const std::string text =
      choice.several ? "labels of several kinds fit the images"
      : some         ? "names do not say which label an image has: " + choice.text
                     : "no image and label share a key, the path without extension and suffix";
  return data_error(
      text + " (" + files_text(sets) + ")." +
      (partial.empty() ? ""
                       : " Some pair if" + partial +
                             "\nFiles that are left over stop a pack unless --orphans leaves them "
                             "out.") +
      (suggestions.empty()
           ? ""
           : " Choose a rule, and run its command:" + suggestions_text(suggestions)));
}

// Returns the error for a folder that contains both images and labels if nothing tells them apart.
// Precondition: at least one set has both in one folder.
Error cannot_tell_apart(const std::vector<FileSet>& sets, const GivenSuffixes& given) {
  const std::string why = given.label.empty()
                              ? "no known suffix tells them apart. Give the suffix of the labels "
                                "with --label-suffix, or write --pair-regex"
                              : "no label whose name ends with '" + given.label +
                                    "' is next to an image of the same name. Check --label-suffix, "
                                    "or write --pair-regex";
  const auto together =
      std::find_if(sets.begin(), sets.end(), [](const FileSet& set) { return set.one_folder; });
  return data_error("holds images and labels together, and " + why,
                    together->images.roots.front().folder);
}

Result<SuffixChoice> strip_all(std::vector<FileSet>& sets, const GivenSuffixes& given,
                               const InputOptions& input, ProblemLog& problems) {
  std::vector<FileSet> labeled;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (sets[i].labeled) labeled.push_back(std::move(sets[i])), places.push_back(i);
  SuffixChoice choice;
  choice.rule.image = given.image;
  if (!labeled.empty()) choice = choose_suffixes(labeled, given);
  if (!choice.proposals.empty()) return unclear_suffixes(labeled, choice, input);
  for (std::size_t i = 0; i < places.size(); ++i) sets[places[i]] = std::move(labeled[i]);
  const bool together =
      std::any_of(sets.begin(), sets.end(), [](const FileSet& set) { return set.one_folder; });
  if (together && !choice.fits) return cannot_tell_apart(sets, given);
  for (FileSet& set : sets) apply_suffixes(set, choice.rule, given, problems);
  return choice;
}

// Holds the list that names each image, or kNoPart.
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
    return data_error("names " + counted_text(overlaps_, "image") + " that other lists name too: " +
                          examples_ + "; name each image in one list only",
                      lists_[first_part_].file);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& part_of() const { return part_of_; }

 private:
  void overlap(std::uint32_t image, std::uint32_t one, std::uint32_t other) {
    if (overlaps_++ == 0) first_part_ = other;
    if (overlaps_ <= ProblemLog::kExamples)
      examples_ += (examples_.empty() ? "'" : ", '") +
                   std::string(images_.key(images_.files[image])) + "' (also in " +
                   quoted_text(lists_[one].file) + ")";
  }

  const FileList& images_;
  const std::vector<ListPart>& lists_;
  std::vector<std::uint32_t> part_of_;
  std::uint64_t overlaps_ = 0;
  std::uint32_t first_part_ = 0;
  std::string examples_;
};

// The list of each label, or kNoPart.
struct LabelParts {
  std::vector<std::uint32_t> part_of;
  std::uint64_t unmatched = 0;  // labels whose key no image has
};
// Each label belongs to the list of the image with its key. Precondition: `images` sorted by key.
LabelParts parts_of_labels(const FileList& labels, const FileList& images,
                           const std::vector<std::uint32_t>& part_of_image) {
  LabelParts parts;
  parts.part_of.reserve(labels.files.size());
  for (const FoundFile& label : labels.files) {
    const std::string_view key = labels.key(label);
    const auto image = std::lower_bound(
        images.files.begin(), images.files.end(), key,
        [&](const FoundFile& file, std::string_view wanted) { return images.key(file) < wanted; });
    const bool found = image != images.files.end() && images.key(*image) == key;
    parts.part_of.push_back(
        found ? part_of_image[static_cast<std::size_t>(image - images.files.begin())] : kNoPart);
    if (!found) ++parts.unmatched;
  }
  return parts;
}

// Counts images that have a label and belong to no part. Precondition: sorted by key.
std::uint64_t count_unlisted(const FileSet& set, const std::vector<std::uint32_t>& part_of) {
  std::uint64_t unlisted = 0;
  const auto before = [&](const FoundFile& file, std::string_view wanted) {
    return set.labels.key(file) < wanted;
  };
  for (std::size_t i = 0; i < part_of.size(); ++i) {
    if (part_of[i] != kNoPart) continue;
    const std::string_view key = set.images.key(set.images.files[i]);
    const auto label =
        std::lower_bound(set.labels.files.begin(), set.labels.files.end(), key, before);
    if (label != set.labels.files.end() && set.labels.key(*label) == key) ++unlisted;
  }
  return unlisted;
}

// Returns a set with the properties of `set` and the given files.
FileSet set_like(const FileSet& set, std::string name, FileList images, FileList labels) {
  FileSet made;
  made.name = std::move(name);
  made.images = std::move(images);
  made.labels = std::move(labels);
  made.labeled = set.labeled;
  made.by_folder = set.by_folder;
  return made;
}

std::string listed_text(const ListPart& list, const ListedImages& listed, std::size_t images) {
  std::string text = list.file + ": names " + std::to_string(listed.images.size()) + " of " +
                     std::to_string(images) + " images";
  if (listed.folders > 0) text += ", by " + counted_text(listed.folders, "folder");
  if (listed.negative > 0)
    text += ", and " + std::to_string(listed.negative) + " lines marked -1 that are left out";
  return text + "\n";
}

}  // namespace

GivenSuffixes given_suffixes(const PackOptions& options) {
  GivenSuffixes given;
  given.image = options.input.image_suffix;
  given.label = options.input.label_suffix;
  if (const labels::Preset* const preset = labels::find_preset(options.label.preset)) {
    given.preset_image = preset->image_suffix;
    given.preset_label = preset->label_suffix;
  }
  return given;
}

Result<SuffixChoice> assign_keys(std::vector<FileSet>& sets, const PackOptions& options,
                                 bool listed, ProblemLog& problems) {
  if (!options.input.image_regex.empty()) {
    HOTPACK_TRY(capture_all(sets, options.input, problems));
    return SuffixChoice{};
  }
  if (!options.input.mask_per_class.empty()) {
    HOTPACK_TRY(key_all_masks(sets, options.input, problems));
    return SuffixChoice{};
  }
  GivenSuffixes given = given_suffixes(options);
  given.listed = listed;
  return strip_all(sets, given, options.input, problems);
}

Result<Listed> take_listed(FileSet set, const std::vector<ListPart>& lists,
                           const InputOptions& input, ProblemLog& problems) {
  sort_by_key(set.images);
  sort_by_key(set.labels);
  Listed result;
  ListAssignment assignment(set.images, lists);
  const bool by_option = !input.list.empty() || input.split.method == SplitOptions::Method::list;
  for (std::uint32_t part = 0; part < lists.size(); ++part) {
    const ListFileOptions options{input.list_root, input.strip_prefix, input.skip_orphans,
                                  by_option};
    HOTPACK_ASSIGN(const ListedImages listed,
                   read_list_file(lists[part].file, set, options, problems));
    assignment.add(part, listed.images);
    result.left_out += listed.left_out;
    result.about += listed_text(lists[part], listed, set.images.files.size());
  }
  HOTPACK_TRY(assignment.check());
  const LabelParts label_parts = parts_of_labels(set.labels, set.images, assignment.part_of());
  result.unmatched_labels = label_parts.unmatched;
  result.unlisted = count_unlisted(set, assignment.part_of());
  std::vector<FileList> labels = divide_files(set.labels, label_parts.part_of, lists.size());
  release_files(set.labels);
  std::vector<FileList> images = divide_files(set.images, assignment.part_of(), lists.size());
  release_files(set.images);
  for (std::size_t part = 0; part < lists.size(); ++part)
    result.sets.push_back(
        set_like(set, lists[part].name, std::move(images[part]), std::move(labels[part])));
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
    if (!parts.ok()) continue;  // divide_set_by_folder() reports the error later
    for (const FolderPart& part : *parts) add(part.name, part.files, set.one_folder);
  }
  return names;
}

Result<std::vector<FileSet>> divide_set_by_folder(const FileSet& set) {
  HOTPACK_ASSIGN(std::vector<FolderPart> images, divide_by_folder(set.images));
  HOTPACK_ASSIGN(std::vector<FolderPart> labels, divide_by_folder(set.labels));
  std::map<std::string, FileSet> sets;
  for (FolderPart& part : images)
    sets.try_emplace(part.name, set_like(set, part.name, std::move(part.files), {}));
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
