#include "discovery/layout_questions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "discovery/folder_survey.hpp"
#include "discovery/known_layouts.hpp"
#include "discovery/layout_pattern.hpp"
#include "discovery/pairings.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/scan.hpp"
#include "files/tree_walk.hpp"
#include "samples/layout_commands.hpp"
#include "samples/pair_file.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

namespace {

using Kind = Layout::Kind;

constexpr std::size_t kMostTables = 4;  // that are read
constexpr std::size_t kMostTableFolders = 8;
constexpr std::size_t kMostNames = 4;     // of folders in a message
constexpr std::size_t kMostPairings = 3;  // that are proposed
constexpr std::size_t kMostRoles = 6;     // files of a sample's folder

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

// ---- the nearest rows

struct NearRow {
  std::string name, text;
  std::size_t folders = 0;
};

std::string below(const std::string& root, const std::string& path) {
  return path == root ? "." : path.substr(path_below(root, "").size());
}

// Describes the two rows of the table that match most folders of `root`.
Result<std::string> nearest_rows(const std::string& root) {
  std::vector<NearRow> near;
  for (const KnownLayout& row : known_layouts()) {
    HOTPACK_ASSIGN(const std::vector<FoundFolder> images, row.images.find(root));
    HOTPACK_ASSIGN(const std::vector<FoundFolder> labels, row.labels.find(root));
    if (images.empty() == labels.empty()) continue;
    const bool has_images = !images.empty();
    const FoundFolder& found = has_images ? images.front() : labels.front();
    near.push_back({std::string(row.name),
                    quoted_text(below(root, found.path)) + " would hold " +
                        (has_images ? "images" : "labels") + ", but no folder of " +
                        (has_images ? "labels" : "images") + " fits '" +
                        (has_images ? row.labels : row.images).text() + "'",
                    images.size() + labels.size()});
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const NearRow& a, const NearRow& b) { return a.folders > b.folders; });
  std::string text;
  std::size_t lines = 0;
  for (std::size_t i = 0; i < near.size() && lines < 2; ++i) {
    const bool again = std::any_of(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const NearRow& row) { return row.name == near[i].name; });
    if (again) continue;
    text += "\n  " + near[i].name + ": " + near[i].text;
    ++lines;
  }
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

// ---- the readings of an unknown folder

class Readings {
 public:
  explicit Readings(const FolderSurvey& survey) : survey_(survey), start_(start_of(survey)) {}

  // Proposals of commands, the likeliest first. Appends to `seen` what is no command.
  Result<std::vector<Suggestion>> suggest(std::string& seen) {
    std::vector<Suggestion> suggestions;
    HOTPACK_TRY(add_tables(suggestions, seen));
    const std::optional<Suggestion> classes = class_folders();
    if (classes && look_like_classes()) suggestions.push_back(*classes);
    add_pairings(suggestions, seen);
    add_sample_folders(seen);
    HOTPACK_TRY(add_suffixes(suggestions, seen));
    if (classes && !look_like_classes()) suggestions.push_back(*classes);
    return suggestions;
  }

 private:
  [[nodiscard]] std::string path(const std::string& folder) const {
    return folder.empty() ? survey_.root : path_below(survey_.root, folder);
  }
  [[nodiscard]] std::string part_folder(const std::string& part) const {
    return part.empty() ? start_.folder : start_.folder.empty() ? part : start_.folder + "/" + part;
  }
  [[nodiscard]] bool has_images(const std::string& folder) const {
    const auto found = survey_.folders.find(folder);
    return found != survey_.folders.end() && !found->second.images.empty();
  }

  // ---- classes

  [[nodiscard]] std::optional<Suggestion> class_folders() const {
    std::vector<std::string> names;
    for (const std::string& part : start_.parts) {
      const std::vector<std::string> children = survey_.children(part_folder(part));
      if (children.size() > names.size()) names = children;
    }
    const bool splits = !start_.parts.front().empty();
    if (names.size() < 2) return std::nullopt;
    return Suggestion{"If each folder is a class (" + quoted_list_text(names, kMostNames) + ")",
                      whole_command("--image-folders " + shell_path(path(start_.folder)) +
                                    (splits ? " --split folder" : ""))};
  }

