#include "discovery/layout_questions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "discovery/class_file.hpp"
#include "discovery/folder_pattern.hpp"
#include "discovery/layout_readings.hpp"
#include "discovery/sample_folders.hpp"
#include "discovery/sibling_folders.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/path_pattern.hpp"
#include "files/scan.hpp"
#include "samples/pair_file.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

namespace {

using Kind = Layout::Kind;

constexpr std::size_t kMostTables = 4;  // that are read
constexpr std::size_t kMostTableFolders = 8;

// The layout of a folder whose folders are classes.
Layout classes_of(const std::string& root) {
  Layout layout;
  layout.kind = Kind::class_folders;
  layout.root = root;
  layout.splits.push_back({"", root, root, ""});
  return layout;
}

Suggestion class_suggestion(const Layout& classes, const std::string& about) {
  const std::string left_out = left_out_text(classes);
  return {about + (left_out.empty() ? "" : " (" + left_out + ")"), pack_command(classes)};
}

// ---- several readings

bool is_combinable(const Layout& layout) {
  return layout.kind == Kind::folders &&
         std::all_of(layout.splits.begin(), layout.splits.end(), [](const SplitFolders& split) {
           return !split.name.empty() && split.list.empty();
         });
}

// Combines all readings into one if no split has labels in two of them.
std::optional<Layout> combined(const std::vector<Layout>& readings) {
  std::map<std::string, std::vector<SplitFolders>> labeled;
  for (const Layout& layout : readings) {
    if (!is_combinable(layout)) return std::nullopt;
    for (const SplitFolders& split : layout.splits)
      if (!split.labels.empty()) labeled[split.name].push_back(split);
  }
  Layout all;
  for (auto& [name, splits] : labeled) {
    if (splits.size() != 1) return std::nullopt;
    all.splits.push_back(std::move(splits.front()));
  }
  return all.splits.size() < 2 ? std::nullopt : std::optional(std::move(all));
}

// ---- classes, or images and labels

// The options that express how names of images and of labels differ.
std::string affix_options(const Affix& affix, bool on_images) {
  if (affix.text.empty()) return "";
  if (!affix.in_front)
    return value_option(on_images ? "--image-suffix" : "--label-suffix", affix.text);
  const std::string plain = "^(.+)\\.", longer = "^" + literal_pattern(affix.text) + "(.+)\\.";
  return on_images ? regex_option(longer, plain) : regex_option(plain, longer);
}

// Returns the layout in which the two sibling folders of each split are images and labels, not
// classes. Returns nothing if a split lacks one of the two folders.
std::optional<Layout> pairs_in_place_of_classes(const Layout& classes,
                                                const SiblingFolders& siblings) {
  Layout pairs = classes;
  pairs.kind = Kind::folders;
  for (SplitFolders& split : pairs.splits) {
    if (split.labels.empty()) continue;
    split.labels = path_below(split.images, siblings.labels);
    split.images = path_below(split.images, siblings.images);
    if (!is_folder(split.labels) || !is_folder(split.images)) return std::nullopt;
  }
  return pairs;
}

constexpr const char* kTwoClasses = "or, if these two folders are two classes";

std::string folders_text(const SiblingFolders& siblings) {
  return "holds the folders " + quoted_text(siblings.images) + " and " +
         quoted_text(siblings.labels) + ", which look like images and labels";
}

Error sibling_error(const Layout& classes, const Layout& pairs, const std::string& folder,
                    const SiblingFolders& siblings) {
  const std::string how =
      siblings.affix.text.empty() ? "" : " but for " + quoted_text(siblings.affix.text);
  return data_error(
      folders_text(siblings) + ": " + counted_text(siblings.pairs, "pair") +
          " of files have equal names" + how + ", such as " +
          quoted_text(path_below(siblings.images, siblings.image_example)) + " and " +
          quoted_text(path_below(siblings.labels, siblings.label_example)) +
          ". To pack images and labels, run" +
          suggestions_text(
              {{"", pack_command(pairs, affix_options(siblings.affix, siblings.on_images))},
               class_suggestion(classes, kTwoClasses)}),
      folder);
}

Result<SuffixChoice> suffixes_of(const Layout& pairs) {
  std::vector<FileSet> sets;
  for (const SplitFolders& split : pairs.splits) {
    if (split.labels.empty()) continue;
    ProblemLog ignored;  // the command that packs the folders scans them again and reports them
    FileSet set;
    HOTPACK_ASSIGN(set.images, scan_images({{split.images, ""}}, ignored));
    HOTPACK_ASSIGN(set.labels, scan_images({{split.labels, ""}}, ignored));
    set.labeled = true;
    sets.push_back(std::move(set));
  }
  return choose_suffixes(sets, {});
}

// If there are several forms of labels with different suffixes, changes `siblings` to the suffix of
// the form that pack would use (ids rather than colors).
void take_label_suffix(const SuffixChoice& choice, SiblingFolders& siblings) {
  const SuffixRule& rule = choice.rule;
  const bool on_labels = !siblings.on_images && !siblings.affix.in_front;
  if (!choice.fits || !on_labels || rule.label.empty() || !rule.image.empty()) return;
  if (siblings.affix.text == rule.label) return;
  siblings.affix.text = rule.label;
  siblings.pairs = choice.pairs;
  siblings.label_example = siblings.image_example + rule.label;
}

Error kinds_error(const Layout& classes, const Layout& pairs, const std::string& folder,
                  const SiblingFolders& siblings, const std::vector<SuffixProposal>& kinds) {
  std::vector<Suggestion> suggestions;
  suggestions.reserve(kinds.size() + 1);
  for (const auto& [about, options] : kinds)
    suggestions.push_back({about, pack_command(pairs, options)});
  suggestions.push_back(class_suggestion(classes, kTwoClasses));
  return data_error(folders_text(siblings) + " (such as " +
                        quoted_text(path_below(siblings.images, siblings.image_example)) + " and " +
                        quoted_text(path_below(siblings.labels, siblings.label_example)) +
                        "). Labels of several kinds fit the images. Choose one kind:" +
                        suggestions_text(suggestions),
                    folder);
}

Status ask_about_siblings(const Layout& classes, const std::string& folder) {
  HOTPACK_ASSIGN(std::optional<SiblingFolders> siblings, find_sibling_folders(folder));
  if (!siblings) return {};
  const std::optional<Layout> pairs = pairs_in_place_of_classes(classes, *siblings);
  if (!pairs) return {};
  HOTPACK_ASSIGN(const SuffixChoice choice, suffixes_of(*pairs));
  if (choice.proposals.size() > 1)
    return kinds_error(classes, *pairs, folder, *siblings, choice.proposals);
  take_label_suffix(choice, *siblings);
  return sibling_error(classes, *pairs, folder, *siblings);
}

// The same splits with labels next to their images, below the folders that look like classes.
Layout one_folder_in_place_of_classes(const Layout& classes) {
  Layout pairs = classes;
  pairs.kind = Kind::one_folder;
  return pairs;
}

// Returns the option --classes for the class file in the folder; "" if there is none. Put it at the
// end of a command, so that the command line can drop it if the user gave options about classes.
std::string class_option(const std::string& folder) {
  const std::optional<FoundClassFile> found = find_class_file({folder});
  return found && found->table.ok() && !found->contradiction
             ? " --classes " + shell_path(found->path)
             : "";
}

std::string about_pair(const SampleFolders& samples, const SampleFolders::Expressions& pair,
                       bool is_first) {
  const std::string either = is_first ? "" : "or, ";
  if (!pair.label_example.empty())
    return either + "if " + quoted_text(pair.label_example) + " is the label";
  if (is_first) return "";
  return samples.mask_pattern.empty() ? "or" : "or, if that file alone is the label";
}

Error sample_folders_error(const Layout& classes, const std::string& folder,
                           const SampleFolders& samples) {
  std::string text =
      "holds " + std::to_string(samples.folders) + " folders " + samples.seen +
      (samples.several
           ? ": the files look like images and their labels rather than images of a class"
           : ": each folder looks like one sample rather than one class");
  if (!samples.pairs.empty() && samples.incomplete > 0)
    text += "; " + std::to_string(samples.incomplete) +
            (samples.incomplete == 1 ? " folder lacks" : " folders lack") +
            " one of these two files";
  if (samples.pairs.size() > 1) text += "; either file may be the label";
  const std::string rest = samples.more_files || samples.incomplete > 0 ? " --orphans skip" : "";
  const std::string table = class_option(folder);
  std::vector<Suggestion> suggestions;
  const Layout pairs = one_folder_in_place_of_classes(classes);
  if (!samples.mask_pattern.empty())
    suggestions.push_back(
        {"", pack_command(pairs, value_option("--image-suffix", samples.image_suffix) + " " +
                                     value_option("--mask-per-class", samples.mask_pattern))});
  for (const SampleFolders::Expressions& pair : samples.pairs)
    suggestions.push_back(
        {about_pair(samples, pair, suggestions.empty()),
         pack_command(pairs, regex_option(pair.image, pair.label) + rest + table)});
  if (samples.pairs.empty()) {
    text +=
        ". No regular expression was found that pairs the files: write a table of images and "
        "labels "
        "for --pairs FILE, or move images and labels into a folder each for --images and --labels";
    suggestions.push_back(class_suggestion(classes, "If each folder is a class, run"));
    return data_error(text + "." + suggestions_text(suggestions), folder);
  }
  suggestions.push_back(class_suggestion(classes, "or, if each folder is a class"));
  return data_error(text + ". To pack images and labels, run" + suggestions_text(suggestions),
                    folder);
}

// Masks next to the images of class folders would be packed as images.
Error labels_in_classes_error(const Layout& classes, const std::string& folder) {
  return data_error(
      "holds folders in which labels lie next to their images. To pack images and labels, run" +
          suggestions_text(
              {{"", pack_command(one_folder_in_place_of_classes(classes), class_option(folder))},
               class_suggestion(classes, "or, if each folder is a class")}),
      folder);
}

// ---- folders of labels next to or in those of images

// The options for the pairs of folders of a split, with their key prefixes.
std::string pair_options(const std::string& folder, const std::string& split,
                         const LabelFolders& found) {
  std::string text;
  for (const LabelFolders::Pair& pair : found.pairs)
    text += (text.empty() ? "" : " ") +
            ("--images " + shell_path(path_below(folder, pair.images))) + " --labels " +
            shell_path(path_below(folder, pair.labels)) + " " +
            value_option("--key-prefix", (split.empty() ? "" : split + "/") + pair.name);
  return text;
}

// `suffixes` replaces the options for how names differ, unless it is empty.
Result<std::optional<std::string>> label_folders_command(const Layout& classes,
                                                         const std::string& suffixes) {
  std::string options, more;
  for (const SplitFolders& split : classes.splits) {
    if (split.labels.empty()) continue;
    HOTPACK_ASSIGN(const std::optional<LabelFolders> found, find_label_folders(split.images));
    if (!found) return std::optional<std::string>();
    options += (options.empty() ? "" : " ") + pair_options(split.images, split.name, *found);
    // Excludes the labels in the folder within.
    more = found->within
               ? regex_option("^([^/]+)\\.[^.]+$", "^([^/]+)\\.[^.]+$") + " --orphans skip"
               : affix_options(found->affix, found->on_images);
  }
  if (!suffixes.empty()) more = suffixes;
  const bool splits = classes.splits.size() > 1;
  return std::optional(whole_command(options + (splits ? " --split folder" : "") +
                                     (more.empty() ? "" : " " + more)));
}

// One command per kind of label; none if a split has no such folders.
Result<std::vector<Suggestion>> label_folders_commands(const Layout& classes,
                                                       const std::string& folder,
                                                       const LabelFolders& found) {
  Layout pairs;
  for (const LabelFolders::Pair& pair : found.pairs)
    pairs.splits.push_back(
        {pair.name, path_below(folder, pair.images), path_below(folder, pair.labels), ""});
  std::vector<SuffixProposal> kinds{{"", ""}};
  if (!found.within) {
    HOTPACK_ASSIGN(SuffixChoice choice, suffixes_of(pairs));
    if (choice.proposals.size() > 1) kinds = std::move(choice.proposals);
  }
  std::vector<Suggestion> suggestions;
  for (const auto& [about, options] : kinds) {
    HOTPACK_ASSIGN(const std::optional<std::string> command,
                   label_folders_command(classes, options));
    if (command) suggestions.push_back({about, *command});
  }
  return suggestions;
}

Status ask_about_label_folders(const Layout& classes, const std::string& folder) {
  HOTPACK_ASSIGN(const std::optional<LabelFolders> found, find_label_folders(folder));
  if (!found) return {};
  HOTPACK_ASSIGN(std::vector<Suggestion> suggestions,
                 label_folders_commands(classes, folder, *found));
  if (suggestions.empty()) return {};
  const std::string lines =
      suggestions.size() > 1 ? "first commands leave " : "first command leaves ";
  const LabelFolders::Pair& first = found->pairs.front();
  std::string text = "holds " + std::to_string(found->pairs.size()) +
                     " pairs of folders whose files have the same names, such as " +
                     quoted_text(first.images) + " and " + quoted_text(first.labels) +
                     ": each pair looks like images and their labels";
  if (!found->alone.empty())
    text +=
        "; " + quoted_text(found->alone.front()) +
        (found->alone.size() > 1 ? " and " + std::to_string(found->alone.size() - 1) + " more have"
                                 : " has") +
        " no partner, and the " + lines + (found->alone.size() > 1 ? "them" : "it") + " out";
  suggestions.push_back(class_suggestion(classes, "or, if each folder is a class"));
  return data_error(text + ". To pack images and labels, run" + suggestions_text(suggestions),
                    folder);
}

Status check_classes_in(const Layout& layout, const SplitFolders& split,
                        const GivenSuffixes& given) {
  HOTPACK_TRY(ask_about_label_folders(layout, split.images));
  HOTPACK_ASSIGN(const std::optional<SampleFolders> samples, find_sample_folders(split.images));
  if (samples && !samples->pairs.empty())
    return sample_folders_error(layout, split.images, *samples);
  HOTPACK_ASSIGN(const bool labels_beside, holds_labels_beside_images(split.images, given));
  if (labels_beside) return labels_in_classes_error(layout, split.images);
  HOTPACK_TRY(ask_about_siblings(layout, split.images));
  return samples ? Status(sample_folders_error(layout, split.images, *samples)) : Status();
}

// ---- no known layout

Result<std::vector<std::string>> folders_with_images(const std::string& root,
                                                     const FolderContent& content) {
  std::vector<std::string> names;
  for (const std::string& name : content.folders) {
    HOTPACK_ASSIGN(const ImageFiles image_files, image_files_below(path_below(root, name)));
    if (image_files == ImageFiles::readable) names.push_back(name);
  }
  return names;
}

bool has_images(const FolderContent& content) {
  return std::any_of(content.files.begin(), content.files.end(), [](const std::string& name) {
    return describe_name(name).kind == FileKind::image;
  });
}

// Suggests suffixes of labels next to their images, if too few images have a label for a layout.
Status suggest_suffixes(const std::string& root, std::vector<Suggestion>& suggestions) {
  ProblemLog ignored;
  FileSet set;
  HOTPACK_ASSIGN(set.images, scan_images({{root, ""}}, ignored));
  set.labels = set.images;
  set.labeled = set.one_folder = true;
  Layout pairs = one_folder_in_place_of_classes(classes_of(root));
  for (const auto& [about, options] : choose_suffixes(std::span(&set, 1), {}).proposals)
    suggestions.push_back({"If " + about, pack_command(pairs, options)});
  return {};
}

// Folders that may be classes despite their names, such as mask and no_mask; alone or in splits.
Result<std::optional<Layout>> possible_classes(const std::string& root,
                                               const std::vector<std::string>& names) {
  Layout classes = classes_of(root);
  if (std::none_of(names.begin(), names.end(),
                   [](const std::string& name) { return usual_split_name(name); }))
    return names.size() >= 2 ? std::optional(std::move(classes)) : std::nullopt;
  classes.splits.clear();
  std::size_t most = 0;
  for (const std::string& name : names) {
    const std::string path = path_below(root, name);
    HOTPACK_ASSIGN(const FolderContent content, read_folder(path));
    HOTPACK_ASSIGN(const std::vector<std::string> within, folders_with_images(path, content));
    if (!usual_split_name(name) || has_images(content)) return std::optional<Layout>();
    classes.splits.push_back({name, path, path, ""});
    most = std::max(most, within.size());
  }
  return most >= 2 ? std::optional(std::move(classes)) : std::nullopt;
}

bool is_table(const std::string& name) {
  const std::string lower = lowered(name);
  return lower.ends_with(".csv") || lower.ends_with(".tsv");
}

// How a file that may be a table of the samples can be packed.
struct TableReading {
  std::string command;  // empty if it cannot
  std::string why_not;
};

// Why a table yields no command, after "may be a table of the samples, but ".
std::string table_fault(const Result<PairFileSamples>& read, const ProblemLog& problems) {
  if (!read.ok()) return "cannot be read as one: " + read.error().message;
  const auto& missing = problems.group(ProblemKind::missing_file).examples;
  if (missing.empty()) return "not all of its samples can be packed";
  return "names files that do not exist, such as " + missing.front().path +
         "; if it is one, give --pairs FILE and, with --root DIR, the folder where its paths begin";
}

// Tries the folder of the table and the folders in it as the place where its paths begin.
TableReading table_reading(const std::string& root, const std::string& table,
                           const std::vector<std::string>& folders) {
  std::vector<std::string> places{""};
  for (std::size_t i = 0; i < folders.size() && i < kMostTableFolders; ++i)
    places.push_back(path_below(root, folders[i]));
  const std::string path = path_below(root, table);
  TableReading reading;
  for (const std::string& place : places) {
    ProblemLog problems;
    const Result<PairFileSamples> read = read_pair_file({path, place, "", false}, problems);
    const bool some =
        read.ok() && std::any_of(read->splits.begin(), read->splits.end(),
                                 [](const Split& split) { return !split.list.samples.empty(); });
    if (some && problems.count() == 0) {
      reading.command = whole_command("--pairs " + shell_path(path) +
                                      (place.empty() ? "" : " --root " + shell_path(place)));
      return reading;
    }
    if (reading.why_not.empty()) reading.why_not = table_fault(read, problems);
  }
  return reading;
}

}  // namespace

