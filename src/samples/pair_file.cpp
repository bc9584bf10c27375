#include "samples/pair_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "files/file_kind.hpp"
#include "files/file_sizes.hpp"
#include "files/key_finder.hpp"
#include "files/key_text.hpp"
#include "files/listed_path.hpp"
#include "files/pair_table.hpp"
#include "files/scan.hpp"
#include "files/scan_scope.hpp"
#include "files/table_arena.hpp"
#include "files/tree_walk.hpp"
#include "format/json.hpp"
#include "samples/fold.hpp"

namespace hotpack::pipeline {

namespace {

enum class LabelForm { none, file, name };

std::string_view form_name(LabelForm form) {
  if (form == LabelForm::none) return "no label";
  return form == LabelForm::file ? "a label file" : "a class";
}

class PairFileReader {
 public:
  PairFileReader(const PairFileOptions& options, ProblemLog& problems)
      : options_(options),
        problems_(problems),
        paths_(options.file, options.root, options.strip_prefix) {}

  Result<PairFileSamples> read() {
    HOTPACK_ASSIGN(std::string text, read_list_text(options_.file));
    most_rows_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    arena_.emplace(std::move(text));
    const auto is_file = [&](const std::string& path) { return names_file(path); };
    HOTPACK_ASSIGN(PairTable table,
                   PairTable::open(arena_->table(), options_.file, options_.columns, is_file));
    label_files_ = !options_.columns.classes && table.labels_are_files();
    // The first row alone: it says whether labels are files.
    HOTPACK_ASSIGN(std::size_t rows, add_rows(table, 1));
    while (rows > 0) {
      HOTPACK_ASSIGN(rows, add_rows(table, kRowsAtOnce));
    }
    if (parts_.empty())
      return data_error("has a header and no sample; expected a line for each sample below it",
                        options_.file);
    HOTPACK_TRY(paths_.check_prefix());
    HOTPACK_TRY(check_labels(table));
    HOTPACK_TRY(check_case(parts_, "splits"));
    HOTPACK_TRY(check_case(classes_, "classes"));
    HOTPACK_TRY(finish());
    result_.about = quoted_text(options_.file) + " is " + std::string(table.form()) +
                    ": each line has an image and " + labels_text() + "; paths begin in " +
                    quoted_text(paths_.roots()[0].folder) + "\n" + forms_text() +
                    unused_text(table);
    if (parts_.size() == 1 && parts_.begin()->first.empty())
      result_.split_words = table.split_words();
    return std::move(result_);
  }

 private:
  // Samples of one split and the form of their labels.
  struct Part {
    SampleList list;
    std::optional<LabelForm> form;
    std::size_t first_line = 0;
  };

  // A row and what its files are, if they are files.
  struct Row : PairRow {
    std::optional<std::uint64_t> image_bytes, label_bytes;
    std::string why, label_why;  // a file is missing, for a message; empty: there is no such file
  };
  static constexpr std::size_t kRowsAtOnce = 16384;

  // Adds at most `most` rows. Returns how many there were.
  Result<std::size_t> add_rows(PairTable& table, std::size_t most) {
    std::vector<Row> rows;
    std::optional<Error> error;
    while (rows.size() < most && !error) {
      Result<std::optional<PairRow>> row = table.next();
      if (!row.ok())
        error = std::move(row).error();
      else if (*row)
        rows.push_back({std::move(**row), {}, {}, {}, {}});
      else
        break;
    }
    HOTPACK_TRY(find_files(rows));
    HOTPACK_TRY(count_scanned(rows.size()));
    for (const Row& row : rows) HOTPACK_TRY(add(row));
    if (rows_read_ == 1) reserve(rows.size());
    rows_read_ += rows.size();
    if (error) return *std::move(error);
    return rows.size();
  }

  // Takes memory for the samples of all rows at once: each split has the share of the rows that it
  // has of the first `rows`.
  void reserve(std::size_t rows) {
    for (auto& [name, part] : parts_) {
      const auto share =
          static_cast<double>(part.list.samples.size()) / static_cast<double>(rows + 1);
      part.list.samples.reserve(
          static_cast<std::size_t>(share * static_cast<double>(most_rows_) * 1.02) + 1);
    }
  }

  bool names_file(const std::string& path) {
    std::vector<Row> rows(1);
    rows[0].image = path;
    const bool found = find_files(rows).ok() && rows[0].image_bytes;
    other_forms_ = found_names_ = 0;  // the row will be read again
    return found;
  }

