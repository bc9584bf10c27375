#include "samples/pair_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "files/file_kind.hpp"
#include "files/key_finder.hpp"
#include "files/key_text.hpp"
#include "files/listed_path.hpp"
#include "files/pair_table.hpp"
#include "files/scan.hpp"
#include "files/scan_scope.hpp"
#include "files/tree_walk.hpp"
#include "format/json.hpp"
#include "samples/fold.hpp"

namespace hotpack::pipeline {

namespace {

enum class LabelForm { none, file, name };

// Refuses a key in two of the splits, which have their samples sorted by key, each key once.
Status check_disjoint(const std::vector<Split>& splits, const std::string& source) {
  if (splits.size() < 2) return {};
  std::vector<std::pair<std::string_view, std::size_t>> keys;  // with their splits
  for (std::size_t split = 0; split < splits.size(); ++split)
    for (const Sample& sample : splits[split].list.samples)
      keys.emplace_back(splits[split].list.key(sample), split);
  std::sort(keys.begin(), keys.end());
  std::string examples;
  std::size_t count = 0;
  for (std::size_t i = 0, end = 0; i < keys.size(); i = end) {
    std::vector<std::string> holders;
    for (; end < keys.size() && keys[end].first == keys[i].first; ++end)
      holders.push_back(quoted_text(splits[keys[end].second].name));
    if (holders.size() < 2 || ++count > ProblemLog::kExamples) continue;
    examples += (examples.empty() ? "" : ", ") +
                ("'" + std::string(keys[i].first) + "' (in " + joined_text(holders, " and ") + ")");
  }
  if (count == 0) return {};
  return data_error(source + ": " + counted_text(count, "sample is", "samples are") +
                    " in more than one split, such as " + examples +
                    "; keep each sample in one split only");
}

class PairFileReader {
 public:
  PairFileReader(const std::string& file, const InputOptions& input, ProblemLog& problems)
      : file_(file),
        input_(input),
        problems_(problems),
        paths_(file, input.list_root, input.strip_prefix) {}

  Result<PairFileSamples> read() {
    HOTPACK_ASSIGN(std::string text, read_list_text(file_));
    most_rows_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    arena_.emplace(std::move(text));
    const auto is_file = [&](const std::string& path) { return names_file(path); };
    HOTPACK_ASSIGN(PairTable table,
                   PairTable::open(arena_->table(), file_, input_.columns, is_file));
    label_files_ = !input_.columns.classes && table.labels_are_files();
    // The first row alone: it says whether labels are files.
    HOTPACK_ASSIGN(std::size_t rows, add_rows(table, 1));
    while (rows > 0) {
      HOTPACK_ASSIGN(rows, add_rows(table, kRowsAtOnce));
    }
    if (parts_.empty())
      return data_error("has a header and no sample; expected a line for each sample below it",
                        file_);
    HOTPACK_TRY(paths_.check_prefix());
    HOTPACK_TRY(check_labels(table));
    HOTPACK_TRY(check_case(parts_, "splits"));
    HOTPACK_TRY(check_case(classes_, "classes"));
    HOTPACK_TRY(finish());
    result_.about = about(table);
    if (parts_.size() == 1 && parts_.begin()->first.empty())
      result_.split_words = table.split_words();
    return std::move(result_);
  }

 private:
  // A line with a label of some form, or none.
  struct Labeled {
    LabelForm form = LabelForm::none;
    std::size_t line = 0;
  };
  // Samples of one split, and its first line, whose form all others have.
  struct Part {
    SampleList list;
    Labeled first;
  };
  // A path of a row, and what is known of its file.
  struct Entry {
    std::string path;
    std::optional<std::uint64_t> bytes;
    std::string why;  // the file is missing, for a message; empty: there is no such file
  };
  struct Row {
    Entry image, label;
    std::string split;
    TextLine line;
  };
  // A way to write the path of an entry.
  using Form = std::pair<Entry*, std::string>;
  static constexpr std::size_t kRowsAtOnce = 16384;

