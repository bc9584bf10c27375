#include "labels/class_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "labels/csv.hpp"

namespace hotpack::labels {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kIgnoreName = "__ignore__";
constexpr std::string_view kExpected = "expected a row name,r,g,b";

using Words = std::array<std::string_view, 3>;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// What Python's float() takes, less words like "inf".
std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

Error line_error(std::size_t line, const std::string& message, const std::string& path) {
  return data_error("line " + std::to_string(line) + ": " + message, path);
}

bool begins_with(std::span<const std::string> fields, const Words& words) {
  return fields.size() >= words.size() && std::equal(words.begin(), words.end(), fields.begin(),
                                                     [](std::string_view word, const std::string& field) { return lower(field) == word; });
}

bool names_rgb(std::span<const std::string> fields) {
  return begins_with(fields, {"r", "g", "b"}) || begins_with(fields, {"red", "green", "blue"});
}
bool names_bgr(std::span<const std::string> fields) {
  return begins_with(fields, {"b", "g", "r"}) || begins_with(fields, {"blue", "green", "red"});
}

// Collects classes and refuses a name or colour that occurs twice.
class TableBuilder {
 public:
  explicit TableBuilder(const std::string& path) : path_(path) {}

  Status add(std::size_t line, std::string name, std::optional<RgbColor> color) {
    if (name.empty()) return line_error(line, "the class has no name", path_);
    if (const auto [first, added] = line_of_name_.emplace(name, line); !added) return duplicate(line, "name '" + name + "'", first->second);
    if (color) {
      if (const auto [first, added] = line_of_color_.emplace(*color, line); !added)
        return duplicate(line, "colour " + color_text(*color), first->second);
    }
    if (table_.classes.size() == kMaxClasses) return line_error(line, "more than " + std::to_string(kMaxClasses) + " classes", path_);
    table_.classes.push_back({std::move(name), color, {}});
    return {};
  }

  void warn(std::string message) { table_.warnings.push_back(std::move(message)); }
  [[nodiscard]] std::size_t size() const { return table_.classes.size(); }

  Result<ClassTable> finish(bool has_colors) {
    if (table_.classes.empty()) return data_error("no class in this file; expected rows name,r,g,b or one name a line", path_);
    table_.has_colors = has_colors;
    return std::move(table_);
  }

 private:
  Error duplicate(std::size_t line, const std::string& what, std::size_t first_line) const {
    return line_error(line, what + " is also in line " + std::to_string(first_line) + "; every class needs its own", path_);
  }

  const std::string& path_;
  ClassTable table_;
  std::map<std::string, std::size_t> line_of_name_;
  std::map<RgbColor, std::size_t> line_of_color_;
};

// One pass over a colour table's rows.
class ColorTableParser {
 public:
  ColorTableParser(const std::vector<CsvRow>& rows, const std::string& path) : rows_(rows), path_(path), builder_(path) {}

  Result<ClassTable> parse() {
    if (rows_.empty()) return builder_.finish(true);
    HOTPACK_TRY(read_form());
    for (std::size_t i = has_header_ ? 1 : 0; i < rows_.size(); ++i) HOTPACK_TRY(add_row(rows_[i]));
    warn();
    return builder_.finish(true);
  }

 private:
  // Looks at the first row: whether it is a header, and whether classes have names.
  Status read_form() {
    const CsvRow& first = rows_.front();
    if (first.fields.size() < 3)
      return line_error(first.line, std::to_string(first.fields.size()) + " fields; " + std::string(kExpected), path_);
    named_ = first.fields.size() > 3;
    const std::span<const std::string> colors = std::span(first.fields).subspan(first_color(), 3);
    has_header_ = std::none_of(colors.begin(), colors.end(), [](const std::string& field) { return number_of(field).has_value(); });
    return has_header_ ? check_header(first, colors) : Status();
  }

  Status check_header(const CsvRow& header, std::span<const std::string> colors) const {
    const std::string first = lower(header.fields.front());
    for (const std::string_view index_name : {"class_index", "class index", "class_id", "class id"}) {
      if (first == index_name)
        return line_error(header.line,
                          "this is a table of whole-image classes ('" + header.fields.front() + "'), without colours; " +
                              std::string(kExpected) + ". Pack whole-image labels with --image-folders",
                          path_);
    }
    if (names_bgr(colors)) return line_error(header.line, "the columns are in the order blue, green, red; expected name,r,g,b", path_);
    return {};
  }

