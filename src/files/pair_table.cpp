#include "files/pair_table.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "files/file_kind.hpp"
#include "files/key_text.hpp"
#include "format/json.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::string_view kImageNames =
    "image, images, img, imgs, image_path, img_path, image_file, image_name, img_name, filename, "
    "file_name, file, path, filepath, file_path, photo, input, image_file_name, image_filename";
constexpr std::string_view kLabelNames =
    "label, labels, label_path, label_file, label_name, mask, masks, mask_path, mask_file, "
    "mask_name, mask_file_name, annotation, annotations, annotation_path, segmentation, "
    "segmentation_path, seg, seg_map, gt, ground_truth, target, class, class_name, classname, "
    "class_id, class_label, category, label_file_name, annotation_file";
constexpr std::string_view kSplitNames = "split, subset, set, partition, dataset_split";

// "Image Path" is "image_path".
std::string column_name(std::string_view text) {
  std::string name = lowered(trimmed(text));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

bool contains(std::string_view names, std::string_view column) {
  const std::string name = column_name(column);
  return name.find(',') == std::string::npos &&
         (", " + std::string(names) + ",").find(", " + name + ",") != std::string::npos;
}

bool is_usual_name(std::string_view text) {
  return contains(kImageNames, text) || contains(kLabelNames, text) || contains(kSplitNames, text);
}

// True for a header such as "class_names,r,g,b".
bool is_class_header(const std::vector<std::string>& fields) {
  std::set<std::string> names;
  for (const std::string& field : fields) names.insert(column_name(field));
  const auto has = [&](std::initializer_list<const char*> colors) {
    return std::all_of(colors.begin(), colors.end(),
                       [&](const char* color) { return names.contains(color); });
  };
  return has({"r", "g", "b"}) || has({"red", "green", "blue"});
}

// The separator that a first line such as "sep=;" names.
std::optional<char> named_separator(std::string_view line) {
  if (lowered(line.substr(0, 4)) != "sep=" || line.size() > 5) return std::nullopt;
  return line.size() == 4 ? '\t' : line[4];
}

// True for a comment: "#Image CLASS-ID" is one, "#1.png,cat" is a sample.
bool is_remark(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const std::string_view first = trimmed(line.substr(0, line.find_first_of(",;\t")));
  return !has_image_name(first) && !has_image_name(first.substr(0, first.find(' ')));
}

// The line without text in quotes; the whole line if a quote is not closed.
std::string without_quoted(std::string_view line) {
  std::string rest;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted) rest += c;
  }
  return quoted ? std::string(line) : rest;
}

// '{' for JSON lines.
char separator_in(std::string_view whole) {
  if (whole.front() == '{') return '{';
  const std::string line = without_quoted(whole);
  for (const char separator : {'\t', ',', ';'})
    if (line.find(separator) != std::string::npos) return separator;
  return ' ';
}

std::string quoted_list(const std::vector<std::string>& names) {
  return quoted_list_text(names, names.size());
}

const std::string kNoWord;

constexpr std::size_t kMostOfValue = 60;  // bytes of a value in a message

constexpr std::string_view kNoPolygons =
    "JSON of another kind, such as COCO or LabelMe polygons, is not supported; draw its masks as "
    "PNG files, one per image";

}  // namespace

bool PairTable::labels_are_files() const {
  if (!columns_.label || *columns_.label >= names_.size()) return false;
  const std::string name = column_name(names_[*columns_.label]);
  return name.starts_with("mask") || name.starts_with("seg") || name.ends_with("_path") ||
         name.ends_with("_file");
}

Result<PairTable> PairTable::open(std::string_view text, const std::string& path,
                                  const ColumnNames& given, const IsFile& is_file) {
  PairTable table(text, path, given);
  table.pending_ = table.next_line();
  const std::optional<char> separator =
      table.pending_ ? named_separator(table.pending_->text) : std::nullopt;
  if (separator) table.pending_ = table.next_line();
  if (!table.pending_)
    return data_error("is empty; expected a line for each sample: image, label", path);
  if (table.pending_->text.front() == '[')
    return table.error_at(
        table.pending_->number,
        "begins a JSON list; expected JSON lines, an object with \"file_name\" on each line. " +
            std::string(kNoPolygons));
  table.separator_ = separator.value_or(separator_in(table.pending_->text));
  HOTPACK_TRY(table.read_columns(is_file));
  return table;
}

std::string_view PairTable::form() const {
  if (separator_ == '{') return "JSON lines";
  if (separator_ == '\t') return "a table of tab-separated values";
  if (separator_ == ';') return "a table of values with semicolons";
  return separator_ == ',' ? "a table of comma-separated values" : "a table of words";
}