Error ambiguous(const std::string& root, const std::vector<Layout>& readings) {
  std::vector<Suggestion> suggestions;
  if (const std::optional<Layout> all = combined(readings))
    suggestions.push_back({"all splits that have labels", pack_command(*all)});
  for (const Layout& layout : readings)
    suggestions.push_back({left_out_text(layout), pack_command(layout)});
  return data_error("can be read in " + std::to_string(suggestions.size()) +
                        " ways. Choose one:" + suggestions_text(suggestions),
                    root);
}

Status check_classes(const Layout& layout, const GivenSuffixes& given) {
  if (layout.kind != Kind::class_folders) return {};
  for (const SplitFolders& split : layout.splits)
    if (!split.labels.empty()) HOTPACK_TRY(check_classes_in(layout, split, given));
  return {};
}

Status check_level_of_classes(const Layout& layout, const std::string& given) {
  if (layout.kind != Kind::class_folders || layout.root == given) return {};
  HOTPACK_ASSIGN(const FolderContent content, read_folder(given));
  HOTPACK_ASSIGN(const std::vector<std::string> names, folders_with_images(given, content));
  if (names.size() < 2) return {};
  const auto is_found = [&](const std::string& name) {
    return (layout.root + "/").starts_with(path_below(given, name) + "/");
  };
  const auto other = std::find_if_not(names.begin(), names.end(), is_found);
  std::vector<Suggestion> suggestions;
  HOTPACK_ASSIGN(const std::optional<Layout> outer, possible_classes(given, names));
  if (outer)
    suggestions.push_back(class_suggestion(*outer, "if the folders in " + given + " are classes"));
  suggestions.push_back({"if those in " + layout.root + " are classes, without the images in " +
                             *other + (names.size() > 2 ? " and other folders" : ""),
                         pack_command(layout)});
  return data_error("has no layout of its own; " + layout.root +
                        " holds folders that look like classes, and " + *other +
                        " has images too. Run" + suggestions_text(suggestions),
                    given);
}

Status check_sibling_folders(const std::string& root) {
  return ask_about_siblings(classes_of(root), root);
}

Result<std::vector<Suggestion>> suggested_readings(const std::string& root,
                                                   const FolderContent& content,
                                                   std::string& seen) {
  HOTPACK_ASSIGN(const std::vector<std::string> folders, folders_with_images(root, content));
  std::vector<Suggestion> suggestions;
  std::size_t tables = 0;
  for (const std::string& name : content.files) {
    if (!is_table(name) || tables++ >= kMostTables) continue;
    const TableReading reading = table_reading(root, name, folders);
    if (reading.command.empty())
      seen += "; " + name + " may be a table of the samples, but " + reading.why_not;
    else if (suggestions.empty())
      suggestions.push_back({"The table " + name + " names files that exist", reading.command});
  }
  if (has_images(content)) {
    HOTPACK_TRY(suggest_suffixes(root, suggestions));
    return suggestions;
  }
  HOTPACK_ASSIGN(const std::optional<Layout> classes, possible_classes(root, folders));
  if (classes) suggestions.push_back({"If the folders are classes", pack_command(*classes)});
  return suggestions;
}

}  // namespace hotpack::pipeline