  // A way to write the path of a file.
  struct Form {
    std::string text;
    std::string& path;
    std::optional<std::uint64_t>& bytes;
  };

  Status find_files(std::vector<Row>& rows) {
    std::vector<Form> given, others;
    for (Row& row : rows) {
      given.push_back({row.image, row.image, row.image_bytes});
      if (may_be_file(row)) given.push_back({row.label, row.label, row.label_bytes});
    }
    (void)find_forms(given);
    for (const Form& form : given)
      if (!form.bytes)
        for (std::string& other : ListedPaths::other_forms(form.path))
          others.push_back({std::move(other), form.path, form.bytes});
    other_forms_ += find_forms(others);
    for (Row& row : rows) {
      if (!row.image_bytes && !has_image_name(row.image))
        HOTPACK_TRY(find_name(row.image, row.image_bytes, row.why));
      if (label_files_ && !row.label.empty() && !row.label_bytes && !has_image_name(row.label))
        HOTPACK_TRY(find_label(row));
    }
    return {};
  }

  Status find_label(Row& row) {
    HOTPACK_TRY(find_name(row.label, row.label_bytes, row.label_why));
    if (!row.label_bytes && row.label_why.empty())
      row.label_why =
          "there is no such file; if it is a class, name its column with --columns class=NAME";
    return {};
  }

  // Takes the first form of each path that names a file. Returns how many there are.
  [[nodiscard]] std::uint64_t find_forms(std::vector<Form>& forms) const {
    std::vector<std::string> paths;
    paths.reserve(forms.size());
    ListedPaths listed = paths_;  // counts what it is asked, and add() asks again
    for (const Form& form : forms) paths.push_back(path_of(listed.place(form.text)));
    const std::vector<std::optional<std::uint64_t>> sizes = sizes_of(paths);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      if (!sizes[i] || forms[i].bytes) continue;
      forms[i].bytes = sizes[i];
      forms[i].path = std::move(forms[i].text);
      ++found;
    }
    return found;
  }

  // Finds the only image below the base folder whose name without extension is `path`.
  Status find_name(std::string& path, std::optional<std::uint64_t>& bytes, std::string& why) {
    if (!names_) {
      ProblemLog others;  // of files that the table may not name
      HOTPACK_ASSIGN(images_, scan_images({{paths_.roots()[0].folder, ""}}, others));
      sort_by_key(images_);
      names_.emplace(images_);
    }
    ListedPaths listed = paths_;
    const ListedPaths::Place place = listed.place(path);
    if (place.root != 0) return {};
    std::vector<std::uint32_t> found = names_->find(place.below);
    // find() returns the first of equal keys.
    for (std::uint32_t next = found.empty() ? 0 : found.back() + 1;
         !found.empty() && next < images_.files.size() &&
         images_.key(images_.files[next]) == images_.key(images_.files[found.back()]);
         ++next)
      found.push_back(next);
    const auto text = [&](std::size_t i) {
      return std::string(images_.below(images_.files[found[i]]));
    };
    if (found.size() > 1)
      why = "may be " + quoted_text(text(0)) + " or " + quoted_text(text(1)) +
            "; give the folder of the images with --root";
    if (found.size() != 1) return {};
    ++found_names_;
    bytes = images_.files[found[0]].bytes;
    path = options_.strip_prefix + text(0);
    return {};
  }

  [[nodiscard]] bool may_be_file(const PairRow& row) const {
    if (row.label.empty() || options_.columns.classes) return false;
    return form_ != LabelForm::name || has_image_name(row.label);
  }

  Status add(const Row& row) {
    Part& part = parts_[row.split];
    if (!part.form) HOTPACK_TRY(begin(part, row));
    const LabelForm form = form_of(row);
    if (form != *part.form) return mixed(row.line, form, part.first_line, *part.form);
    Sample sample;
    const bool image = add_image(row, sample.image);
    const bool label =
        form != LabelForm::file ||
        add_file(paths_.place(row.label), row, row.label_bytes, row.label_why, sample.label);
    if (form == LabelForm::name)
      sample.class_name =
          classes_.try_emplace(row.label, static_cast<std::uint32_t>(classes_.size()))
              .first->second;
    if (image && label) part.list.samples.push_back(sample);
    return {};
  }

