#include "samples/file_steps.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "files/list_file.hpp"
#include "files/path_pattern.hpp"
#include "labels/presets.hpp"
#include "samples/input_folders.hpp"
#include "samples/layout_commands.hpp"
#include "samples/mask_pattern.hpp"

namespace hotpack::pipeline {

namespace {

// Drops the files without a key and reports them.
void drop_unkeyed(FileList& list, ProblemKind kind, const std::string& why, ProblemLog& problems) {
  for (const FoundFile& file : list.files)
    if (file.key_length == 0) problems.add({kind, list.path(file), why});
  drop_keyless(list);
}

Status capture_all(std::vector<FileSet>& sets, const InputOptions& input, ProblemLog& problems) {
  HOTPACK_ASSIGN(const PathPattern images, PathPattern::compile(input.image_regex, "--pair-regex"));
  HOTPACK_ASSIGN(const PathPattern labels, PathPattern::compile(input.label_regex, "--pair-regex"));
  for (FileSet& set : sets) {
    HOTPACK_TRY(capture_keys(set.images, images, problems));
    HOTPACK_TRY(capture_keys(set.labels, labels, problems));
    if (set.one_folder) {
      std::vector<FoundFile> kept;  // all but the labels
      for (const FoundFile& file : set.images.files) {
        HOTPACK_ASSIGN(const auto label, labels.find(set.images.below(file)));
        if (file.key_length > 0 || !label) kept.push_back(file);
      }
      set.images.files = std::move(kept);
      drop_keyless(set.labels);  // reported once, as images
    }
    drop_unkeyed(set.images, ProblemKind::orphan_image,
                 "--pair-regex '" + input.image_regex + "' does not match its path", problems);
    drop_unkeyed(set.labels, ProblemKind::orphan_label,
                 "--pair-regex '" + input.label_regex + "' does not match its path", problems);
  }
  return {};
}

Result<SuffixChoice> key_all_masks(std::vector<FileSet>& sets, const InputOptions& input,
                                   ProblemLog& problems) {
  SuffixChoice choice;
  HOTPACK_ASSIGN(const NamePattern pattern, NamePattern::of_masks(input.mask_per_class));
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
    HOTPACK_ASSIGN(std::string unclear,
                   key_masks(set.labels, set.images, std::span(&pattern, 1), input.fold));
    if (!unclear.empty()) choice.warnings.push_back(std::move(unclear));
    drop_unkeyed(
        set.labels, ProblemKind::orphan_label,
        "its path does not fit the pattern '" + input.mask_per_class + "' of --mask-per-class",
        problems);
  }
  return choice;
}

std::vector<std::string> real_folders(const FileList& list) {
  std::vector<std::string> folders;
  for (const Root& root : list.roots) folders.push_back(real_path(root.folder));
  return folders;
}

// True if a file is one of those that `patterns` find below their folders.
bool is_found(const std::string& path, const std::vector<std::string>& folders,
              const std::vector<NamePattern>& patterns) {
  for (std::size_t root = 0; root < patterns.size(); ++root) {
    const std::string folder = path_below(folders[root], "");
    if (patterns[root].given() && path.starts_with(folder) &&
        patterns[root].fits(std::string_view(path).substr(folder.size())))
      return true;
  }
  return false;
}

// Refuses an image with several label files, of which nothing says what they become. Sets
// `set.merged` if they become one label. Precondition: sorted by key.
Status settle_several(FileSet& set, const InputOptions& input, LabelKind kind) {
  const FileList& labels = set.labels;
  set.merged = kind == LabelKind::instances;
  for (std::size_t i = 1; i < labels.files.size() && !set.merged; ++i) {
    const std::string_view key = labels.key(labels.files[i]);
    const FoundFile* const image =
        labels.key(labels.files[i - 1]) == key ? find_key(set.images, key) : nullptr;
    if (image == nullptr) continue;
    set.merged = kind == LabelKind::binary;
    if (set.merged) break;
    const auto count =
        std::count_if(labels.files.begin(), labels.files.end(),
                      [&](const FoundFile& file) { return labels.key(file) == key; });
    return data_error(
        "has " + std::to_string(count) + " label files, such as " +
            quoted_text(labels.path(labels.files[i - 1])) + " and " +
            quoted_text(labels.path(labels.files[i])) +
            (kind == LabelKind::automatic ? ". Say what they become:"
                                          : ", and --label-kind " + std::string(word_of(kind)) +
                                                " reads one. Several files can become:") +
            merging_commands(input_options(input)),
        set.images.path(*image));
  }
  return {};
}

// Sets the keys by the patterns of --images and --labels. A file that both patterns match is a
// label.
Result<SuffixChoice> key_by_patterns(FileSet& set, const PackOptions& options,
                                     ProblemLog& problems) {
  constexpr std::string_view kNoKey =
      "the text of {key} cannot be a key: no part between '/' may be empty, . or ..";
  SuffixChoice choice;
  set.image_patterns.resize(set.images.roots.size());
  set.label_patterns.resize(set.labels.roots.size());
  const std::vector<std::string> image_folders = real_folders(set.images),
                                 label_folders = real_folders(set.labels);
  const std::size_t both = std::erase_if(set.images.files, [&](const FoundFile& image) {
    const std::string below(set.images.below(image));
    return is_found(path_below(image_folders[image.root], below), label_folders,
                    set.label_patterns);
  });
  if (both > 0 && set.images.files.empty())
    return data_error("no image is left: all " + counted_text(both, "file") +
                      " that match --images " + quoted_list_text(options.input.images, 1) +
                      " match --labels " + quoted_list_text(options.input.labels, 1) +
                      " too, so they are labels; write patterns that tell the two apart");
  if (set.labeled && image_folders == label_folders) {
    set.images.other_files -= set.labels.files.size() - both;  // the labels are not ignored
    set.labels.other_files = 0;
  }
  HOTPACK_TRY(key_masks(set.images, {}, set.image_patterns, {}));
  drop_unkeyed(set.images, ProblemKind::unusable_name, std::string(kNoKey), problems);
  sort_by_key(set.images);
  if (!set.labeled) return choice;
  HOTPACK_ASSIGN(std::string unclear,
                 key_masks(set.labels, set.images, set.label_patterns, options.input.fold));
  if (!unclear.empty()) choice.warnings.push_back(std::move(unclear));
  drop_unkeyed(set.labels, ProblemKind::unusable_name, std::string(kNoKey), problems);
  sort_by_key(set.labels);
  if (std::ranges::any_of(set.label_patterns, &NamePattern::has_star))
    HOTPACK_TRY(settle_several(set, options.input, options.label.kind));
  return choice;
}

// "14 images, such as 'a/0.jpg'"
std::string files_text(const std::vector<FileSet>& sets, FileList FileSet::*side,
                       const std::string& what) {
  std::uint64_t count = 0;
  std::string first;
  for (const FileSet& set : sets) {
    const FileList& list = set.*side;
    if (!set.labeled || list.files.empty()) continue;
    if (count == 0) first = list.path(list.files.front());
    count += list.files.size();
  }
  return counted_text(count, what) + ", such as " + quoted_text(first);
}

// The error if no rule is certain. It proposes the rules that come near, as commands.
Error unclear_suffixes(const std::vector<FileSet>& sets, const SuffixChoice& choice,
                       const InputOptions& input) {
  std::vector<Suggestion> suggestions;
  std::string partial;
  for (const auto& [about, options, orphans] : choice.proposals) {
    const std::string with = options.empty() ? "" : " " + options;
    if (orphans)
      partial += "\n  " + about + (with.empty() ? "" : " (" + options + ")");
    else
      suggestions.push_back({about, whole_command(input_options(input) + with)});
  }
  std::string text = choice.several ? "labels of several kinds fit the images"
                     : choice.pairs > 0
                         ? "names do not say which label an image has: " + choice.text
                         : "no image and label share a key, the path without extension and suffix";
  text += " (" + files_text(sets, &FileSet::images, "image") + "; " +
          files_text(sets, &FileSet::labels, "label") + ").";
  if (!partial.empty())
    text += " Some pair if" + partial +
            "\nFiles that are left over stop a pack unless --orphans leaves them out.";
  if (!suggestions.empty())
    text += " Choose a rule, and run its command:" + suggestions_text(suggestions);
  return data_error(text);
}

Result<SuffixChoice> strip_all(std::vector<FileSet>& sets, const GivenSuffixes& given,
                               const InputOptions& input, ProblemLog& problems) {
  SuffixChoice choice;
  choice.rule.image = given.image;
  if (std::ranges::any_of(sets, &FileSet::labeled)) choice = choose_suffixes(sets, given);
  if (!choice.proposals.empty()) return unclear_suffixes(sets, choice, input);
  const auto together = std::ranges::find_if(sets, &FileSet::one_folder);
  if (together != sets.end() && !choice.fits)
    return data_error(
        "holds images and labels together, and " +
            (given.label.empty() ? "no known suffix tells them apart. Give the suffix of the "
                                   "labels with --label-suffix"
                                 : "no label whose name ends with '" + given.label +
                                       "' is next to an image of the same name. Check "
                                       "--label-suffix") +
            ", or write --pair-regex",
        together->images.roots.front().folder);
  for (FileSet& set : sets) apply_suffixes(set, choice.rule, given, problems);
  return choice;
}

// Adds the images that list number `part` names to `part_of`, the list of each image or kNoPart.
// Refuses images that other lists name.
Status assign_list(const FileList& images, const std::vector<std::uint32_t>& listed,
                   const std::vector<ListPart>& lists, std::uint32_t part,
                   std::vector<std::uint32_t>& part_of) {
  std::uint64_t count = 0;
  std::string examples;
  for (const std::uint32_t image : listed) {
    const std::uint32_t other = std::exchange(part_of[image], part);
    if (other == kNoPart || ++count > ProblemLog::kExamples) continue;
    examples += (count == 1 ? "'" : ", '") + std::string(images.key(images.files[image])) +
                "' (also in " + quoted_text(lists[other].file) + ")";
  }
  if (count == 0) return {};
  return data_error("names " + counted_text(count, "image") + " that other lists name too: " +
                        examples + "; name each image in one list only",
                    lists[part].file);
}

// Returns the list of each label, which is that of the image with its key, or kNoPart. Counts
// labels without an image, and labeled images that are in no list. Precondition: sorted by key.
std::vector<std::uint32_t> parts_of_labels(const FileSet& set,
                                           const std::vector<std::uint32_t>& part_of_image,
                                           Listed& counts) {
  std::vector<std::uint32_t> part_of;
  part_of.reserve(set.labels.files.size());
  std::string_view before;  // the key of the last label
  for (const FoundFile& label : set.labels.files) {
    const std::string_view key = set.labels.key(label);
    const FoundFile* const image = find_key(set.images, key);
    std::uint32_t part = kNoPart;
    if (image == nullptr)
      ++counts.unmatched_labels;
    else if (part = part_of_image[static_cast<std::size_t>(image - set.images.files.data())];
             part == kNoPart && key != before)
      ++counts.unlisted;
    part_of.push_back(part);
    before = key;
  }
  return part_of;
}

// Refuses images of several folders that have the same key. The message has the command that gives
// each folder a prefix.
Status check_keys_apart(FileList& images, const InputOptions& input) {
  const std::vector<std::string>& given = input.images.empty() ? input.image_folders : input.images;
  if (given.size() < 2 || images.roots.size() != given.size()) return {};
  sort_by_key(images);
  const auto same = [&](const FoundFile& a, const FoundFile& b) {
    return a.root != b.root && images.key(a) == images.key(b);
  };
  const auto twice = std::adjacent_find(images.files.begin(), images.files.end(), same);
  if (twice == images.files.end()) return {};
  std::vector<std::string> folders;
  for (const Root& root : images.roots) folders.push_back(root.folder);
  InputOptions prefixed = input;
  HOTPACK_ASSIGN(prefixed.key_prefixes, folder_prefixes(folders));
  return data_error("has the same key '" + std::string(images.key(*twice)) + "' as " +
                        quoted_text(images.path(twice[0])) +
                        ". Give the keys of each folder a prefix:\n  " +
                        whole_command(input_options(prefixed)),
                    images.path(twice[1]));
}

// Divides files by the first component of their keys, which is the text before the first '/', and
// removes this component from the keys. Fails if a key has no '/'.
Result<std::map<std::string, FileList>> divide_by_folder(const FileList& list) {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> part_of;
  for (const FoundFile& file : list.files) {
    const std::string_view key = list.key(file);
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos)
      return data_error(
          "is in no folder that could be its split; move it into one, or leave out --split folder, "
          "which takes the first part of a key. The key of this file is '" +
              std::string(key) + "'",
          list.path(file));
    const auto next = static_cast<std::uint32_t>(numbers.size());
    part_of.push_back(numbers.try_emplace(std::string(key.substr(0, slash)), next).first->second);
  }
  std::vector<FileList> divided = divide_files(list, part_of, numbers.size());
  std::map<std::string, FileList> parts;
  for (const auto& [name, number] : numbers) {
    for (FoundFile& file : divided[number].files) {
      file.key += name.size() + 1;
      file.key_length = static_cast<std::uint16_t>(file.key_length - name.size() - 1);
    }
    parts.emplace(name, std::move(divided[number]));
  }
  return parts;
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

Result<GivenSuffixes> given_suffixes(const PackOptions& options) {
  GivenSuffixes given{options.input.image_suffix, options.input.label_suffix};
  if (!given.image.empty() || !given.label.empty()) return given;
  HOTPACK_ASSIGN(const auto preset, labels::read_preset(options.label.preset));
  if (!preset) return given;
  const bool has_suffix = !preset->image_suffix.empty() || !preset->label_suffix.empty();
  return GivenSuffixes{preset->image_suffix, preset->label_suffix, has_suffix};
}

Result<SuffixChoice> assign_keys(std::vector<FileSet>& sets, const PackOptions& options,
                                 bool listed, ProblemLog& problems) {
  const FileSet& first = sets.front();
  if (!first.image_patterns.empty() || !first.label_patterns.empty())
    return key_by_patterns(sets.front(), options, problems);
  if (!options.input.image_regex.empty()) {
    HOTPACK_TRY(capture_all(sets, options.input, problems));
    return SuffixChoice{};
  }
  if (!options.input.mask_per_class.empty()) return key_all_masks(sets, options.input, problems);
  HOTPACK_ASSIGN(GivenSuffixes given, given_suffixes(options));
  given.listed = listed;
  given.fold = options.input.fold;
  return strip_all(sets, given, options.input, problems);
}

Result<Listed> take_listed(FileSet set, const std::vector<ListPart>& lists,
                           const InputOptions& input, ProblemLog& problems) {
  sort_by_key(set.images);
  sort_by_key(set.labels);
  Listed result;
  std::vector<std::uint32_t> part_of(set.images.files.size(), kNoPart);
  const bool by_option = !input.list.empty() || input.split.method == SplitOptions::Method::list;
  for (std::uint32_t part = 0; part < lists.size(); ++part) {
    const ListFileOptions options{input.list_root, input.strip_prefix, input.skip_orphans,
                                  by_option};
    HOTPACK_ASSIGN(const ListedImages listed,
                   read_list_file(lists[part].file, set, options, problems));
    HOTPACK_TRY(assign_list(set.images, listed.images, lists, part, part_of));
    result.left_out += listed.left_out;
    result.about += listed_text(lists[part], listed, set.images.files.size());
  }
  const std::vector<std::uint32_t> part_of_label = parts_of_labels(set, part_of, result);
  std::vector<FileList> labels = divide_files(std::move(set.labels), part_of_label, lists.size());
  std::vector<FileList> images = divide_files(std::move(set.images), part_of, lists.size());
  for (std::size_t part = 0; part < lists.size(); ++part) {
    FileSet& made = result.sets.emplace_back(set);
    made.name = lists[part].name;
    made.images = std::move(images[part]);
    made.labels = std::move(labels[part]);
  }
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
    // divide_set_by_folder() reports an error later
    for (const auto& [name, files] : divide_by_folder(set.labels).value_or({}))
      add(name, files, set.one_folder);
  }
  return names;
}