  // Adds at most `most` rows. Returns how many there were.
  Result<std::size_t> add_rows(PairTable& table, std::size_t most) {
    std::vector<Row> rows;
    std::optional<Error> error;
    while (rows.size() < most) {
      Result<std::optional<PairRow>> read = table.next();
      if (!read.ok()) {
        error = std::move(read).error();
        break;
      }
      if (!*read) break;
      PairRow& row = **read;
      rows.push_back({{std::move(row.image), {}, {}},
                      {std::move(row.label), {}, {}},
                      std::move(row.split),
                      row.line});
    }
    HOTPACK_TRY(find_files(rows));
    HOTPACK_TRY(count_scanned(rows.size()));
    for (const Row& row : rows) HOTPACK_TRY(add(row));
    // Takes memory for all rows at once: the share of each split in these rows, and 2 % more.
    if (rows_read_ == 1)
      for (auto& [name, part] : parts_)
        part.list.samples.reserve(
            part.list.samples.size() * most_rows_ * 51 / (rows.size() + 1) / 50 + 1);
    rows_read_ += rows.size();
    if (error) return *std::move(error);
    return rows.size();
  }

  bool names_file(const std::string& path) {
    std::vector<Row> rows(1);
    rows[0].image.path = path;
    const bool found = find_files(rows).ok() && rows[0].image.bytes;
    other_forms_ = found_names_ = 0;  // the row will be read again
    return found;
  }

  Status find_files(std::vector<Row>& rows) {
    std::vector<Form> given, others;
    for (Row& row : rows) {
      given.emplace_back(&row.image, row.image.path);
      if (may_be_file(row)) given.emplace_back(&row.label, row.label.path);
    }
    (void)find_forms(given);
    for (const auto& [entry, path] : given)
      if (!entry->bytes)
        for (std::string& other : ListedPaths::other_forms(entry->path))
          others.emplace_back(entry, std::move(other));
    other_forms_ += find_forms(others);
    for (Row& row : rows) {
      if (row.image.bytes) row.image.path = paths_.relative(row.image.path);
      HOTPACK_TRY(find_name(row.image));
      if (!is_label_path(row.label.path) || has_image_name(row.label.path)) continue;
      HOTPACK_TRY(find_name(row.label));
      if (row.label.why.empty())
        row.label.why =
            "there is no such file; if it is a class, name its column with --columns class=NAME";
    }
    return {};
  }

  // Takes the first form of each path that names a file. Returns how many there are.
  [[nodiscard]] std::uint64_t find_forms(std::vector<Form>& forms) {
    std::vector<std::string> paths;
    paths.reserve(forms.size());
    ListedPaths listed = paths_;  // counts what it is asked, and add() asks again
    for (const Form& form : forms) paths.push_back(paths_.path(listed.place(form.second)));
    const std::vector<std::optional<std::uint64_t>> sizes = sizes_of(paths);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      auto& [entry, path] = forms[i];
      if (!sizes[i] || entry->bytes) continue;
      entry->bytes = sizes[i];
      entry->path = std::move(path);
      ++found;
    }
    return found;
  }

  // Finds the only image below the base folder whose name without extension is the path.
  Status find_name(Entry& entry) {
    if (entry.bytes || has_image_name(entry.path)) return {};
    if (!names_) {
      ProblemLog others;  // of files that the table may not name
      HOTPACK_ASSIGN(images_, scan_images({{paths_.roots()[0].folder, ""}}, others));
      sort_by_key(images_);
      names_.emplace(images_);
    }
    ListedPaths listed = paths_;  // as in find_forms()
    const ListedPaths::Place place = listed.place(entry.path);
    if (place.root != 0) return {};
    std::vector<std::uint32_t> found = names_->find(place.below);
    if (found.empty()) return {};
    // find() returns the first of equal keys.
    const auto& files = images_.files;
    for (std::uint32_t next = found.back() + 1;
         next < files.size() && images_.key(files[next]) == images_.key(files[found.back()]);
         ++next)
      found.push_back(next);
    const std::string first(images_.below(files[found[0]]));
    if (found.size() > 1) {
      entry.why = "may be " + quoted_text(first) + " or " +
                  quoted_text(images_.below(files[found[1]])) +
                  "; give the folder of the images with --root";
      return {};
    }
    ++found_names_;
    entry.bytes = files[found[0]].bytes;
    entry.path = input_.strip_prefix + first;
    return {};
  }