  // True if every folder holds photographs and no name speaks of images or labels.
  [[nodiscard]] bool look_like_classes() const {
    for (const std::string& part : start_.parts)
      for (const std::string& name : survey_.children(part_folder(part))) {
        const std::string folder =
            part_folder(part).empty() ? name : part_folder(part) + "/" + name;
        const FolderSurvey::Looks looks = survey_.looks(folder);
        if (looks.photographs == 0 || looks.label_like > 0 || is_images_word(name) ||
            is_labels_word(name))
          return false;
      }
    return true;
  }

  // ---- images and labels

  void add_pairings(std::vector<Suggestion>& suggestions, std::string& seen) const {
    const std::vector<Pairing> pairings = find_pairings(survey_);
    const bool sure = !pairings.empty() && pairings.front().evidence > 1;
    std::size_t proposed = 0;
    for (const Pairing& pairing : pairings) {
      if ((sure && pairing.evidence < 2) || (!sure && look_like_classes())) continue;
      if (proposed++ == kMostPairings) break;
      const SplitFolders& first = pairing.layout.splits.front();
      const std::string images = quoted_text(below(survey_.root, first.images)),
                        labels = quoted_text(below(survey_.root, first.labels));
      std::string about =
          labels + " holds the labels of " + images + " (" + counted_text(pairing.pairs, "pair");
      for (std::size_t i = 0; i < pairing.examples.size(); ++i)
        about += (i == 0 ? ", such as " : ", ") + quoted_text(pairing.examples[i].first) + " and " +
                 quoted_text(pairing.examples[i].second);
      about += ")";
      if (pairing.complete() && !pairing.affix.in_front)
        suggestions.push_back({"If " + about, pairing_command(pairing)});
      else if (pairing.complete())
        seen += "\nPerhaps " + about +
                ": name both folders, and write --pair-regex for the prefix " +
                quoted_text(pairing.affix.text);
      else
        seen += "\nPerhaps " + about + ", but " +
                counted_text(pairing.images - pairing.pairs, "image") +
                " would have no label: move these images, or leave them out with --orphans";
    }
  }

  static std::string pairing_command(const Pairing& pairing) {
    const std::string option = pairing.on_images ? "--image-suffix" : "--label-suffix";
    return pack_command(pairing.layout,
                        pairing.affix.text.empty() ? "" : value_option(option, pairing.affix.text));
  }

  // ---- a folder per sample

  // A file in the folders of samples: "{key}/mask.png" or "{key}/masks/*".
  struct Role {
    std::string pattern;
    std::size_t folders = 0;
    std::size_t most = 0;  // files in one folder
    bool is_label = false, is_image = false;
  };

  void add_sample_folders(std::string& seen) const {
    std::map<std::string, Role> roles;
    std::size_t folders = 0;
    for (const std::string& part : start_.parts)
      for (const std::string& name : survey_.children(part_folder(part))) {
        ++folders;
        count_roles(part_folder(part).empty() ? name : part_folder(part) + "/" + name, name, roles);
      }
    if (folders < 2) return;
    std::vector<Role> common;
    for (auto& [pattern, role] : roles)
      if (role.folders * 100 >= folders * 95) common.push_back(role);
    if (common.size() < 2 || common.size() > kMostRoles || roles.size() > 4 * kMostRoles) return;
    const bool named =
        std::any_of(common.begin(), common.end(), [](const Role& role) { return role.is_label; });
    if (!named && common.size() > 2) return;
    for (const Role& label : common)
      for (const Role& image : common)
        if (&image != &label && image.most == 1 && !label.is_image && !image.is_label &&
            (label.is_label || !named))
          add_sample_command(image, label, seen);
  }

  void count_roles(const std::string& folder, const std::string& name,
                   std::map<std::string, Role>& roles) const {
    std::map<std::string, std::size_t> files;
    const auto here = survey_.folders.find(folder);
    if (here != survey_.folders.end())
      for (const std::string& file : here->second.images) ++files[file_pattern(file, name)];
    for (const std::string& child : survey_.children(folder)) {
      const auto inner = survey_.folders.find(folder + "/" + child);
      if (inner != survey_.folders.end()) files[child + "/*"] += inner->second.images.size();
    }
    files.erase("");
    for (const auto& [pattern, count] : files) {
      Role& role = roles[pattern];
      role.pattern = pattern;
      ++role.folders;
      role.most = std::max(role.most, count);
      const std::string word = pattern.substr(0, pattern.find_first_of("/."));
      const std::string bare = word.substr(std::min(word.find_first_not_of("*_-. "), word.size()));
      role.is_label = is_labels_word(bare), role.is_image = is_images_word(bare);
    }
  }

