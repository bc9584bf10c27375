#include "discovery/layout_readings.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "discovery/folder_survey.hpp"
#include "discovery/known_layouts.hpp"
#include "discovery/layout_pattern.hpp"
#include "files/file_kind.hpp"
#include "files/key_text.hpp"
#include "files/pair_table.hpp"
#include "files/scan.hpp"
#include "files/text_lines.hpp"
#include "samples/layout_commands.hpp"

namespace hotpack::pipeline {

namespace {

using Layouts = std::vector<Layout>;
using Kind = Layout::Kind;

Error unclear_layout(const std::string& root, const std::string& why) {
  return data_error(
      why +
          "; rename or move the unrelated folders, or name the folders of the samples with "
          "--images and --labels, one pair per split with "
          "--key-prefix NAME and --split folder",
      root);
}

void sort_splits(Layout& layout) {
  std::sort(layout.splits.begin(), layout.splits.end(),
            [](const SplitFolders& a, const SplitFolders& b) { return a.name < b.name; });
}

// ---- images and labels in folders of their own

std::set<std::string> words_of(const std::vector<FoundFolder>& folders) {
  std::set<std::string> words;
  for (const FoundFolder& folder : folders) words.insert(lowered(folder.word));
  return words;
}

struct PairReading {
  Layout layout;
  ImageFiles images = ImageFiles::none, labels = ImageFiles::none;  // the best kind in any split
  std::string conflict;  // why the folders cannot be matched, for people; empty if they can
};

// Reads the folders of a pattern that have one word for images ("img") and one for labels ("mask").
class PairReader {
 public:
  // `labels` may hold folders of other words.
  PairReader(const FolderSurvey& survey, const std::vector<FoundFolder>& images,
             const std::vector<FoundFolder>& labels, std::string labels_word)
      : survey_(survey), images_(images), labels_(labels), labels_word_(std::move(labels_word)) {}

  PairReading read(const std::string& images_word) {
    for (const FoundFolder& folder : images_) {
      const ImageFiles kind = survey_.kind_of(folder.path);
      if (lowered(folder.word) != images_word || kind == ImageFiles::none) continue;
      reading_.images = std::max(reading_.images, kind);
      take_expression(folder, reading_.layout.image_expression);
      reading_.layout.splits.push_back(
          {folder.split, survey_.path(folder.path), labels_of(folder), ""});
    }
    sort_splits(reading_.layout);
    check_folders();
    check_unlabeled();
    return std::move(reading_);
  }

 private:
  // The folder of a split's labels; empty if there is none with images.
  std::string labels_of(const FoundFolder& images) {
    std::vector<std::string> exact, alike;
    std::string empty;
    for (const FoundFolder& folder : labels_) {
      if (lowered(folder.word) != labels_word_ || lowered(folder.split) != lowered(images.split) ||
          (folder.path == images.path && folder.expression.empty()))
        continue;
      take_expression(folder, reading_.layout.label_expression);
      const ImageFiles kind = survey_.kind_of(folder.path);
      reading_.labels = std::max(reading_.labels, kind);
      if (kind == ImageFiles::none)
        empty = survey_.path(folder.path);
      else
        (folder.split == images.split ? exact : alike).push_back(survey_.path(folder.path));
    }
    const std::vector<std::string>& found = exact.empty() ? alike : exact;
    if (found.size() > 1)
      note_conflict("the labels of " + quoted_text(survey_.path(images.path)) + " may be in " +
                    quoted_text(found[0]) + " or in " + quoted_text(found[1]));
    if (found.empty() && !empty.empty())
      note_conflict("the folder " + quoted_text(empty) + " of the labels of " +
                    quoted_text(survey_.path(images.path)) + " holds no images");
    return found.empty() ? std::string() : found.front();
  }

  // The folders of all splits have one expression.
  void take_expression(const FoundFolder& folder, std::string& expression) {
    if (!expression.empty() && expression != folder.expression)
      note_conflict("the files in " + quoted_text(survey_.path(folder.path)) +
                    " have other names than those of other splits");
    expression = folder.expression;
  }

