#include "files/pair_table.hpp"

#include <algorithm>
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
constexpr std::string_view kTextNames =
    "text, texts, caption, captions, description, prompt, title, url, license, width, height";
constexpr std::array<std::string_view, 3> kUsualNames{kImageNames, kLabelNames, kSplitNames};
constexpr std::array<std::string_view, 3> kRoleNames{"image", "label", "split"};

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
  return std::ranges::any_of(kUsualNames,
                             [&](std::string_view names) { return contains(names, text); });
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

constexpr std::size_t kMostOfValue = 60;  // bytes of a value in a message

constexpr std::string_view kNoPolygons =
    "JSON of another kind, such as COCO or LabelMe polygons, is not supported; draw its masks as "
    "PNG files, one per image";

std::string naming_advice() {
  std::string advice =
      "name its columns with --columns image=NAME,label=NAME, or with class=NAME in place of "
      "label=NAME if labels are classes of whole images, or rename them";
  for (std::size_t role = 0; role < kRoleNames.size(); ++role)
    advice += "\nusual names of " + std::string(kRoleNames[role]) +
              "s: " + std::string(kUsualNames[role]);
  return advice;
}

// True for the header of a class file, such as "class_names,r,g,b".
bool names_colors(const std::vector<std::string>& fields) {
  const auto has = [&](std::string_view color) {
    return std::ranges::find(fields, color, column_name) != fields.end();
  };
  return (has("r") && has("g") && has("b")) || (has("red") && has("green") && has("blue"));
}

bool is_header(const std::vector<std::string>& fields) {
  return std::ranges::any_of(fields, is_usual_name) &&
         std::ranges::all_of(fields, [](const std::string& field) {
           return describe_name(field).kind == FileKind::other;
         });
}

}  // namespace

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
  HOTPACK_TRY(table.read_columns(given.any(), is_file));
  return table;
}

// Reads the columns of a header or of a JSON object, or those of a first row that is no header.
Status PairTable::read_columns(bool has_given, const IsFile& is_file) {
  if (separator_ == '{') {
    HOTPACK_TRY(json_fields(*pending_, &names_));
    return read_names();
  }
  HOTPACK_ASSIGN(Fields fields, fields_of(*pending_));
  columns_ = fields.size();
  const std::size_t line = pending_->number;
  if (has_given || is_header(fields)) {
    names_ = std::move(fields);
    HOTPACK_TRY(read_names());
    pending_.reset();
    return {};
  }
  const std::string first = fields.empty() ? "" : fields.front();
  if (!has_image_name(first) && !(is_file && is_file(first)))
    return no_image(fields, "is no sample, because there is no file '" + first +
                                "', and no header with a usual name: " + quoted_list(fields) +
                                ". If it is a sample, give the folder where its path begins with "
                                "--root. If it is a header, ");
  if (columns_ > 3 || (columns_ == 3 && !usual_split_name(fields[2])))
    return error_at(
        line, "has " + std::to_string(columns_) + " columns (" + quoted_list(fields) +
                  ") and no header; expected an image and a label, then perhaps train, val or "
                  "test. Name the columns in a first line such as image,label, and put paths with "
                  "spaces in quotes or between commas");
  for (std::size_t column = 0; column < columns_; ++column) places_[column] = column;
  return {};
}

Status PairTable::read_names() {
  for (const std::string& name : given_)
    if (!name.empty() && std::ranges::find(names_, name) == names_.end())
      return error_at(
          pending_->number,
          "--columns names '" + name + "', but the columns (or keys) are " + quoted_list(names_));
  columns_ = names_.size();
  words_.resize(columns_, std::set<std::string>());
  for (const Role role : {kImage, kLabel, kSplit}) HOTPACK_TRY(find_column(role));
  if (places_[kImage]) return {};
  return no_image(names_,
                  "no column (or key) names the image; found " + quoted_list(names_) + "; ");
}

// The error for a first row without an image.
Error PairTable::no_image(const Fields& fields, const std::string& why) const {
  return error_at(pending_->number,
                  names_colors(fields)
                      ? "names classes and their colors (" + quoted_list(fields) +
                            "): this is a class file, not a table of samples; give it with "
                            "--classes"
                      : why + naming_advice());
}

// Finds the column with the given name or, without one, with a usual name.
Status PairTable::find_column(Role role) {
  const std::string& given = given_[role];
  std::optional<std::size_t>& place = places_[role];
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const bool fits = given.empty() ? !is_given(names_[i]) && contains(kUsualNames[role], names_[i])
                                    : names_[i] == given;
    if (fits && place)
      return error_at(pending_->number, "'" + names_[*place] + "' and '" + names_[i] +
                                            "' both name the " + std::string(kRoleNames[role]) +
                                            "; leave out one of them, or choose one with "
                                            "--columns");
    if (fits) place = i;
  }
  return {};
}

bool PairTable::is_given(std::string_view name) const {
  return std::ranges::find(given_, name) != given_.end();
}

bool PairTable::is_used(std::size_t column) const {
  return std::ranges::find(places_, std::optional(column)) != places_.end();
}

bool PairTable::labels_are_files() const {
  if (!has_labels() || names_.empty()) return false;
  const std::string name = column_name(names_[*places_[kLabel]]);
  return name.starts_with("mask") || name.starts_with("seg") || name.ends_with("_path") ||
         name.ends_with("_file");
}