  // The name of a file with '*' in place of the folder's name; empty if it is a number, as the
  // names of frames are.
  static std::string file_pattern(std::string file, const std::string& folder) {
    if (folder.size() > 1 && file.starts_with(folder)) file.replace(0, folder.size(), "*");
    const std::string stem = file.substr(0, describe_name(file).stem_length);
    return stem.find_first_not_of("0123456789_-. ") == std::string::npos ? "" : file;
  }

  static void add_sample_command(const Role& image, const Role& label, std::string& seen) {
    seen += "\nPerhaps each folder is a sample with its image in '" + image.pattern +
            "' and its label in '" + label.pattern + "'" +
            (label.most > 1 ? ", several masks of an image: join them into one PNG per image first"
                            : ": name the folder with --images and with --labels, and write "
                              "--pair-regex, or a table for --pairs");
  }

  // ---- labels next to their images

  Status add_suffixes(std::vector<Suggestion>& suggestions, std::string& seen) const {
    if (!has_images(start_.folder)) return {};
    const std::string folder = path(start_.folder);
    ProblemLog ignored;
    FileSet set;
    HOTPACK_ASSIGN(set.images, scan_images({{folder, ""}}, ignored));
    set.labels = set.images;
    set.labeled = set.one_folder = true;
    Layout pairs;
    pairs.kind = Kind::one_folder;
    pairs.root = folder;
    pairs.splits.push_back({"", folder, folder, ""});
    for (const auto& [about, options, orphans] :
         choose_suffixes(std::span(&set, 1), {}).proposals) {
      if (orphans)
        seen += "\nPerhaps " + about + " (" + options + "); the others would have to be left out";
      else
        suggestions.push_back({"If " + about, pack_command(pairs, options)});
    }
    return {};
  }

  // ---- tables

  Status add_tables(std::vector<Suggestion>& suggestions, std::string& seen) const {
    HOTPACK_TRY(add_tables_in("", suggestions, seen));
    return start_.folder.empty() ? Status() : add_tables_in(start_.folder, suggestions, seen);
  }

  Status add_tables_in(const std::string& folder, std::vector<Suggestion>& suggestions,
                       std::string& seen) const {
    HOTPACK_ASSIGN(const FolderContent content, read_folder(path(folder)));
    std::size_t tables = 0;
    for (const std::string& name : content.files) {
      if (!is_table(name) || tables++ >= kMostTables) continue;
      const TableReading reading = table_reading(path(folder), name, survey_.children(folder));
      if (reading.command.empty())
        seen += "\n" + name + " may be a table of the samples, but " + reading.why_not;
      else if (suggestions.empty())
        suggestions.push_back({"The table " + name + " names files that exist", reading.command});
    }
    return {};
  }

  const FolderSurvey& survey_;
  SurveyStart start_;
};

// Describes a file that may hold the labels in a form that hotpack does not read.
class AnnotationSearch : public TreeVisitor {
 public:
  [[nodiscard]] bool needs_sizes() const override { return false; }
  bool file(const std::string& file, std::uint64_t) override {
    const FileName name = describe_name(file);
    if (name.kind != FileKind::annotation || file.ends_with(".csv")) return true;
    text = "\nIt holds " + quoted_text(file) + ", but " + unsupported_text(name.format);
    return false;
  }
  std::string text;
};

constexpr std::string_view kGeneral =
    "\nTo pack it, name the samples: --images DIR --labels DIR for folders of images and labels, "
    "--images DIR for images without labels, --image-folders DIR for class folders, --pairs FILE "
    "for a table.";

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

Error unknown_layout(const std::string& root) {
  HOTPACK_ASSIGN(const FolderSurvey survey, survey_folders(root));
  if (!survey.has_images())
    return data_error("no image was found in this folder or below" +
                          (survey.folders.empty() ? ": it holds no files" : ":" + survey.text()),
                      root);
  AnnotationSearch annotations;
  HOTPACK_TRY(walk_tree(root, annotations));
  HOTPACK_ASSIGN(std::string seen, nearest_rows(root));
  seen += annotations.text;
  HOTPACK_ASSIGN(const std::vector<Suggestion> suggestions, Readings(survey).suggest(seen));
  return data_error("has no known layout. It holds:" + survey.text() + seen +
                        std::string(kGeneral) + suggestions_text(suggestions),
                    root);
}

}  // namespace hotpack::pipeline