Result<std::optional<PairRow>> PairTable::next() {
  const std::optional<TextLine> line =
      pending_ ? std::exchange(pending_, std::nullopt) : next_line();
  if (!line) return std::optional<PairRow>();
  HOTPACK_ASSIGN(PairRow row, row_at(*line));
  row.end = end_of(*line);
  return std::optional(std::move(row));
}

std::size_t PairTable::end_of(const TextLine& line) const {
  return static_cast<std::size_t>(line.text.data() - text_.data()) + line.text.size();
}

Result<PairRow> PairTable::row_at(const TextLine& line) {
  if (separator_ == '{') return json_row(line);
  HOTPACK_ASSIGN(const std::vector<std::string> fields, fields_of(line));
  HOTPACK_ASSIGN(PairRow row, row_of(fields, columns_, line.number));
  note_unused(names_, fields);
  return row;
}

std::optional<TextLine> PairTable::next_line() {
  std::optional<TextLine> line = lines_.next();
  while (line && is_remark(line->text)) line = lines_.next();
  return line;
}

// Reads the columns of a header, or those of a first row that is no header.
Status PairTable::read_columns(const IsFile& is_file) {
  const std::size_t line = pending_->number;
  if (separator_ == '{') {
    HOTPACK_ASSIGN(const JsonFields fields, json_fields(*pending_));
    return read_names(fields.names, line);
  }
  HOTPACK_ASSIGN(const std::vector<std::string> fields, fields_of(*pending_));
  if (is_header(fields)) {
    pending_.reset();
    return read_names(fields, line);
  }
  const std::string first = fields.empty() ? std::string() : fields.front();
  if (!has_image_name(first) && !(is_file && is_file(first))) return no_sample(fields, line);
  HOTPACK_ASSIGN(columns_, usual_columns(fields, line));
  return {};
}

bool PairTable::is_given(std::string_view name) const {
  return name == given_.image || name == given_.label || name == given_.split;
}

bool PairTable::is_header(const std::vector<std::string>& fields) const {
  if (given_.any()) return true;
  const auto is_file = [](const std::string& field) {
    return describe_name(field).kind != FileKind::other;
  };
  return std::any_of(fields.begin(), fields.end(), is_usual_name) &&
         std::none_of(fields.begin(), fields.end(), is_file);
}

// The error for a first row that is neither a sample nor a header with usual names.
Error PairTable::no_sample(const std::vector<std::string>& fields, std::size_t line) const {
  if (is_class_header(fields)) return class_file(fields, line);
  return error_at(line, "is no sample, because there is no file '" +
                            (fields.empty() ? std::string() : fields.front()) +
                            "', and no header with a usual name: " + quoted_list(fields) +
                            ". If it is a sample, give the folder where its path begins with "
                            "--root. If it is a header, " +
                            naming_advice());
}

Error PairTable::class_file(const std::vector<std::string>& fields, std::size_t line) const {
  return error_at(line, "names classes and their colors (" + quoted_list(fields) +
                            "): this is a class file, not a table of samples; give it with "
                            "--classes");
}

std::string PairTable::naming_advice() {
  return "name its columns with --columns image=NAME,label=NAME, or with class=NAME in place of "
         "label=NAME if labels are classes of whole images, or rename them\n"
         "usual names of images: " +
         std::string(kImageNames) + "\nusual names of labels: " + std::string(kLabelNames) +
         "\nusual names of splits: " + std::string(kSplitNames);
}

Status PairTable::read_names(const std::vector<std::string>& names, std::size_t line) {
  for (const std::string& name : {given_.image, given_.label, given_.split})
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      return error_at(line, "--columns names '" + name + "', but the columns (or keys) are " +
                                quoted_list(names));
  HOTPACK_ASSIGN(columns_, named_columns(names, line));
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (i != columns_.image && i != columns_.label && i != columns_.split)
      unused.push_back(names[i]);
  unused_ = quoted_list(unused);
  names_ = names;
  for (const std::string& name : unused) unused_columns_.push_back({name, {}, true});
  return {};
}

void PairTable::note_unused(const std::vector<std::string>& names,
                            const std::vector<std::string>& values) {
  for (UnusedColumn& column : unused_columns_) {
    if (!column.only_splits) continue;
    const auto place = std::find(names.begin(), names.end(), column.name);
    const std::string& word =
        place == names.end() ? kNoWord : values[static_cast<std::size_t>(place - names.begin())];
    column.only_splits = column.words.contains(word) || usual_split_name(word);
    if (column.only_splits) column.words.insert(word);
  }
}

std::optional<PairTable::SplitWords> PairTable::split_words() const {
  const auto found = std::find_if(
      unused_columns_.begin(), unused_columns_.end(),
      [](const UnusedColumn& column) { return column.only_splits && column.words.size() > 1; });
  if (found == unused_columns_.end()) return std::nullopt;
  return SplitWords{found->name, {found->words.begin(), found->words.end()}};
}