  // The first row of a split fixes the form of its labels.
  Status begin(Part& part, const Row& row) {
    if (!row.split.empty() && !valid_split_name(row.split))
      return data_error("line " + std::to_string(row.line) + ": the split '" + row.split +
                            "' cannot be the name of a folder",
                        options_.file);
    part.form = form_of(row);
    part.first_line = row.line;
    part.list.images.roots = part.list.labels.roots = paths_.roots();
    part.list.has_label_files = *part.form == LabelForm::file;
    if (*part.form == LabelForm::none) return {};
    if (form_ && *form_ != *part.form) return mixed(row.line, *part.form, form_line_, *form_);
    form_ = part.form;
    form_line_ = row.line;
    return {};
  }

  // A label names a file if its column has a name of files, if it looks like a path of Windows or
  // like the name of an image, or if such a file exists, else a class.
  LabelForm form_of(const Row& row) {
    if (row.label.empty()) return LabelForm::none;
    if (options_.columns.classes) return LabelForm::name;
    if (label_files_ || has_image_name(row.label) || row.label.find('\\') != std::string::npos)
      return LabelForm::file;
    if (form_ == LabelForm::name) return LabelForm::name;
    return row.label_bytes ? LabelForm::file : LabelForm::name;
  }

  [[nodiscard]] Error mixed(std::size_t line, LabelForm form, std::size_t other_line,
                            LabelForm other) const {
    return data_error("line " + std::to_string(line) + " has " + std::string(form_name(form)) +
                          ", line " + std::to_string(other_line) + " has " +
                          std::string(form_name(other)) +
                          ": all labels of a table must be of one kind. Write a table for each "
                          "kind, or give images without labels a split of their own",
                      options_.file);
  }

  // The text of an image is the first of its row in the arena. It is in place, so that of an
  // earlier row begins earlier, unless the row names no more than the image's name without
  // extension. add_image() and add_label() return false, and report a problem, if the file cannot
  // be used.
  bool add_image(const Row& row, FoundFile& image) {
    const ListedPaths::Place place = paths_.place(row.image);
    const FileName name = describe_name(place.below);
    const std::string key = key_of_path(
        name.kind == FileKind::image ? place.below.substr(0, name.stem_length) : place.below);
    if (!valid_key(key)) return refuse_name(place, row.line);
    if (!add_file(place, row, row.image_bytes, row.why, image)) return false;
    const std::size_t at = place.below.find(key);
    image.key = at == std::string_view::npos ? arena_->add(key, row.end) : image.text + at;
    image.key_length = static_cast<std::uint16_t>(key.size());
    return true;
  }

  // `bytes` is absent if it is no regular file; then `why` may say more.
  bool add_file(const ListedPaths::Place& place, const Row& row,
                const std::optional<std::uint64_t>& bytes, const std::string& why,
                SourceFile& file) {
    const FileName name = describe_name(place.below);
    if (!is_utf8(place.below)) return refuse_name(place, row.line);
    if (name.kind == FileKind::unsupported)
      return refuse(ProblemKind::unsupported_file, place, row.line, unsupported_text(name.format));
    if (!bytes) {
      std::string text = why_no_file(path_of(place));
      if (text.empty() || text.starts_with("cannot be read"))
        text = why.empty() ? missing_text(place.below) + other_case(path_of(place)) : why;
      return refuse(ProblemKind::missing_file, place, row.line, text);
    }
    file.text = arena_->add(place.below, row.end);
    file.text_length = static_cast<std::uint16_t>(place.below.size());
    file.bytes = *bytes;
    file.root = place.root;
    return true;
  }

  static std::string missing_text(std::string_view path) {
    std::string text = "there is no such file";
    if (path.find('\\') != std::string_view::npos)
      text += ", and none with '/' in place of its backslashes";
    if (path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/'))
      text += "; remove the folder of the other computer with --strip-prefix";
    return text;
  }

  // Names the file whose name differs in upper and lower case only. Reads the folder, so examines
  // only the first missing files.
  [[nodiscard]] std::string other_case(const std::string& path) {
    if (examined_++ >= ProblemLog::kExamples) return "";
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
      const std::string name = entry.path().filename().string();
      if (folded(name, {true, false, false}) == folded(last_part(path), {true, false, false}))
        return "; the file " + quoted_text(name) +
               " there differs in upper and lower case only: write the names as the files have "
               "them";
    }
    return "";
  }

  bool refuse_name(const ListedPaths::Place& place, std::size_t line) {
    return refuse(ProblemKind::unusable_name, place, line, "the path cannot be a key");
  }