  // Notes a conflict if a split has two folders of images, or two splits have one of labels.
  void check_folders() {
    const std::vector<SplitFolders>& splits = reading_.layout.splits;
    for (std::size_t i = 0; i < splits.size(); ++i)
      for (std::size_t j = i + 1; j < splits.size(); ++j) {
        const std::string both =
            quoted_text(splits[i].images) + " and " + quoted_text(splits[j].images);
        if (splits[i].name == splits[j].name)
          note_conflict("both " + both + " hold images" +
                        (splits[i].name.empty() ? "" : " of the split '" + splits[i].name + "'"));
        else if (!splits[i].labels.empty() && splits[i].labels == splits[j].labels)
          note_conflict("the labels of both " + both + " may be in " +
                        quoted_text(splits[i].labels));
      }
  }

  // Notes a conflict if a folder of images has no folder of labels and at the same time a folder of
  // labels has no folder of images: their names may just differ, such as "val" and "validation".
  void check_unlabeled() {
    const std::vector<SplitFolders>& splits = reading_.layout.splits;
    const auto alone = std::find_if(splits.begin(), splits.end(),
                                    [](const SplitFolders& split) { return split.labels.empty(); });
    if (alone == splits.end()) return;
    for (const FoundFolder& folder : labels_) {
      const auto is_its = [&](const FoundFolder& images) {
        return lowered(images.split) == lowered(folder.split);
      };
      if (!std::any_of(images_.begin(), images_.end(), is_its) &&
          survey_.kind_of(folder.path) != ImageFiles::none)
        note_conflict("no folder holds the labels of " + quoted_text(alone->images) +
                      ", and no folder holds the images of " +
                      quoted_text(survey_.path(folder.path)));
    }
  }

  void note_conflict(const std::string& why) {
    if (reading_.conflict.empty()) reading_.conflict = why;
  }