  [[nodiscard]] bool may_be_file(const Row& row) const {
    if (row.label.path.empty() || input_.columns.classes) return false;
    return labeled_.form != LabelForm::name || has_image_name(row.label.path);
  }

  Status add(const Row& row) {
    const Labeled own{form_of(row), row.line.number};
    const auto [place, is_new] = parts_.try_emplace(row.split);
    Part& part = place->second;
    if (is_new) HOTPACK_TRY(begin(part, row.split, own));
    for (const Labeled& other : {part.first, own.form == LabelForm::none ? own : labeled_})
      if (own.form != other.form)
        return data_error(at_line(own) + ", " + at_line(other) +
                              ": all labels of a table must be of one kind. Write a table for each "
                              "kind, or give images without labels a split of their own",
                          file_);
    Sample sample;
    const bool image = add_image(row, sample.image);
    const bool label = own.form != LabelForm::file || add_label(row, sample.label);
    if (own.form == LabelForm::name)
      sample.class_name =
          classes_.try_emplace(row.label.path, static_cast<std::uint32_t>(classes_.size()))
              .first->second;
    if (image && label) part.list.samples.push_back(sample);
    return {};
  }

  Status begin(Part& part, const std::string& split, const Labeled& first) {
    if (!split.empty() && !valid_split_name(split))
      return data_error("line " + std::to_string(first.line) + ": the split '" + split +
                            "' cannot be the name of a folder",
                        file_);
    part.first = first;
    part.list.images.roots = part.list.labels.roots = paths_.roots();
    part.list.has_label_files = first.form == LabelForm::file;
    if (labeled_.form == LabelForm::none) labeled_ = first;
    return {};
  }

  // True for a label that can only name a file: its column has a name of files, or it looks like
  // a path or like the name of an image.
  [[nodiscard]] bool is_label_path(const std::string& label) const {
    return !label.empty() && !input_.columns.classes &&
           (label_files_ || has_image_name(label) || label.find_first_of("/\\") != label.npos);
  }

  // Another label names a file if such a file exists, else a class.
  LabelForm form_of(const Row& row) {
    if (row.label.path.empty()) return LabelForm::none;
    if (is_label_path(row.label.path)) return LabelForm::file;
    return row.label.bytes && labeled_.form != LabelForm::name ? LabelForm::file : LabelForm::name;
  }

  static std::string at_line(const Labeled& one) {
    return "line " + std::to_string(one.line) +
           (one.form == LabelForm::none   ? " has no label"
            : one.form == LabelForm::file ? " has a label file"
                                          : " has a class");
  }

  // The text of an image is the first of its row in the arena. It is in place, so that of an
  // earlier row begins earlier, unless the row names no more than the image's name without
  // extension. add_image() and add_file() return false, and report a problem, if the file cannot
  // be used.
  bool add_image(const Row& row, FoundFile& image) {
    const std::string_view below = paths_.place(row.image.path).below;
    const FileName name = describe_name(below);
    const std::string key =
        key_of_path(name.kind == FileKind::image ? below.substr(0, name.stem_length) : below);
    if (!valid_key(key)) return refuse_name(row.image, row);
    if (!add_file(row.image, row, image)) return false;
    const std::size_t at = below.find(key);
    image.key = at == std::string_view::npos ? arena_->place(key, row.line) : image.text + at;
    image.key_length = static_cast<std::uint16_t>(key.size());
    return true;
  }

  bool add_label(const Row& row, SourceFile& label) {
    std::error_code failure;
    if (row.label.bytes && row.image.bytes == row.label.bytes &&
        std::filesystem::equivalent(paths_.path(paths_.place(row.image.path)),
                                    paths_.path(paths_.place(row.label.path)), failure))
      return refuse(ProblemKind::listed_twice, row.label, row,
                    "the label is the image itself; give the path of its label");
    return add_file(row.label, row, label);
  }

