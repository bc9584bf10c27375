#include "labels/column_csv.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "labels/class_table_builder.hpp"
#include "labels/table_text.hpp"

namespace hotpack::labels {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 25> kNameWords{
    "name",        "names",       "cls",       "class",      "classes",
    "class name",  "class names", "classname", "label",      "labels",
    "label name",  "labelname",   "category",  "categories", "category name",
    "object name", "title",       "nom",       "classe",     "klasse",
    "nombre",      "clase",       "nome",      "etiqueta",   "bezeichnung"};
constexpr std::array<std::string_view, 22> kIdWords{
    "id",          "ids",         "class id", "class index", "label id",   "category id",
    "index",       "idx",         "number",   "no",          "value",      "pixel",
    "pixel value", "label value", "gray",     "grey",        "gray value", "grey value",
    "grayscale",   "class value", "pixel id", "code"};
constexpr std::array<std::string_view, 16> kColorWords{
    "color", "colour",  "hex",     "hex color", "hex colour",  "hex code",
    "html",  "rgb",     "rgb hex", "color hex", "class color", "class colour",
    "farbe", "couleur", "cor",     "colore"};
constexpr std::array<std::string_view, 9> kIgnoredNames{
    "ignore",  "ignored",         "void",   "unlabeled", "unlabelled",
    "unknown", "background/void", "border", "_ignore_"};
constexpr std::array<std::string_view, 3> kRed{"r", "red", "rouge"};
constexpr std::array<std::string_view, 3> kGreen{"g", "green", "vert"};
constexpr std::array<std::string_view, 3> kBlue{"b", "blue", "bleu"};

// Returns the text in lower case, with one space for each sequence of separators.
std::string plain_word(std::string_view text) {
  std::string word;
  for (const char c : lower(trimmed(text))) {
    if (c != '_' && c != '-' && c != ' ' && c != '.')
      word += c;
    else if (!word.empty() && word.back() != ' ')
      word += ' ';
  }
  return word;
}

bool is_one_of(const std::string& word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct Columns {
  std::optional<std::size_t> name, id, color;
  std::array<std::optional<std::size_t>, 3> rgb;
  std::vector<std::size_t> others;

  [[nodiscard]] bool has_rgb() const { return rgb[0] && rgb[1] && rgb[2]; }
  [[nodiscard]] bool has_part_of_rgb() const { return rgb[0] || rgb[1] || rgb[2]; }
};

// If `word` is one of `words` and `part` has no column yet, sets it to `column` and returns true.
bool take(std::optional<std::size_t>& part, const std::string& word, std::size_t column,
          Words words) {
  if (part || !is_one_of(word, words)) return false;
  part = column;
  return true;
}

void sort_in(const std::string& word, std::size_t column, Columns& columns) {
  const bool taken =
      take(columns.id, word, column, kIdWords) || take(columns.color, word, column, kColorWords) ||
      take(columns.rgb[0], word, column, kRed) || take(columns.rgb[1], word, column, kGreen) ||
      take(columns.rgb[2], word, column, kBlue) || take(columns.name, word, column, kNameWords);
  if (!taken) columns.others.push_back(column);
}

bool is_value(const std::string& field) {
  return number_of(field).has_value() || hex_color(field).has_value();
}

// Returns the columns that the first row of a file names, such as `name,color`. Returns nothing if
// no word in it means a column of names, or if a field is a number or a color.
std::optional<Columns> columns_of(const std::vector<std::string>& header) {
  if (header.size() < 2 || std::any_of(header.begin(), header.end(), is_value)) return std::nullopt;
  Columns columns;
  for (std::size_t i = 0; i < header.size(); ++i) sort_in(plain_word(header[i]), i, columns);
  if (!columns.name) return std::nullopt;
  return columns;
}

// True for a table of whole-image classes: the first column has their ids, and none has colors.
bool is_of_images(const std::vector<std::string>& header, const Columns& columns) {
  const std::string first = plain_word(header.front());
  return (first == "class index" || first == "class id") && header.size() > 2 && !columns.color &&
         !columns.has_part_of_rgb();
}

// The columns name,r,g,b or r,g,b of rows without column names.
Columns usual_columns(std::size_t count) {
  Columns columns;
  const std::size_t color = count > 3 ? 1 : 0;
  if (count > 3) columns.name = 0;
  for (std::size_t i = 0; i < 3; ++i) columns.rgb[i] = color + i;
  for (std::size_t i = color + 3; i < count; ++i) columns.others.push_back(i);
  return columns;
}

// Corrects the columns of a file with the header `label,name`. At first, a column `label` counts as
// the column of class names. But if it has a number in every row, it contains the ids, and the
// column `name` the class names.
void find_ids_among_names(const std::vector<CsvRow>& rows, Columns& columns) {
  const std::size_t first = *columns.name;
  const auto other =
      std::find_if(columns.others.begin(), columns.others.end(),
                   [&](std::size_t column) { return names_a_name(rows.front().fields[column]); });
  if (columns.id || other == columns.others.end() || rows.size() < 2) return;
  const auto has_id = [&](const CsvRow& row) {
    return row.fields.size() > first && whole_number_of(row.fields[first]).has_value();
  };
  if (!std::all_of(rows.begin() + 1, rows.end(), has_id)) return;
  columns.id = first;
  columns.name = *other;
  columns.others.erase(other);
}

// The numbers of a column, row by row; empty if a field is not a whole number, or two are equal.
std::optional<std::vector<std::int64_t>> distinct_numbers(const std::vector<CsvRow>& rows,
                                                          std::size_t column) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto number =
        rows[i].fields.size() > column ? whole_number_of(rows[i].fields[column]) : std::nullopt;
    if (!number || std::find(numbers.begin(), numbers.end(), *number) != numbers.end())
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Returns true if a column with an unknown title may contain ids: its title mentions ids, or its
// numbers are 0…N−1 or 1…N.
bool may_be_ids(const std::string& word, std::vector<std::int64_t> numbers) {
  const std::string spaced = " " + word + " ";
  for (const std::string_view part :
       {" id ", " ids ", " idx ", " index ", " value ", " trainid ", " labelid ", " classid "})
    if (spaced.find(part) != std::string::npos) return true;
  std::sort(numbers.begin(), numbers.end());
  const auto last = static_cast<std::int64_t>(numbers.size()) - 1;
  return !numbers.empty() && (numbers.front() == 0 || numbers.front() == 1) &&
         numbers.back() == numbers.front() + last;
}

// True if row i has number i + 1. False for a single row, whose number may be chance.
bool counts_from_one(const std::vector<std::int64_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<std::int64_t>(i) + 1) return false;
  return numbers.size() > 1;
}

class ColumnCsvParser {
 public:
  // `first` is the row of the first class: 1 below a header, else 0.
  ColumnCsvParser(const std::vector<CsvRow>& rows, const Columns& columns, std::size_t first,
                  const std::string& path)
      : rows_(rows), columns_(columns), first_(first), path_(path), builder_(path) {}