std::string PairTable::unused() const {
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!is_used(i)) unused.push_back(names_[i]);
  return quoted_list(unused);
}

bool PairTable::only_texts() const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!is_used(i) && !contains(kTextNames, names_[i])) return false;
  return true;
}

void PairTable::note_words(const Fields& fields) {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (!words_[i] || words_[i]->contains(fields[i])) continue;
    if (usual_split_name(fields[i]))
      words_[i]->insert(fields[i]);
    else
      words_[i].reset();
  }
}

std::optional<PairTable::SplitWords> PairTable::split_words() const {
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (!is_used(i) && words_[i] && words_[i]->size() > 1)
      return SplitWords{names_[i], {words_[i]->begin(), words_[i]->end()}};
  return std::nullopt;
}

std::string_view PairTable::form() const {
  if (separator_ == '{') return "JSON lines";
  if (separator_ == '\t') return "a table of tab-separated values";
  if (separator_ == ';') return "a table of values with semicolons";
  return separator_ == ',' ? "a table of comma-separated values" : "a table of words";
}

std::optional<TextLine> PairTable::next_line() {
  std::optional<TextLine> line = lines_.next();
  while (line && is_remark(line->text)) line = lines_.next();
  return line;
}

Result<std::optional<PairRow>> PairTable::next() {
  const std::optional<TextLine> line =
      pending_ ? std::exchange(pending_, std::nullopt) : next_line();
  if (!line) return std::optional<PairRow>();
  HOTPACK_ASSIGN(Fields fields, separator_ == '{' ? json_fields(*line, nullptr) : fields_of(*line));
  if (fields.size() != columns_)
    return error_at(line->number, "has " + std::to_string(fields.size()) + " columns (" +
                                      quoted_list(fields) + "), expected " +
                                      std::to_string(columns_) +
                                      " as in the first line; put paths with spaces or commas in "
                                      "quotes");
  note_words(fields);
  const auto take = [&](Role role) {
    return places_[role] ? std::move(fields[*places_[role]]) : std::string();
  };
  PairRow row{*line, take(kImage), take(kLabel), take(kSplit)};
  if (row.image.empty()) return error_at(line->number, "names no image");
  if (places_[kSplit] && row.split.empty())
    return error_at(line->number, "names no split, although the table has a column of splits");
  return std::optional(std::move(row));
}

Result<PairTable::Fields> PairTable::fields_of(const TextLine& line) const {
  Result<Fields> fields = parse_csv_line(line.text, separator_);
  if (!fields.ok())
    return error_at(line.number,
                    "a quote is not closed, other text follows it, or a CR ends a line");
  // Tabs at the end are not in the line, but there they end empty fields.
  std::string_view rest =
      text_.substr(static_cast<std::size_t>(line.text.data() - text_.data()) + line.text.size());
  rest = rest.substr(0, rest.find('\n'));
  for (auto tabs = std::ranges::count(rest, '\t');
       separator_ == '\t' && tabs > 0 && fields->size() < columns_; --tabs)
    fields->emplace_back();
  return fields;
}

// Returns the values of a JSON object, by the names of the first line, which are added to `names`
// if that is not null. A name that is not there has an empty value.
Result<PairTable::Fields> PairTable::json_fields(const TextLine& line, Fields* names) const {
  const Result<format::Json> json = format::parse_json(line.text);
  if (!json.ok() || !json->is_object())
    return error_at(
        line.number,
        "is no JSON object (" + (json.ok() ? std::string("another value") : json.error().message) +
            "); expected an object with \"file_name\" on each line. " + std::string(kNoPolygons));
  if (json->contains("images") && json->contains("annotations"))
    return error_at(line.number, "is a COCO annotation file. " + std::string(kNoPolygons));
  Fields fields(columns_);
  for (const auto& [name, value] : json->items()) {
    const bool usable = value.is_string() || value.is_number_integer();
    const bool used = is_given(name) || is_usual_name(name);
    if (!usable && !value.is_null() && used)
      return error_at(line.number,
                      "the value of '" + name + "' is " + beginning_of(value.dump(), kMostOfValue) +
                          "; expected a text or a whole number: one file or one class per sample");
    const auto place = std::ranges::find(names_, name);
    if (names != nullptr)
      names->push_back(name);
    else if (place != names_.end())
      fields[static_cast<std::size_t>(place - names_.begin())] = value.is_string()
                                                                     ? value.get<std::string>()
                                                                 : usable ? value.dump()
                                                                          : "";
    else if (used)
      return error_at(line.number, "has '" + name + "', which the first line lacks; give every " +
                                       "line the same keys, with null where there is no value");
  }
  return fields;
}

Error PairTable::error_at(std::size_t line, const std::string& what) const {
  return data_error("line " + std::to_string(line) + ": " + what, path_);
}

std::uint64_t TableText::place(std::string_view path, const TextLine& line) {
  const std::size_t at = line.text.find(path);
  if (at != line.text.npos)
    return static_cast<std::uint64_t>(line.text.data() - text_->data()) + at;
  more_ += path;
  return text_->size() + more_.size() - path.size();
}

TextArena TableText::finish() {
  text_->append(std::exchange(more_, {}));
  return TextArena(std::move(text_));
}

}  // namespace hotpack::pipeline
