#include "discovery/layout_questions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "discovery/class_folders.hpp"
#include "discovery/folder_survey.hpp"
#include "discovery/known_layouts.hpp"
#include "discovery/layout_pattern.hpp"
#include "discovery/pairings.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/listed_path.hpp"
#include "files/path_pattern.hpp"
#include "files/scan.hpp"
#include "samples/layout_commands.hpp"
#include "samples/pair_file.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

namespace {

using Kind = Layout::Kind;

constexpr std::size_t kMostTables = 4;  // that are read
constexpr std::size_t kMostTableFolders = 8;

// ---- several readings

bool is_combinable(const Layout& layout) {
  return layout.kind == Kind::folders && layout.image_expression.empty() &&
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

// The first split of a reading that another reading does not have.
const SplitFolders& own_split(const Layout& layout, const Layout& other) {
  const auto own =
      std::find_if(layout.splits.begin(), layout.splits.end(), [&](const SplitFolders& split) {
        return std::none_of(other.splits.begin(), other.splits.end(), [&](const auto& one) {
          return one.images == split.images && one.labels == split.labels && one.list == split.list;
        });
      });
  return own == layout.splits.end() ? layout.splits.front() : *own;
}

// ---- the nearest rows

struct NearRow {
  std::string name, text;
  std::size_t folders = 0;
};

// A path that fits a pattern: "train_labels" for "{split}{-}{labels}".
std::string example_of(std::string text, const std::string& split) {
  const std::vector<Placeholder> words{
      {"{split}", split},     {"{-}", "_"},      {"{_v2}", ""}, {"{images}", "images"},
      {"{labels}", "labels"}, {"{TR|TE}", "TR"}, {"{*}", "x"},  {"{n}", "0"}};
  for (const Placeholder& word : words)
    for (std::size_t at = text.find(word.text); at != text.npos; at = text.find(word.text))
      text.replace(at, word.text.size(), word.expression);
  return text;
}

// Describes the two rows of the table that match most folders of the root, without data sets of
// which one folder has a usual name.
std::string nearest_rows(const FolderSurvey& survey) {
  std::vector<NearRow> near;
  for (const KnownLayout& row : known_layouts()) {
    const std::vector<FoundFolder> images = row.images.find(survey, ""),
                                   labels = row.labels.find(survey, "");
    if (images.empty() == labels.empty()) continue;
    const bool has_images = !images.empty();
    const FoundFolder& found = has_images ? images.front() : labels.front();
    const std::string_view matched = (has_images ? row.images : row.labels).text();
    if (row.rank == LayoutRank::data_set && (is_images_word(matched) || is_labels_word(matched)))
      continue;
    near.push_back(
        {std::string(row.name),
         quoted_text(found.path.empty() ? "." : found.path) + " would hold " +
             (has_images ? "images, but no folder has a name of their labels, such as "
                         : "labels, but no folder has a name of their images, such as ") +
             quoted_text(example_of((has_images ? row.labels : row.images).text(),
                                    found.split.empty() ? "train" : found.split)),
         images.size() + labels.size()});
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const NearRow& a, const NearRow& b) { return a.folders > b.folders; });
  std::string text;
  std::set<std::string> names;
  for (const NearRow& row : near)
    if (names.size() < 2 && names.insert(row.name).second)
      text += "\n  " + row.name + ": " + row.text;
  return text.empty() ? text : "\nThe nearest known layouts:" + text;
}

// ---- tables

bool is_table(const std::string& name) {
  const std::string lower = lowered(name);
  return lower.ends_with(".csv") || lower.ends_with(".tsv");
}

// A reading of a file that may be a table of the samples.
struct TableReading {
  std::string command;  // empty if it cannot
  std::string why_not;
};

// Why a table yields no command, after "may be a table of the samples, but ".
std::string table_fault(const Result<PairFileSamples>& read, const ProblemLog& problems) {
  if (!read.ok()) {
    const std::string& why = read.error().message;
    return "cannot be read as one: " + why.substr(0, why.find('\n'));
  }
  const auto& missing = problems.group(ProblemKind::missing_file).examples;
  if (!missing.empty())
    return "names files that do not exist, such as " + missing.front().path +
           "; if it is one, give --pairs FILE and, with --root DIR, the folder where its paths "
           "begin";
  std::string fault = "not all of its samples can be packed";
  for (const ProblemKind kind : {ProblemKind::listed_twice, ProblemKind::duplicate_key,
                                 ProblemKind::unsupported_file, ProblemKind::unusable_name})
    if (const auto& examples = problems.group(kind).examples; !examples.empty())
      return fault + ": " + examples.front().text();
  return fault;
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
    InputOptions input;
    input.pairs = path;
    input.list_root = place;
    const Result<PairFileSamples> read = read_pair_file(path, input, problems);
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

// ---- the readings of an unknown folder

// A command for the likeliest table in the root. Appends to `seen` why others yield none.
void add_tables(const FolderSurvey& survey, std::vector<Suggestion>& suggestions,
                std::string& seen) {
  std::size_t tables = 0;
  for (const std::string& name : survey.at("").others) {
    if (!is_table(name) || tables++ >= kMostTables) continue;
    const TableReading reading = table_reading(survey.root, name, survey.children(""));
    if (reading.command.empty())
      seen += "\n" + name + " may be a table of the samples, but " + reading.why_not;
    else
      suggestions.push_back({"The table " + name + " names files that exist", reading.command});
  }
}

// Labels next to their images in one folder, by suffixes.
Status add_suffixes(const FolderSurvey& survey, std::vector<Suggestion>& suggestions,
                    std::string& seen) {
  if (survey.at("").images.empty()) return {};
  ProblemLog ignored;
  FileSet set;
  HOTPACK_ASSIGN(set.images, scan_images({{survey.root, ""}}, ignored));
  set.labels = set.images;
  set.labeled = set.one_folder = true;
  for (const auto& [about, options, orphans] : choose_suffixes(std::span(&set, 1), {}).proposals) {
    const std::string folder = shell_path(survey.root);
    if (orphans)
      seen += "\nPerhaps " + about + " (" + options + "); the others would have to be left out";
    else
      suggestions.push_back({"If " + about, whole_command("--images " + folder + " --labels " +
                                                          folder + " " + options)});
  }
  return {};
}

// Proposals of commands, the likeliest first. Appends to `seen` what is no command.
Result<std::vector<Suggestion>> readings_of(const FolderSurvey& survey, std::string& seen) {
  std::vector<Suggestion> suggestions;
  add_tables(survey, suggestions, seen);
  const Pairings pairings = find_pairings(survey);
  const ClassFolders classes = find_class_folders(survey, pairings.folders);
  const auto add = [&](const std::vector<Suggestion>& more) {
    suggestions.insert(suggestions.end(), more.begin(), more.end());
  };
  if (classes.sure) add(classes.suggestions);
  add(pairings.suggestions);
  if (pairings.suggestions.empty()) HOTPACK_TRY(add_suffixes(survey, suggestions, seen));
  if (!classes.sure) add(classes.suggestions);
  return suggestions;
}

// Describes a file that may hold the labels, or else an image, in a form that hotpack does not
// read.
std::string foreign_text(const FolderSurvey& survey, FileKind kind) {
  for (const auto& [folder, content] : survey.folders)
    for (const std::string& name : content.others)
      if (const FileName file = describe_name(name);
          file.kind == kind && !(kind == FileKind::annotation && name.ends_with(".csv")))
        return "\nIt holds " + quoted_text(joined(folder, name)) + ", but " +
               unsupported_text(file.format);
  return {};
}

// Names lists of splits in the root or a usual folder, which no proposed command uses.
std::string lists_text(const FolderSurvey& survey) {
  std::map<std::string, std::string> lists;  // by split
  for (const std::string folder : {"", "splits", "split", "lists", "list", "folds"})
    for (const std::string& name : survey.at(folder).others)
      if (const std::string split = split_in(name); name.ends_with(".txt") && !split.empty())
        lists.try_emplace(split, survey.path(joined(folder, name)));
  std::string parts;
  for (const auto& [split, file] : lists) parts += (parts.empty() ? "" : ",") + split + "=" + file;
  return parts.empty()
             ? ""
             : "\nIt may hold lists of splits; to use them, add to a command\n  --split " +
                   shell_word("list:" + parts);
}

constexpr std::string_view kGeneral =
    "\nTo pack it, name the samples:"
    "\n  --images DIR --labels DIR  folders of images and labels; without labels --images DIR"
    "\n  … --key-prefix NAME  several pairs: repeat all three; --split folder if NAMEs are splits"
    "\n  --images 'D/{key}_rgb.png' --labels 'D/{key}_seg.png'  if names differ; "
    "'D/{key}_mask*.png' if an image has several masks"
    "\n  --images D --labels D --mask-per-class '{key}_{class}'  a mask per class"
    "\n  --image-folders DIR  each folder in DIR is a class; --split folder if DIR holds splits"
    "\n  --pairs FILE --columns image=NAME,label=NAME  a table of the samples";

}  // namespace

Error ambiguous(const FolderSurvey& survey, const std::vector<Layout>& readings) {
  std::vector<Suggestion> suggestions;
  if (const std::optional<Layout> all = combined(readings))
    suggestions.push_back({"all splits that have labels", pack_command(*all)});
  for (const Layout& layout : readings) {
    const SplitFolders& split = own_split(layout, readings[&layout == &readings[0] ? 1 : 0]);
    const std::string left_out = left_out_text(layout);
    suggestions.push_back(
        {"If " + quoted_text(layout.relative(split.labels.empty() ? split.images : split.labels)) +
             " holds labels" +
             (split.list.empty()
                  ? ""
                  : ", listed in " + quoted_text(layout.relative(folder_of(split.list)))) +
             (left_out.empty() ? "" : "; " + left_out),
         pack_command(layout)});
  }
  const std::string& root = readings[0].root;
  return data_error("can be read in " + std::to_string(suggestions.size()) +
                        " ways. It holds:" + survey.text(survey.below(root)) +
                        "\nChoose one:" + suggestions_text(suggestions),
                    root);
}

Error unknown_layout(const FolderSurvey& survey) {
  const std::string image = foreign_text(survey, FileKind::unsupported);
  const std::string files = survey.text();
  if (survey.kind_of("") != ImageFiles::readable)
    return data_error("no image was found in this folder or below" +
                          (files.empty() ? ": it holds no files" : ":" + files) + image,
                      survey.root);
  std::string seen = nearest_rows(survey) + image + foreign_text(survey, FileKind::annotation) +
                     lists_text(survey);
  HOTPACK_ASSIGN(const std::vector<Suggestion> suggestions, readings_of(survey, seen));
  return data_error("has no known layout. It holds:" + files + seen + std::string(kGeneral) +
                        suggestions_text(suggestions),
                    survey.root);
}

Error no_pairs(const std::string& root, const std::string& why) {
  HOTPACK_ASSIGN(const FolderSurvey survey, survey_folders(root));
  return data_error(why + ". It holds:" + survey.text() + std::string(kGeneral) +
                        suggestions_text(find_pairings(survey).suggestions),
                    root);
}

}  // namespace hotpack::pipeline