  const FolderSurvey& survey_;
  const std::vector<FoundFolder>& images_;
  const std::vector<FoundFolder>& labels_;
  std::string labels_word_;
  PairReading reading_;
};

void add_pair_readings(const FolderSurvey& survey, const std::string& folder,
                       const KnownLayout& row, std::vector<PairReading>& readings) {
  const std::vector<FoundFolder> images = row.images.find(survey, folder);
  if (images.empty()) return;
  const std::vector<FoundFolder> labels = row.labels.find(survey, folder);
  for (const std::string& images_word : words_of(images))
    for (const std::string& labels_word : words_of(labels)) {
      PairReading reading = PairReader(survey, images, labels, labels_word).read(images_word);
      if (reading.labels < reading.images || reading.labels == ImageFiles::none) continue;
      reading.layout.name = row.name;
      reading.layout.usual = row.rank != LayoutRank::data_set;
      reading.layout.root = survey.path(folder);
      reading.layout.exclude.assign(row.exclude.begin(), row.exclude.end());
      readings.push_back(std::move(reading));
    }
}

// ---- lists of samples

using Lists = std::vector<std::pair<std::string, std::string>>;

// Returns the files train.txt, val.txt, … of a folder, each with the name of its split. A list for
// several splits (trainval) is left out if there is a list for one of these splits.
Lists split_lists(const FolderSurvey& survey, const std::string& folder) {
  Lists lists;
  for (const std::string& file : survey.at(folder).others)
    if (file.ends_with(".txt") &&
        usual_split_name(std::string_view(file).substr(0, file.size() - 4)))
      lists.emplace_back(file.substr(0, file.size() - 4), survey.path(joined(folder, file)));
  const auto is_joint = [](const auto& list) {
    return lowered(list.first).starts_with("trainval");
  };
  const auto is_part = [](const auto& list) {
    return lowered(list.first) == "train" || lowered(list.first) == "val";
  };
  if (std::any_of(lists.begin(), lists.end(), is_part)) std::erase_if(lists, is_joint);
  return lists;
}

// The text of lists, to compare those of two places.
Result<std::string> text_of(const Lists& lists) {
  std::string all;
  for (const auto& [name, file] : lists) {
    HOTPACK_ASSIGN(const std::string text, read_list_text(file));
    TextLines lines(text);
    all += lowered(name) + "\n";
    while (const std::optional<TextLine> line = lines.next())
      all += "\t" + std::string(line->text) + "\n";
  }
  return all;
}

// If the layout is one set of samples without a name, divides it into splits by the lists in the
// first of `places` that has any. With `all_places`, also returns a layout for each other place
// with different lists.
Result<Layouts> with_lists(const FolderSurvey& survey, const Layout& layout,
                           const std::vector<std::string_view>& places, bool all_places) {
  if (layout.splits.size() != 1 || !layout.splits[0].name.empty()) return Layouts{layout};
  const SplitFolders all = layout.splits[0];
  Layouts found;
  std::set<std::string> texts;
  for (const std::string_view place : places) {
    const Lists lists = split_lists(
        survey, joined(survey.below(layout.root), place == "." ? "" : std::string(place)));
    if (lists.empty() || (!found.empty() && !all_places)) continue;
    HOTPACK_ASSIGN(std::string text, text_of(lists));
    if (!texts.insert(std::move(text)).second) continue;
    found.push_back(layout);
    found.back().splits.clear();
    for (const auto& [name, file] : lists)
      found.back().splits.push_back({name, all.images, all.labels, file});
    sort_splits(found.back());
  }
  return found.empty() ? Layouts{layout} : found;
}

// Chooses among readings: those whose labels are images that hotpack can read are preferred to all
// others. If two patterns find the same folders, keeps only one of the readings. Fails if a reading
// that is kept has a conflict.
Result<Layouts> best_of(std::vector<PairReading> readings) {
  ImageFiles best = ImageFiles::none;
  for (const PairReading& reading : readings) best = std::max(best, reading.labels);
  Layouts layouts;
  for (PairReading& reading : readings) {
    const auto is_same = [&](const Layout& other) {
      return std::equal(other.splits.begin(), other.splits.end(), reading.layout.splits.begin(),
                        reading.layout.splits.end(),
                        [](const SplitFolders& a, const SplitFolders& b) {
                          return a.images == b.images && a.labels == b.labels && a.list == b.list;
                        });
    };
    if (reading.labels != best || std::any_of(layouts.begin(), layouts.end(), is_same)) continue;
    if (!reading.conflict.empty()) return unclear_layout(reading.layout.root, reading.conflict);
    layouts.push_back(std::move(reading.layout));
  }
  return layouts;
}

// True if several folders in `base`, and all that hold images, have one folder of images and one of
// labels each, with the same names. A single one is a data set of its own.
bool are_sequences(const FolderSurvey& survey, const std::string& base) {
  std::size_t sequences = 0;
  std::set<std::string> images, labels;
  for (const std::string& name : survey.at(base).folders) {
    const std::string folder = joined(base, name);
    if (survey.kind_of(folder) == ImageFiles::none) continue;
    const auto add = [&](bool (*is_word)(std::string_view), std::set<std::string>& words) {
      std::size_t found = 0;
      for (const std::string& inner : survey.at(folder).folders)
        if (is_word(inner)) ++found, words.insert(lowered(inner));
      return found == 1;
    };
    if (!add(is_images_word, images) || !add(is_labels_word, labels)) return false;
    if (!split_lists(survey, folder).empty()) return false;  // it is a data set with splits
    ++sequences;
  }
  return sequences > 1 && images.size() == 1 && labels.size() == 1;
}

std::string row_command(const KnownLayout& row, const std::string& root) {
  std::string options;
  for (std::string_view rest = row.options; !rest.empty();) {
    const std::string word(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    options +=
        (options.empty() ? "" : " ") +
        (word.starts_with("R/") ? shell_path(path_below(root, word.substr(2))) : shell_word(word));
  }
  return whole_command(options);
}

// Refuses folders that each hold one image and its masks, one per object.
Status refuse_several_masks(const FolderSurvey& survey, const std::string& base) {
  for (const std::string& name : survey.at(base).folders) {
    const std::string folder = joined(base, name);
    const std::vector<std::string>& inner = survey.at(folder).folders;
    const auto images = std::find_if(inner.begin(), inner.end(), is_images_word);
    const auto labels = std::find_if(inner.begin(), inner.end(), is_labels_word);
    if (images == inner.end() || labels == inner.end()) continue;
    if (survey.at(joined(folder, *images)).images.size() != 1) return {};
    const std::string pattern = path_below(survey.path(base), "{key}/");
    if (survey.at(joined(folder, *labels)).images.size() > 1)
      return data_error("holds folders with one image and several masks each, such as " +
                            quoted_text(survey.path(folder)) +
                            ". Say what the masks of an image become:" +
                            merging_commands("--images " + shell_path(pattern + *images + "/*") +
                                             " --labels " + shell_path(pattern + *labels + "/*")),
                        survey.path(base));
  }
  return {};
}

Result<Layouts> pair_readings(const FolderSurvey& survey, const std::string& folder,
                              LayoutRank rank) {
  std::vector<PairReading> readings;
  for (const KnownLayout& row : known_layouts()) {
    if (row.rank != rank) continue;
    const std::size_t before = readings.size();
    add_pair_readings(survey, folder, row, readings);
    const auto base = [&](std::size_t i) {
      return survey.below(readings[i].layout.splits.front().images);
    };
    if (rank == LayoutRank::sequences && readings.size() > before &&
        !are_sequences(survey, base(before)))
      readings.resize(before);
    for (std::size_t i = before, end = readings.size(); i < end; ++i) {
      if (!row.refusal.empty())
        return data_error("has the layout of " + std::string(row.name) + ", in which " +
                              std::string(row.refusal) + ". Run\n  " +
                              row_command(row, survey.path(folder)),
                          survey.path(folder));
      if (!readings[i].layout.image_expression.empty())
        HOTPACK_TRY(refuse_several_masks(survey, base(i)));
      HOTPACK_ASSIGN(Layouts listed,
                     with_lists(survey, readings[i].layout, row.lists, rank == LayoutRank::usual));
      readings[i].layout = std::move(listed.front());
      for (std::size_t j = 1; j < listed.size(); ++j)
        readings.push_back(
            {std::move(listed[j]), readings[i].images, readings[i].labels, readings[i].conflict});
    }
  }
  return best_of(std::move(readings));
}

// ---- tables

// Returns the path of the folder's table metadata.jsonl or metadata.csv if it names files;
// otherwise "". Of two tables, the one with labels counts. If the table has labels, sets `labeled`
// to true.
Result<std::string> metadata_of(const FolderSurvey& survey, const std::string& folder,
                                bool& labeled) {
  const std::vector<std::string>& files = survey.at(folder).others;
  std::string found;
  bool has_labels = false;
  for (const std::string name : {"metadata.jsonl", "metadata.csv"}) {
    if (!std::binary_search(files.begin(), files.end(), name)) continue;
    const std::string path = survey.path(joined(folder, name));
    HOTPACK_ASSIGN(const std::string text, read_list_text(path));
    TextLines lines(text);
    std::optional<TextLine> first = lines.next();
    while (first && first->text.starts_with('#')) first = lines.next();
    if (!first || first->text.substr(0, 4096).find("file_name") == std::string_view::npos) continue;
    const Result<PairTable> table = PairTable::open(text, path);
    const bool own_labels = !table.ok() || table->has_labels();  // reading it again reports why
    if (own_labels && has_labels)
      return data_error("both " + quoted_text(found) + " and " + quoted_text(path) +
                            " name the samples and their labels; remove one of them, or give one "
                            "with --pairs",
                        survey.path(folder));
    if (found.empty() || own_labels) found = path;
    has_labels = has_labels || own_labels;
  }
  labeled = labeled || has_labels;
  return found;
}

// `labeled` becomes true if any table has labels, or cannot be read.
Result<Layouts> table_readings(const FolderSurvey& survey, const std::string& folder,
                               bool& labeled) {
  Layout layout;
  layout.kind = Kind::tables;
  layout.name = "folders with a table of their files";
  layout.root = survey.path(folder);
  HOTPACK_ASSIGN(const std::string all, metadata_of(survey, folder, labeled));
  if (!all.empty()) layout.splits.push_back({"", layout.root, layout.root, all});
  std::string without;  // a folder named like a split that has images and no table
  const auto splits = LayoutPattern("{split}").find(survey, folder);
  for (const FoundFolder& split : all.empty() ? splits : std::vector<FoundFolder>()) {
    HOTPACK_ASSIGN(const std::string table, metadata_of(survey, split.path, labeled));
    const std::string path = survey.path(split.path);
    if (!table.empty())
      layout.splits.push_back({split.split, path, path, table});
    else if (survey.kind_of(split.path) != ImageFiles::none)
      without = path;
  }
  if (layout.splits.empty()) return Layouts{};
  sort_splits(layout);
  if (labeled && !without.empty())  // it would be ignored unnoticed
    return data_error("the folder " + quoted_text(layout.splits.front().images) +
                          " has a table ('metadata.csv' or 'metadata.jsonl'), but " +
                          quoted_text(without) +
                          ", which is named like a split too, has none. Add what '" + without +
                          "' lacks, or move this folder out of the data set",
                      layout.root);
  return Layouts{layout};
}

// ---- labels next to their images

// With `loose`, only the files directly in the folders count.
Result<bool> holds_pairs(const std::vector<SplitFolders>& splits, const GivenSuffixes& given,
                         bool loose = false) {
  if (splits.empty()) return false;
  std::vector<FileSet> sets;
  bool possible = !given.label.empty();
  for (const SplitFolders& split : splits) {
    ProblemLog ignored;  // discover() scans the files again and reports them
    FileSet set;
    HOTPACK_ASSIGN(set.images, scan_images({{split.images, ""}}, ignored));
    if (loose)
      std::erase_if(set.images.files, [&](const FoundFile& file) {
        return set.images.below(file).find('/') != std::string_view::npos;
      });
    set.labels = set.images;
    set.labeled = set.one_folder = true;
    possible = possible || may_hold_labels(set.images);
    sets.push_back(std::move(set));
  }
  if (!possible) return false;
  const SuffixChoice choice = choose_suffixes(sets, given);
  return choice.fits || choice.several;
}

Result<Layouts> one_folder_readings(const FolderSurvey& survey, const std::string& folder,
                                    const GivenSuffixes& given) {
  Layout layout;
  layout.kind = Kind::one_folder;
  layout.name = "labels next to their images";
  layout.root = survey.path(folder);
  for (const std::string& name : survey.at(folder).folders) {
    const std::string inner = joined(folder, name), path = survey.path(inner);
    if (usual_split_name(name) && survey.at(inner).image_files() > 0)
      layout.splits.push_back({name, path, path, ""});
  }
  HOTPACK_ASSIGN(const bool in_splits, holds_pairs(layout.splits, given));
  Layouts readings;
  if (in_splits) readings.push_back(layout);
  if (survey.at(folder).image_files() == 0) return readings;
  // Images next to the splits are left out, unless they are pairs.
  layout.splits = {{"", layout.root, layout.root, ""}};
  HOTPACK_ASSIGN(const bool in_root, holds_pairs(layout.splits, given, in_splits));
  if (in_root) readings.push_back(std::move(layout));
  return readings;
}

// Readings by the names of folders and files.
Result<Layouts> folder_readings(const FolderSurvey& survey, const std::string& folder,
                                const GivenSuffixes& given) {
  for (const LayoutRank rank :
       {LayoutRank::data_set, LayoutRank::usual_splits, LayoutRank::usual}) {
    HOTPACK_ASSIGN(Layouts readings, pair_readings(survey, folder, rank));
    if (!readings.empty()) return readings;
  }
  HOTPACK_ASSIGN(Layouts readings, one_folder_readings(survey, folder, given));
  return readings.empty() ? pair_readings(survey, folder, LayoutRank::sequences)
                          : std::move(readings);
}

}  // namespace

Result<std::vector<Layout>> layout_readings(const FolderSurvey& survey, const std::string& folder,
                                            const GivenSuffixes& given) {
  bool labeled = false;
  HOTPACK_ASSIGN(Layouts tables, table_readings(survey, folder, labeled));
  if (labeled) return tables;
  HOTPACK_ASSIGN(Layouts readings, folder_readings(survey, folder, given));
  if (readings.empty() || tables.empty()) return readings.empty() ? tables : readings;
  for (Layout& layout : readings)  // folders define the labels
    for (const SplitFolders& split : tables.front().splits)
      layout.notes.push_back("the table " + quoted_text(split.list) +
                             " is not used: it has no label column");
  return readings;
}

}  // namespace hotpack::pipeline