  Status add_row(const CsvRow& row) {
    if (named_ ? row.fields.size() < 4 : row.fields.size() != 3) {
      const std::string expected = named_ ? std::string(kExpected) : "expected r,g,b as in the rows before";
      return line_error(row.line, std::to_string(row.fields.size()) + " fields; " + expected, path_);
    }
    RgbColor color{};
    for (std::size_t i = 0; i < color.size(); ++i) {
      HOTPACK_ASSIGN(color[i], color_value(row, row.fields[first_color() + i]));
    }
    return builder_.add(row.line, named_ ? row.fields.front() : "class_" + std::to_string(builder_.size()), color);
  }

  // int(float(x)), in 0…255.
  Result<std::uint8_t> color_value(const CsvRow& row, const std::string& field) {
    const std::optional<double> number = number_of(field);
    if (!number) return line_error(row.line, "'" + field + "' is not a number; " + std::string(kExpected), path_);
    const double whole = std::trunc(*number);
    if (whole < 0 || whole > 255) return line_error(row.line, field + " is outside 0…255", path_);
    if (whole != *number && first_fraction_ == 0) first_fraction_ = row.line;
    return static_cast<std::uint8_t>(whole);
  }

  void warn() {
    if (!named_) builder_.warn("the class file has no names: classes are called class_0, class_1, …");
    if (first_fraction_ != 0)
      builder_.warn("the class file has colours that are not whole numbers (first in line " + std::to_string(first_fraction_) +
                    "); their fractions are dropped");
    if (named_ && has_further_columns()) builder_.warn("columns of the class file after the fourth are ignored" + further_names());
  }

  bool has_further_columns() const {
    const auto has_text = [](const std::string& field) { return !field.empty(); };
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const CsvRow& row) { return std::any_of(row.fields.begin() + 4, row.fields.end(), has_text); });
  }

  std::string further_names() const {
    std::string names;
    if (!has_header_) return names;
    const std::vector<std::string>& header = rows_.front().fields;
    for (std::size_t i = 4; i < header.size(); ++i) names += (i == 4 ? ": " : ", ") + header[i];
    return names;
  }

  [[nodiscard]] std::size_t first_color() const { return named_ ? 1 : 0; }

  const std::vector<CsvRow>& rows_;
  const std::string& path_;
  TableBuilder builder_;
  bool has_header_ = false;
  bool named_ = true;
  std::size_t first_fraction_ = 0;  // its line
};

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2u : 1u));
  }
}

// A line with a number between its commas, or one that names the columns r,g,b: no list of names has either.
bool is_table_line(std::string_view line) {
  const std::vector<std::string_view> parts = split(line, ",");
  if (parts.size() < 2) return false;
  const std::vector<std::string> fields(parts.begin(), parts.end());
  return names_rgb(fields) || names_rgb(std::span(fields).subspan(1)) ||
         std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return number_of(part).has_value(); });
}

Result<ClassTable> parse_names(const std::vector<std::string_view>& lines, const std::string& path) {
  TableBuilder builder(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    if (lines[i] == kIgnoreName) {
      builder.warn("line " + std::to_string(i + 1) + " of the class file, '__ignore__', names no class and is left out");
      continue;
    }
    HOTPACK_TRY(builder.add(i + 1, std::string(lines[i]), std::nullopt));
  }
  return builder.finish(false);
}

}  // namespace

std::optional<int> ClassTable::find(std::string_view name) const {
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const ClassInfo& info) { return info.name == name; });
  if (found == classes.end()) return std::nullopt;
  return static_cast<int>(found - classes.begin());
}

Result<ClassTable> parse_class_file(std::string_view text, const std::string& path) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find('\0') != std::string_view::npos)
    return data_error("not a text file in UTF-8; expected rows name,r,g,b or one name a line", path);
  const std::vector<std::string_view> lines = split(text, "\r\n");
  if (std::none_of(lines.begin(), lines.end(), is_table_line)) return parse_names(lines, path);
  HOTPACK_ASSIGN(const std::vector<CsvRow> rows, parse_csv(text, path));
  return ColorTableParser(rows, path).parse();
}

ClassTable numbered_classes(int count) {
  ClassTable table;
  for (int id = 0; id < count; ++id) table.classes.push_back({std::to_string(id), std::nullopt, {}});
  return table;
}

ClassTable binary_classes() {
  ClassTable table;
  table.classes = {{"background", std::nullopt, {}}, {"foreground", std::nullopt, {}}};
  return table;
}

ClassTable named_classes(const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  ClassTable table;
  for (const std::string& name : sorted) table.classes.push_back({name, std::nullopt, {name}});
  return table;
}

std::string color_text(RgbColor color) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t value : color) {
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

}  // namespace hotpack::labels