  Result<ClassTable> parse() {
    if (columns_.has_part_of_rgb() && !columns_.has_rgb())
      return line_error(rows_.front().line,
                        "names some of the columns r, g and b; expected all three, or none", path_);
    if (first_ > 0) HOTPACK_TRY(check_others());
    HOTPACK_ASSIGN(const std::vector<std::size_t> order, rows_by_id());
    for (const std::size_t row : order) HOTPACK_TRY(add(rows_[row]));
    warn();
    return builder_.finish();
  }

 private:
  // Fails if a column of unknown meaning may contain ids that contradict the order of the classes,
  // or those of another column.
  [[nodiscard]] Status check_others() {
    std::optional<std::size_t> known = columns_.id;
    for (const std::size_t column : columns_.others) {
      const auto numbers = distinct_numbers(rows_, column);
      if (!numbers || !may_be_ids(plain_word(header(column)), *numbers)) continue;
      if (!columns_.id && !std::is_sorted(numbers->begin(), numbers->end()))
        return line_error(rows_.front().line,
                          "the column '" + header(column) +
                              "' holds numbers in an order other than that of the lines; rename "
                              "the column to 'id' if it holds the classes' ids, or remove the "
                              "column if classes are numbered in the order of the lines",
                          path_);
      const auto ids = known ? distinct_numbers(rows_, *known) : numbers;
      if (ids && *ids != *numbers)
        return line_error(rows_.front().line,
                          "the columns '" + header(*known) + "' and '" + header(column) +
                              "' hold different ids; keep the one whose ids the labels have, and "
                              "call it 'id' (to merge ids, use --map)",
                          path_);
      if (!columns_.id && counts_from_one(*numbers) && !known)
        builder_.set_counted_from_one(header(column));
      if (!known) known = column;
    }
    return {};
  }

