#include "files/pair_table.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/key_text.hpp"
#include "format/json.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::array<std::string_view, 19> kImageNames{
    "image",         "images",     "img",       "imgs",     "image_path", "img_path",
    "image_file",    "image_name", "img_name",  "filename", "file_name",  "file",
    "path",          "filepath",   "file_path", "photo",    "input",      "image_file_name",
    "image_filename"};
constexpr std::array<std::string_view, 29> kLabelNames{"label",
                                                       "labels",
                                                       "label_path",
                                                       "label_file",
                                                       "label_name",
                                                       "mask",
                                                       "masks",
                                                       "mask_path",
                                                       "mask_file",
                                                       "mask_name",
                                                       "mask_file_name",
                                                       "annotation",
                                                       "annotations",
                                                       "annotation_path",
                                                       "segmentation",
                                                       "segmentation_path",
                                                       "seg",
                                                       "seg_map",
                                                       "gt",
                                                       "ground_truth",
                                                       "target",
                                                       "class",
                                                       "class_name",
                                                       "classname",
                                                       "class_id",
                                                       "class_label",
                                                       "category",
                                                       "label_file_name",
                                                       "annotation_file"};
constexpr std::array<std::string_view, 5> kSplitNames{"split", "subset", "set", "partition",
                                                      "dataset_split"};

template <class List>
bool contains(const List& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// "Image Path" is "image_path".
std::string column_name(std::string_view text) {
  std::string name = lowered(without_blanks(text));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

bool is_known_name(std::string_view text) {
  const std::string name = column_name(text);
  return contains(kImageNames, name) || contains(kLabelNames, name) || contains(kSplitNames, name);
}

bool is_header(const std::vector<std::string>& fields) {
  const auto is_image = [](const std::string& field) {
    return describe_name(field).kind != FileKind::other;
  };
  return std::any_of(fields.begin(), fields.end(), is_known_name) &&
         std::none_of(fields.begin(), fields.end(), is_image);
}

// True for a comment: "#Image CLASS-ID" is one, "#1.png,cat" is a sample.
bool is_remark(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const std::string_view first = without_blanks(line.substr(0, line.find_first_of(",;\t")));
  const auto names_image = [](std::string_view name) {
    const FileKind kind = describe_name(name).kind;
    return kind == FileKind::image || kind == FileKind::unsupported;
  };
  return !names_image(first) && !names_image(first.substr(0, first.find(' ')));
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

char separator_of(std::string_view whole) {
  if (whole.front() == '{') return '{';
  const std::string line = without_quoted(whole);
  if (line.find('\t') != std::string::npos) return '\t';
  if (line.find(';') != std::string::npos && line.find(',') == std::string::npos) return ';';
  return line.find(',') != std::string::npos ? ',' : ' ';
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

const std::string kNoWord;

constexpr std::size_t kMostOfValue = 60;  // bytes of a value in a message

constexpr std::string_view kNoPolygons =
    "JSON of another kind, such as COCO or LabelMe polygons, is not supported; draw its masks as "
    "PNG files, one per image";

}  // namespace

bool names_an_image(std::string_view column) { return contains(kImageNames, column_name(column)); }

Result<PairTable> PairTable::open(std::string_view text, const std::string& path) {
  PairTable table(text, path);
  table.pending_ = table.next_line();
  if (!table.pending_)
    return data_error("is empty; expected a line for each sample: image, label", path);
  if (table.pending_->text.front() == '[')
    return table.error_at(
        table.pending_->number,
        "begins a JSON list; expected JSON lines, an object with \"file_name\" on each line. " +
            std::string(kNoPolygons));
  table.separator_ = separator_of(table.pending_->text);
  HOTPACK_TRY(table.read_columns());
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
Status PairTable::read_columns() {
  if (separator_ == '{') {
    HOTPACK_ASSIGN(const JsonFields fields, json_fields(*pending_));
    return read_names(fields.names, pending_->number);
  }
  HOTPACK_ASSIGN(const std::vector<std::string> fields, fields_of(*pending_));
  const bool header = is_header(fields);
  if (!header) {
    HOTPACK_ASSIGN(columns_, usual_columns(fields, pending_->number));
    return {};
  }
  HOTPACK_TRY(read_names(fields, pending_->number));
  pending_.reset();
  return {};
}

Status PairTable::read_names(const std::vector<std::string>& names, std::size_t line) {
  HOTPACK_ASSIGN(columns_, named_columns(names, line));
  std::vector<std::string> unused;
  std::remove_copy_if(names.begin(), names.end(), std::back_inserter(unused), is_known_name);
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
  const auto set = [&](std::optional<std::size_t>& column, std::size_t index,
                       std::string_view what) -> Status {
    if (column)
      return error_at(line, "'" + names[*column] + "' and '" + names[index] + "' both name the " +
                                std::string(what) + "; leave out one of them");
    column = index;
    return {};
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = column_name(names[i]);
    if (contains(kImageNames, name)) HOTPACK_TRY(set(columns.image, i, "image"));
    if (contains(kLabelNames, name)) HOTPACK_TRY(set(columns.label, i, "label"));
    if (contains(kSplitNames, name)) HOTPACK_TRY(set(columns.split, i, "split"));
  }
  if (!columns.image)
    return error_at(line, "no column (or key) names the image; found " + quoted_list(names) +
                              ", expected a name such as image, file_name or path");
  return columns;
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
                "Name the columns in a first "
                "line such as image,label, and put paths with spaces in quotes or between commas");
}

Result<std::vector<std::string>> PairTable::fields_of(const TextLine& line) const {
  std::optional<std::vector<std::string>> fields = split_fields(line.text, separator_);
  if (!fields) return error_at(line.number, "a quote is not closed, or other text follows it");
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
    if (!usable && !value.is_null() && is_known_name(name))
      return error_at(line.number,
                      "the value of '" + name + "' is " + value.dump().substr(0, kMostOfValue) +
                          "; expected a text or a whole number: one file or one class per sample");
    if (!usable && is_known_name(name)) continue;
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