  bool add_file(const Entry& entry, const Row& row, SourceFile& file) {
    const ListedPaths::Place place = paths_.place(entry.path);
    const FileName name = describe_name(place.below);
    if (!is_utf8(place.below)) return refuse_name(entry, row);
    if (name.kind == FileKind::unsupported)
      return refuse(ProblemKind::unsupported_file, entry, row, unsupported_text(name.format));
    if (!entry.bytes) {
      std::string text = why_no_file(paths_.path(place));
      if (text.empty() || text.starts_with("cannot be read"))
        text = entry.why.empty() ? missing_text(place) : entry.why;
      return refuse(ProblemKind::missing_file, entry, row, text);
    }
    file.text = arena_->place(place.below, row.line);
    file.text_length = static_cast<std::uint16_t>(place.below.size());
    file.bytes = *entry.bytes;
    file.root = place.root;
    return true;
  }

  // Names a file whose name differs in upper and lower case only. Reads the folder, so examines
  // only the first missing files.
  std::string missing_text(const ListedPaths::Place& place) {
    const std::string_view path = place.below;
    std::string text = "there is no such file";
    if (path.find('\\') != std::string_view::npos)
      text += ", and none with '/' in place of its backslashes";
    if (path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/'))
      text += "; remove the folder of the other computer with --strip-prefix";
    if (examined_++ >= ProblemLog::kExamples) return text;
    const auto plain = [](std::string_view name) { return folded(name, {true, false, false}); };
    std::error_code failure;
    for (const auto& each :
         std::filesystem::directory_iterator(folder_of(paths_.path(place)), failure))
      if (const std::string name = each.path().filename().string();
          plain(name) == plain(last_part(path)))
        return text + "; the file " + quoted_text(name) +
               " there differs in upper and lower case only: write the names as the files have "
               "them";
    return text;
  }

  bool refuse_name(const Entry& entry, const Row& row) {
    return refuse(ProblemKind::unusable_name, entry, row, "the path cannot be a key");
  }

  bool refuse(ProblemKind kind, const Entry& entry, const Row& row, const std::string& why) {
    if (input_.skip_orphans &&
        (kind == ProblemKind::missing_file || kind == ProblemKind::unsupported_file))
      ++result_.left_out;
    else
      problems_.add({kind, paths_.path(paths_.place(entry.path)),
                     why + " (" + file_ + ", line " + std::to_string(row.line.number) + ")"});
    return false;
  }

  Status finish() {
    std::vector<std::string> names;
    std::vector<std::uint32_t> sorted_index(classes_.size());
    for (const auto& [name, index] : classes_) {
      sorted_index[index] = static_cast<std::uint32_t>(names.size());
      names.push_back(name);
    }
    const TextArena arena = arena_->finish();
    for (auto& [name, part] : parts_) {
      part.list.images.arena = part.list.labels.arena = arena;
      if (part.first.form == LabelForm::name) part.list.class_names = names;
      for (Sample& sample : part.list.samples)
        if (sample.class_name != kNoClass) sample.class_name = sorted_index[sample.class_name];
      sort_samples(part.list);
      result_.splits.push_back({name, std::move(part.list)});
    }
    return check_disjoint(result_.splits, file_);
  }

  // Sorts by key; of several samples with one key only the first stays.
  void sort_samples(SampleList& list) {
    // Of an earlier line, the text of the image begins earlier in the arena.
    const auto before = [&](const Sample& a, const Sample& b) {
      const int order = list.key(a).compare(list.key(b));
      return order != 0 ? order < 0 : a.image.text < b.image.text;
    };
    if (!std::is_sorted(list.samples.begin(), list.samples.end(), before))
      std::sort(list.samples.begin(), list.samples.end(), before);
    std::size_t kept = 0;
    for (const Sample& sample : list.samples) {
      if (kept == 0 || list.key(list.samples[kept - 1]) != list.key(sample)) {
        list.samples[kept++] = sample;
      } else if (list.image_path(list.samples[kept - 1]) == list.image_path(sample)) {
        problems_.add({ProblemKind::listed_twice, list.image_path(sample),
                       "is in several lines of " + quoted_text(file_)});
      } else {
        problems_.add({ProblemKind::duplicate_key, list.image_path(sample),
                       "has the same key '" + std::string(list.key(sample)) + "' as " +
                           quoted_text(list.image_path(list.samples[kept - 1])) + " in " +
                           quoted_text(file_)});
      }
    }
    list.samples.resize(kept);
  }

  [[nodiscard]] std::string about(const PairTable& table) const {
    const std::string labels = labeled_.form == LabelForm::none ? "no label"
                               : labeled_.form == LabelForm::file
                                   ? "a label file"
                                   : "one of " + std::to_string(classes_.size()) + " classes";
    std::string text = quoted_text(file_) + " is " + std::string(table.form()) +
                       ": each line has an image and " + labels + "; paths begin in " +
                       quoted_text(paths_.roots()[0].folder) + "\n";
    if (other_forms_ > 0)
      text +=
          "paths that name files with '/' for backslashes, with %20 and the like decoded, or "
          "without a leading '/': " +
          number_text(other_forms_) + "\n";
    if (found_names_ > 0)
      text += "images found by their names without extension: " + number_text(found_names_) + "\n";
    if (!table.unused().empty())
      text += (labeled_.form == LabelForm::none ? "no column has the name of a label; " : "") +
              ("columns that are not used: " + table.unused()) + "\n";
    return text;
  }

  // Refuses names that look like one: they are mistakes in the table.
  [[nodiscard]] Status check_case(const auto& named, std::string_view what) const {
    std::vector<std::string> names;
    names.reserve(named.size());
    for (const auto& [name, value] : named) names.push_back(name);
    const auto similar = similar_names(names);
    if (!similar) return {};
    return data_error("the " + std::string(what) + " '" + similar->first + "' and '" +
                          similar->second + "' differ in " + similar->difference +
                          "; use one spelling",
                      file_);
  }

  // Refuses a table without a known label column: another column may hold the labels. A table that
  // a layout found may hold captions and the like instead.
  [[nodiscard]] Status check_labels(const PairTable& table) const {
    if (labeled_.form != LabelForm::none || table.unused().empty()) return {};
    const bool found = !input_.root.empty();
    if (found && (table.has_labels() || table.only_texts())) return {};
    return data_error(
        "has no label column (label, mask, class, …); columns that are not used: " +
            table.unused() + ". " +
            (found
                 ? "Rename the column that holds the labels to 'label', or name it with --pairs " +
                       shell_path(file_)
                 : "Name the column that holds the labels with") +
            " --columns label=NAME, or class=NAME if it holds classes of whole images (merge "
            "columns of 0 and 1, one per class, into one column)\nFor images without labels, "
            "give " +
            (found ? "--images DIR" : "--list FILE with one path per line"),
        file_);
  }

  const std::string& file_;
  const InputOptions& input_;
  ProblemLog& problems_;
  ListedPaths paths_;
  PairFileSamples result_;
  std::optional<TableText> arena_;
  std::map<std::string, Part> parts_;
  std::size_t examined_ = 0;  // missing files whose folders were read
  std::size_t most_rows_ = 0, rows_read_ = 0;
  std::map<std::string, std::uint32_t> classes_;     // in order of occurrence
  Labeled labeled_;                                  // the first line with a label
  bool label_files_ = false;                         // by the name of the label column
  std::uint64_t other_forms_ = 0, found_names_ = 0;  // of paths in the table
  FileList images_;                 // below the base folder; read when a row names no file
  std::optional<KeyFinder> names_;  // of images_
};

}  // namespace

Result<PairFileSamples> read_pair_file(const std::string& file, const InputOptions& input,
                                       ProblemLog& problems) {
  return PairFileReader(file, input, problems).read();
}

}  // namespace hotpack::pipeline