  // The rows of classes in the order of their ids or, without ids, in the order of the file.
  Result<std::vector<std::size_t>> rows_by_id() {
    std::vector<std::pair<std::int64_t, std::size_t>> found;
    for (std::size_t i = first_; i < rows_.size(); ++i) {
      HOTPACK_TRY(check_width(rows_[i]));
      std::int64_t id = static_cast<std::int64_t>(i);
      if (columns_.id) {
        HOTPACK_ASSIGN(id, id_of(rows_[i]));
        if (leaves_out(rows_[i], id)) continue;
      }
      found.emplace_back(id, i);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (columns_.id) HOTPACK_TRY(check_ids(found));
    std::vector<std::size_t> order;
    order.reserve(found.size());
    for (const auto& [id, row] : found) order.push_back(row);
    return order;
  }

  [[nodiscard]] Status check_width(const CsvRow& row) const {
    std::size_t needed = columns_.name ? *columns_.name + 1 : 0;
    for (const auto& column :
         {columns_.id, columns_.color, columns_.rgb[0], columns_.rgb[1], columns_.rgb[2]})
      if (column) needed = std::max(needed, *column + 1);
    if (row.fields.size() >= needed && (columns_.name || row.fields.size() == needed)) return {};
    return line_error(row.line,
                      "has " + columns_text(row.fields.size()) + ", expected " +
                          std::to_string(rows_.front().fields.size()) + " as in the first line",
                      path_);
  }

  [[nodiscard]] Result<std::int64_t> id_of(const CsvRow& row) const {
    const std::string& field = row.fields[*columns_.id];
    if (const auto id = whole_number_of(field)) return *id;
    return line_error(row.line,
                      "'" + field + "' is not a class id; expected a whole number in the column '" +
                          header(*columns_.id) + "'",
                      path_);
  }

  bool leaves_out(const CsvRow& row, std::int64_t id) {
    const bool outside = id == 255 || id == -1;
    if (!outside || !is_one_of(plain_word(row.fields[*columns_.name]), kIgnoredNames)) return false;
    builder_.warn("line " + std::to_string(row.line) + " of the class file, '" +
                  row.fields[*columns_.name] + "' with id " + std::to_string(id) +
                  ", is an ignored value, not a class; it is skipped");
    return true;
  }

  [[nodiscard]] Status check_ids(
      const std::vector<std::pair<std::int64_t, std::size_t>>& found) const {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto [id, row] = found[i];
      if (id == static_cast<std::int64_t>(i)) continue;
      if (i > 0 && id == found[i - 1].first)
        return line_error(rows_[row].line,
                          "id " + std::to_string(id) + " is also in line " +
                              std::to_string(rows_[found[i - 1].second].line) +
                              "; every class needs its own id",
                          path_);
      return line_error(rows_[row].line,
                        "class ids must be 0 … N−1, and " + std::to_string(i) +
                            " is missing before " + std::to_string(id) +
                            "; if the labels contain these ids, use --map " + shell_path(path_) +
                            " instead of --classes: a map may have gaps",
                        path_);
    }
    return {};
  }

  Status add(const CsvRow& row) {
    std::optional<RgbColor> color;
    if (columns_.has_rgb()) {
      const auto field = [&](std::size_t i) { return row.fields[*columns_.rgb[i]]; };
      HOTPACK_ASSIGN(color, rgb_of(row, {field(0), field(1), field(2)}, "expected a number 0…255"));
    } else if (columns_.color && !row.fields[*columns_.color].empty()) {
      HOTPACK_ASSIGN(color, color_of(row, row.fields[*columns_.color]));
    }
    return builder_.add(
        row.line,
        columns_.name ? row.fields[*columns_.name] : "class_" + std::to_string(builder_.size()),
        color);
  }

  Result<RgbColor> rgb_of(const CsvRow& row, const std::array<std::string, 3>& fields,
                          std::string_view expected) {
    RgbColor color{};
    bool fraction = false;
    for (std::size_t i = 0; i < color.size(); ++i) {
      HOTPACK_ASSIGN(color[i], color_value(row, fields[i], expected, fraction, path_));
    }
    if (fraction && first_fraction_ == 0) first_fraction_ = row.line;
    return color;
  }