  bool refuse(ProblemKind kind, const ListedPaths::Place& place, std::size_t line,
              const std::string& why) {
    if (options_.skip_missing &&
        (kind == ProblemKind::missing_file || kind == ProblemKind::unsupported_file))
      ++result_.left_out;
    else
      problems_.add({kind, path_of(place),
                     why + " (" + options_.file + ", line " + std::to_string(line) + ")"});
    return false;
  }

  [[nodiscard]] std::string path_of(const ListedPaths::Place& place) const {
    return path_below(paths_.roots()[place.root].folder, place.below);
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
      if (part.form == LabelForm::name) part.list.class_names = names;
      for (Sample& sample : part.list.samples)
        if (sample.class_name != kNoClass) sample.class_name = sorted_index[sample.class_name];
      sort_samples(part.list);
      result_.splits.push_back({name, std::move(part.list)});
    }
    return check_disjoint(result_.splits, options_.file);
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
                       "is in several lines of " + quoted_text(options_.file)});
      } else {
        problems_.add({ProblemKind::duplicate_key, list.image_path(sample),
                       "has the same key '" + std::string(list.key(sample)) + "' as " +
                           quoted_text(list.image_path(list.samples[kept - 1])) + " in " +
                           quoted_text(options_.file)});
      }
    }
    list.samples.resize(kept);
  }

  [[nodiscard]] std::string forms_text() const {
    std::string text;
    if (other_forms_ > 0)
      text +=
          "paths that name files with '/' for backslashes, with %20 and the like decoded, or "
          "without a leading '/': " +
          number_text(other_forms_) + "\n";
    if (found_names_ > 0)
      text += "images found by their names without extension: " + number_text(found_names_) + "\n";
    return text;
  }

  [[nodiscard]] std::string labels_text() const {
    if (!form_) return "no label";
    if (*form_ == LabelForm::file) return "a label file";
    return "one of " + std::to_string(classes_.size()) + " classes";
  }

  // Refuses names that look like one: they are mistakes in the table.
  template <class Named>
  [[nodiscard]] Status check_case(const std::map<std::string, Named>& named,
                                  std::string_view what) const {
    std::vector<std::string> names;
    names.reserve(named.size());
    for (const auto& [name, value] : named) names.push_back(name);
    const auto similar = similar_names(names);
    if (!similar) return {};
    return data_error("the " + std::string(what) + " '" + similar->first + "' and '" +
                          similar->second + "' differ in " + similar->difference +
                          "; use one spelling",
                      options_.file);
  }

  // Names the columns, or fields of JSON objects, that are not used.
  [[nodiscard]] std::string unused_text(const PairTable& table) const {
    if (table.unused().empty()) return {};
    return (form_ ? "columns that are not used: "
                  : "no column has the name of a label; columns that are not used: ") +
           table.unused() + "\n";
  }

  // Refuses a table without a known label column: another column may hold the labels.
  [[nodiscard]] Status check_labels(const PairTable& table) const {
    if (form_ || table.unused().empty() || !options_.by_option) return {};
    return data_error(
        "has no label column (label, mask, class, …); columns that are not used: " +
            table.unused() +
            ". Name the column that holds the labels with --columns label=NAME, or "
            "class=NAME if it holds classes of whole images (merge columns of 0 and "
            "1, one per class, into one column)\nFor images without labels, give --list FILE "
            "with one path per line",
        options_.file);
  }

  const PairFileOptions& options_;
  ProblemLog& problems_;
  ListedPaths paths_;
  PairFileSamples result_;
  std::optional<TableArena> arena_;
  std::map<std::string, Part> parts_;
  std::size_t examined_ = 0;  // missing files whose folders were read
  std::size_t most_rows_ = 0, rows_read_ = 0;
  std::map<std::string, std::uint32_t> classes_;  // in order of occurrence
  std::optional<LabelForm> form_;                 // of all labels of the table
  bool label_files_ = false;                      // by the name of the label column
  std::size_t form_line_ = 0;
  std::uint64_t other_forms_ = 0, found_names_ = 0;  // of paths in the table
  FileList images_;                 // below the base folder; read when a row names no file
  std::optional<KeyFinder> names_;  // of images_
};

}  // namespace

Result<PairFileSamples> read_pair_file(const PairFileOptions& options, ProblemLog& problems) {
  return PairFileReader(options, problems).read();
}

}  // namespace hotpack::pipeline