Result<SampleList> pair_set(FileSet set, const InputOptions& input, ProblemLog& problems,
                            std::uint64_t& left_out) {
  if (input.key_prefixes.empty()) HOTPACK_TRY(check_keys_apart(set.images, input));
  if (set.by_folder) return images_by_folder(std::move(set.images), problems);
  if (!set.labeled) return images_alone(std::move(set.images), problems);
  Pairing pairing{nullptr, set.merged, input.skip_orphans, input.fold};
  NamePattern pattern;
  if (!set.merged && !input.mask_per_class.empty()) {
    HOTPACK_ASSIGN(pattern, NamePattern::of_masks(input.mask_per_class));
    pairing.pattern = &pattern;
  }
  return pair_files(std::move(set.images), std::move(set.labels), pairing, problems, left_out);
}

Result<std::vector<FileSet>> divide_set_by_folder(FileSet set) {
  HOTPACK_ASSIGN(auto images, divide_by_folder(set.images));
  HOTPACK_ASSIGN(auto labels, divide_by_folder(set.labels));
  set.images.files = {};
  set.labels.files = {};
  for (const auto& [name, files] : labels) images.try_emplace(name);
  std::vector<FileSet> divided;
  for (auto& [name, files] : images) {
    FileSet& made = divided.emplace_back(set);
    made.name = name;
    made.images = std::move(files);
    made.labels = std::move(labels[name]);
  }
  return divided;
}

}  // namespace hotpack::pipeline