Result<PairTable::Columns> PairTable::named_columns(const std::vector<std::string>& names,
                                                    std::size_t line) const {
  Columns columns;
  columns.count = names.size();
  // Sets the column with the given name or, without one, with a usual name.
  const auto set = [&](std::optional<std::size_t>& column, std::string_view what,
                       const std::string& given, std::string_view usual) -> Status {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (given.empty() ? is_given(names[i]) || !contains(usual, names[i]) : names[i] != given)
        continue;
      if (column)
        return error_at(line, "'" + names[*column] + "' and '" + names[i] + "' both name the " +
                                  std::string(what) +
                                  "; leave out one of them, or choose one with --columns");
      column = i;
    }
    return {};
  };
  HOTPACK_TRY(set(columns.image, "image", given_.image, kImageNames));
  HOTPACK_TRY(set(columns.label, "label", given_.label, kLabelNames));
  HOTPACK_TRY(set(columns.split, "split", given_.split, kSplitNames));
  if (columns.image) return columns;
  if (is_class_header(names)) return class_file(names, line);
  return error_at(line, "no column (or key) names the image; found " + quoted_list(names) + "; " +
                            naming_advice());
}

Result<PairTable::Columns> PairTable::usual_columns(const std::vector<std::string>& fields,
                                                    std::size_t line) const {
  Columns columns;
  columns.count = fields.size();
  columns.image = 0;
  if (fields.size() >= 2) columns.label = 1;
  if (fields.size() == 3 && usual_split_name(fields[2])) columns.split = 2;
  if (fields.size() < 3 || columns.split) return columns;
  return error_at(
      line, "has " + std::to_string(fields.size()) + " columns (" + quoted_list(fields) +
                ") and no header; expected an image and a label, then perhaps train, val or test. "
                "Name the columns in a first line such as image,label, and put paths with spaces "
                "in quotes or between commas");
}

Result<std::vector<std::string>> PairTable::fields_of(const TextLine& line) const {
  Result<std::vector<std::string>> fields = parse_csv_line(line.text, separator_);
  if (!fields.ok())
    return error_at(line.number,
                    "a quote is not closed, other text follows it, or a CR ends a line");
  // Tabs at the end are not in the line, but there they end empty fields.
  if (separator_ == '\t')
    for (std::size_t at = end_of(line);
         fields->size() < columns_.count && at < text_.size() && text_[at] != '\n'; ++at)
      if (text_[at] == '\t') fields->emplace_back();
  return std::move(*fields);
}

Result<PairRow> PairTable::row_of(const std::vector<std::string>& fields, const Columns& columns,
                                  std::size_t line) const {
  if (fields.size() != columns.count)
    return error_at(line, "has " + std::to_string(fields.size()) + " columns (" +
                              quoted_list(fields) + "), expected " + std::to_string(columns.count) +
                              " as in the first line; put paths with spaces or commas in quotes");
  PairRow row;
  row.line = line;
  row.image = fields[*columns.image];
  if (columns.label) row.label = fields[*columns.label];
  if (columns.split) row.split = fields[*columns.split];
  if (row.image.empty()) return error_at(line, "names no image");
  if (columns.split && row.split.empty())
    return error_at(line, "names no split, although the table has a column of splits");
  return row;
}

Result<PairTable::JsonFields> PairTable::json_fields(const TextLine& line) const {
  const Result<format::Json> json = format::parse_json(line.text);
  if (!json.ok() || !json->is_object())
    return error_at(
        line.number,
        "is no JSON object (" + (json.ok() ? std::string("another value") : json.error().message) +
            "); expected an object with \"file_name\" on each line. " + std::string(kNoPolygons));
  if (json->contains("images") && json->contains("annotations"))
    return error_at(line.number, "is a COCO annotation file. " + std::string(kNoPolygons));
  JsonFields fields;
  for (const auto& [name, value] : json->items()) {
    const bool usable = value.is_string() || value.is_number_integer();
    const bool used = is_given(name) || is_usual_name(name);
    if (!usable && !value.is_null() && used)
      return error_at(line.number,
                      "the value of '" + name + "' is " + beginning_of(value.dump(), kMostOfValue) +
                          "; expected a text or a whole number: one file or one class per sample");
    if (!usable && used) continue;
    fields.names.push_back(name);
    fields.values.push_back(value.is_string() ? value.get<std::string>()
                            : usable          ? value.dump()
                                              : std::string());
  }
  return fields;
}

Result<PairRow> PairTable::json_row(const TextLine& line) {
  HOTPACK_ASSIGN(const JsonFields fields, json_fields(line));
  note_unused(fields.names, fields.values);
  HOTPACK_ASSIGN(const Columns columns, named_columns(fields.names, line.number));
  return row_of(fields.values, columns, line.number);
}

Error PairTable::error_at(std::size_t line, const std::string& what) const {
  return data_error("line " + std::to_string(line) + ": " + what, path_);
}

}  // namespace hotpack::pipeline