  // "#804080", "804080", "128 64 128", "(128, 64, 128)"
  Result<RgbColor> color_of(const CsvRow& row, std::string text) {
    if (const auto color = hex_color(text.starts_with('#') ? text : "#" + text)) return *color;
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return c == '(' || c == ')' || c == '[' || c == ']' || c == ','; }, ' ');
    std::vector<std::string_view> words = split(text, " ");
    std::erase(words, std::string_view());
    if (words.size() != 3)
      return line_error(row.line,
                        "'" + row.fields[*columns_.color] +
                            "' is not a color; expected #rrggbb or three numbers 0…255",
                        path_);
    return rgb_of(row, {std::string(words[0]), std::string(words[1]), std::string(words[2])},
                  "expected #rrggbb or three numbers");
  }

  void warn() {
    if (!columns_.name) builder_.warn(std::string(kNoNames));
    if (first_fraction_ != 0)
      builder_.warn("the class file has colors that are not whole numbers (first in line " +
                    std::to_string(first_fraction_) + "); their fractions are dropped");
    std::vector<std::string> titles;
    std::string advice;
    for (const std::size_t column : columns_.others) {
      if (first_ > 0 && header(column).empty()) continue;
      titles.push_back(first_ > 0 ? header(column) : std::to_string(column + 1));
      advice += advice_about(column);
    }
    if (!titles.empty())
      builder_.warn("these columns of the class file are not used: " +
                    quoted_list_text(titles, titles.size()) + advice);
  }

  // A column of 0 and 1 may mark the classes that are used, another one may name new classes.
  [[nodiscard]] std::string advice_about(std::size_t column) const {
    bool marks = first_ > 0, has_zero = false;
    for (std::size_t i = first_; i < rows_.size(); ++i) {
      const std::vector<std::string>& fields = rows_[i].fields;
      const std::string field = column < fields.size() ? fields[column] : std::string();
      marks = marks && (field == "0" || field == "1");
      has_zero |= field == "0";
    }
    const std::string title = first_ > 0 ? lower(header(column)) : std::string();
    if (marks && has_zero)
      return "; if " + quoted_text(header(column)) +
             " marks classes as not used, give --ignore for each class with 0";
    const bool names_new = title.starts_with("to") || title.starts_with("new");
    return names_new ? "; to merge classes by such a column, give the file with --map" : "";
  }

  [[nodiscard]] const std::string& header(std::size_t column) const {
    return rows_.front().fields[column];
  }

  const std::vector<CsvRow>& rows_;
  const Columns& columns_;
  std::size_t first_;
  const std::string& path_;
  ClassTableBuilder builder_;
  std::size_t first_fraction_ = 0;  // the line of the first fraction
};

}  // namespace

bool names_a_name(std::string_view column) { return is_one_of(plain_word(column), kNameWords); }

std::optional<Result<ClassTable>> parse_column_csv(std::string_view text, const std::string& path) {
  const Result<std::vector<CsvRow>> rows = parse_csv(text, path, separator_of(text));
  if (!rows.ok() || rows->empty()) return std::nullopt;
  std::optional<Columns> columns = columns_of(rows->front().fields);
  if (!columns) return std::nullopt;
  if (is_of_images(rows->front().fields, *columns))
    return line_error(rows->front().line,
                      "this is a table of whole-image classes (" +
                          quoted_text(rows->front().fields.front()) +
                          "), without colors; expected name,r,g,b or id,name. Pack whole-image "
                          "labels with --image-folders",
                      path);
  find_ids_among_names(*rows, *columns);
  return ColumnCsvParser(*rows, *columns, 1, path).parse();
}

Result<ClassTable> parse_color_csv(std::string_view text, const std::string& path) {
  HOTPACK_ASSIGN(const std::vector<CsvRow> rows, parse_csv(text, path));
  const std::vector<std::string>& first = rows.front().fields;
  if (first.size() < 3)
    return line_error(rows.front().line,
                      "has " + columns_text(first.size()) + "; expected a row name,r,g,b", path);
  const Columns columns = usual_columns(first.size());
  const bool header = std::none_of(columns.rgb.begin(), columns.rgb.end(), [&](const auto& column) {
    return number_of(first[*column]).has_value();
  });
  return ColumnCsvParser(rows, columns, header ? 1 : 0, path).parse();
}

}  // namespace hotpack::labels
