// parse_class_file(): distinguishes the forms of class files, and reads those that are not CSV.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "labels/class_table.hpp"
#include "labels/class_table_builder.hpp"
#include "labels/column_csv.hpp"
#include "labels/markup.hpp"
#include "labels/table_text.hpp"

namespace hotpack::labels {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::string_view kExpected = "rows name,r,g,b or one name per line";
constexpr std::string_view kIgnoreName = "__ignore__";

bool is_remark(std::string_view line) {
  return line.empty() || line == "#" || line.starts_with("# ");
}

bool is_number(std::string_view text) { return number_of(text).has_value(); }

// Returns true if the line looks like a row of a table: it has a number between its commas, or
// words for the columns r,g,b. Lists of names have neither.
bool is_table_line(std::string_view line) {
  const Lines parts = split(line, ",");
  if (parts.size() < 2) return false;
  const std::vector<std::string> fields(parts.begin(), parts.end());
  return names_rgb(fields) || names_rgb(std::span(fields).subspan(1)) ||
         std::any_of(parts.begin(), parts.end(), is_number);
}

// Returns true if the first line is a header. If a header were read as a class, the ids of all
// classes would be one too high: fails, or warns of a column of CSV, if the line may be one. A line
// in quotes is a name.
Result<bool> is_header(std::size_t line, std::string_view text, const std::string& path,
                       ClassTableBuilder& builder) {
  const bool csv = lower(path).ends_with(".csv"), named = names_a_name(text);
  if (named && !csv)
    return line_error(line,
                      "'" + std::string(text) +
                          "' may be a header or a class; remove the line, or write \"" +
                          std::string(text) + "\" in quotes if it is a class",
                      path);
  if (csv && !named)
    builder.warn("line " + std::to_string(line) + " of the class file, '" + std::string(text) +
                 "', is class 0; if it is a header, remove the line, and if it is a class, write "
                 "it in quotes");
  return named;
}

// A quoted name may contain separators. Two quoted fields are not a name.
bool is_quoted(std::string_view text) {
  return text.size() > 2 && text.front() == '"' && text.find('"', 1) == text.size() - 1;
}

std::string_view unquoted(std::string_view text) {
  return is_quoted(text) ? text.substr(1, text.size() - 2) : text;
}

// ---- files that are not lists of names, although each line could be a name

constexpr std::string_view kDigits = "0123456789";

// A number and a name: "0. sky", "2 sky", "sky: 2", "sky -> 2", "sky 2".
struct NumberedLine {
  std::string_view number, name;
};

constexpr std::string_view kApart = " \t;,|:=";
constexpr std::string_view kBetween = "\t:;=|>.)(#";

// A number before the name, unless the name is a number or the line has more columns.
std::optional<NumberedLine> number_first(std::string_view line) {
  const std::size_t begin = line.find_first_not_of("(# \t");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = std::min(line.find_first_not_of(kDigits, begin), line.size());
  const std::size_t name = line.find_first_not_of("\t:;=|>.)(#-, ", end);
  if (end == begin || name == std::string_view::npos ||
      std::count(line.begin(), line.end(), ',') > 1 ||
      line.substr(end, name - end).find_first_of(" ,\t:;=|>.)(#") == std::string_view::npos ||
      is_number(trimmed(line.substr(name, line.find_first_of(kApart, name) - name))))
    return std::nullopt;
  return NumberedLine{line.substr(begin, end - begin), line.substr(name)};
}

// A number behind the name, with more than spaces between.
std::optional<NumberedLine> number_last(std::string_view line) {
  const std::size_t last = line.find_last_not_of(") \t");
  if (last == std::string_view::npos) return std::nullopt;
  const std::size_t begin = line.find_last_not_of(kDigits, last) + 1;
  const std::size_t name = line.substr(0, begin).find_last_not_of("\t:;=|>(#- ");
  if (begin > last || name == std::string_view::npos ||
      line.substr(name + 1, begin - name - 1).find_first_of(kBetween) == std::string_view::npos)
    return std::nullopt;
  return NumberedLine{line.substr(begin, last + 1 - begin), line.substr(0, name + 1)};
}

// A number after a space, as in "sky 2", which may also be a name.
std::optional<NumberedLine> number_behind_blank(std::string_view line) {
  const std::size_t before = line.find_last_not_of(kDigits);
  if (before == std::string_view::npos || before + 1 == line.size()) return std::nullopt;
  const std::size_t name = line.substr(0, before + 1).find_last_not_of(" \t");
  if (name == std::string_view::npos || name == before) return std::nullopt;
  return NumberedLine{line.substr(before + 1), line.substr(0, name + 1)};
}

// Decides about numbers after a space: they are parts of the names if two of the numbers, or two
// names without them, are equal.
bool all_differ(const std::vector<NumberedLine>& lines) {
  std::set<std::string_view> numbers, names;
  return std::all_of(lines.begin(), lines.end(), [&](const NumberedLine& line) {
    return numbers.insert(line.number).second && names.insert(line.name).second;
  });
}

// Returns a line with a number if every line has one: the numbers are hardly parts of the names. A
// header may precede numbers that come first. In `table`, the rows of a table, only these count.
std::optional<NumberedLine> numbered_line(const Lines& lines, bool table) {
  for (const auto& look : {number_first, number_last, number_behind_blank}) {
    if (table && look != number_first) break;
    std::vector<NumberedLine> found;
    std::size_t count = 0;
    bool header = false;
    for (const std::string_view line : lines) {
      if (is_remark(line) || line == kIgnoreName) continue;
      const auto numbered = is_quoted(line) ? std::nullopt : look(line);
      header = header || (count == 0 && !numbered && look == number_first);
      if (numbered) found.push_back(*numbered);
      ++count;
    }
    const std::size_t least = look == number_first ? 1 : 2;
    if (found.size() >= least && found.size() + (header ? 1 : 0) == count &&
        (look != number_behind_blank || all_differ(found)))
      return found.front();
  }
  return std::nullopt;
}

// Fails if a line looks like something else than a name: such lines would become classes, and the
// classes would get wrong ids. `look_of` returns what a line looks like.
Status check_looks(const Lines& lines, std::string_view (*look_of)(std::string_view line),
                   const std::string& path) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view look = look_of(lines[i]);
    if (look.empty() || is_remark(lines[i]) || is_quoted(lines[i])) continue;
    return line_error(i + 1,
                      quoted_text(lines[i]) + " looks like " + std::string(look) +
                          ": write one class name per line, a table whose first line is id,name, "
                          "or in a YAML file the key names:. A name that looks like this goes in "
                          "quotes",
                      path);
  }
  return {};
}

// The error for lines with numbers, which are probably ids. If they were accepted as names, classes
// would get wrong ids.
Error numbered(const NumberedLine& found, const Lines& lines, const std::string& path) {
  const auto place = std::find_if(lines.begin(), lines.end(), [&](std::string_view line) {
    return line.data() <= found.name.data() && found.name.data() < line.data() + line.size();
  });
  return line_error(static_cast<std::size_t>(place - lines.begin()) + 1,
                    "'" + std::string(*place) +
                        "': each line has a number next to its name. If it is the class's id, "
                        "write a table whose first lines are\n  id,name\n  " +
                        std::string(found.number) + "," + std::string(found.name) +
                        "\nIf it belongs to the name, put the names in quotes",
                    path);
}

Result<ClassTable> parse_names(const Lines& lines, const std::string& path) {
  ClassTableBuilder builder(path);
  bool first = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_remark(lines[i])) continue;
    if (lines[i] == kIgnoreName) {
      builder.warn("line " + std::to_string(i + 1) +
                   " of the class file, '__ignore__', is not a class and is skipped");
      continue;
    }
    if (std::exchange(first, false) && !is_quoted(lines[i])) {
      HOTPACK_ASSIGN(const bool header, is_header(i + 1, lines[i], path, builder));
      if (header) continue;
    }
    HOTPACK_TRY(builder.add(i + 1, std::string(unquoted(lines[i])), std::nullopt));
  }
  return builder.finish();
}

std::size_t count_outside_quotes(std::string_view line, char separator) {
  std::size_t count = 0;
  bool in_quotes = false;
  for (const char c : line) {
    in_quotes ^= c == '"';
    count += !in_quotes && c == separator;
  }
  return count;
}

// Returns the index of the first line if the lines are rows of a table and not names. They are rows
// if all have the same number, not 0, of one separator; in the list of names "sky", "wall, brick",
// "road" the numbers differ. They are also rows if the first line begins with a word that means
// names, followed by a separator.
std::optional<std::size_t> first_row(const Lines& lines) {
  std::optional<std::size_t> first;
  for (const char separator : {',', ';', '\t', '|'}) {
    const auto count = [&](std::size_t line) {
      return count_outside_quotes(lines[line], separator);
    };
    bool equal = true;
    first.reset();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (is_remark(lines[i])) continue;
      if (!first) first = i;
      equal &= count(i) == count(*first);
    }
    if (!first) return std::nullopt;
    const bool header = count(*first) > 0 &&
                        names_a_name(split(lines[*first], std::string_view(&separator, 1)).front());
    if (count(*first) > 0 && (equal || header)) return first;
  }
  return std::nullopt;
}

Error no_names(std::size_t line, std::string_view text, const std::string& path) {
  return line_error(
      line,
      "'" + std::string(text) +
          "' is a row of a table, and nothing says what its columns are; write a first line that "
          "names " +
          "the columns (name,color or id,name or name,r,g,b), or put names with commas in quotes",
      path);
}

// ---- lines with a name and a color

struct ColoredLine {
  std::string_view name;  // empty: none
  Lines numbers;          // three; none if the class has no color
  std::string_view hex;   // six digits after a #, instead of numbers
  bool has_parts = false;
};

struct LineForm {
  bool (*skips)(std::string_view line);
  std::optional<ColoredLine> (*read)(std::string_view line);
  std::string_view expected;
};

// CVAT's label map: "name:r,g,b:parts:actions". Splits fields from the right, so that a name may
// contain colons.
std::optional<ColoredLine> label_map_line(std::string_view line) {
  std::array<std::string_view, 3> fields;  // actions, parts, color
  for (std::string_view& field : fields) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    field = trimmed(line.substr(colon + 1));
    line = line.substr(0, colon);
  }
  return ColoredLine{trimmed(line),
                     fields[2].empty() ? Lines() : split(fields[2], ","),
                     {},
                     !fields[0].empty() || !fields[1].empty()};
}

// Three numbers between spaces, as DIGITS writes them, and perhaps a name.
std::optional<ColoredLine> color_line(std::string_view line) {
  Lines words = split(line, " \t");
  std::erase(words, std::string_view());
  if (words.size() < 3 || !std::all_of(words.begin(), words.begin() + 3, is_number))
    return std::nullopt;
  const std::size_t name =
      words.size() > 3 ? static_cast<std::size_t>(words[3].data() - line.data()) : line.size();
  words.resize(3);
  return ColoredLine{line.substr(name), std::move(words), {}, false};
}

std::string_view without_separators(std::string_view text) {
  return trimmed(text.substr(0, text.find_last_not_of(kApart) + 1));
}

// Removes the last word of a line, and returns it.
std::string_view last_word(std::string_view& line) {
  line = without_separators(line);
  const std::size_t start = line.find_last_of(kApart) + 1;
  const std::string_view word = line.substr(start);
  line = line.substr(0, start);
  return word;
}

// A name and a color with any separator: "Road: 128 64 128", "Road;128;64;128", "Road #804080".
std::optional<ColoredLine> named_color_line(std::string_view line) {
  std::string_view rest = line;
  ColoredLine found;
  found.hex = last_word(rest);
  if (!hex_color(found.hex)) {
    rest = line;
    found.hex = {};
    for (int i = 0; i < 3; ++i) found.numbers.insert(found.numbers.begin(), last_word(rest));
    if (!std::all_of(found.numbers.begin(), found.numbers.end(), is_number)) return std::nullopt;
  }
  found.name = without_separators(rest);
  if (found.name.empty()) return std::nullopt;
  return found;
}

constexpr LineForm kLabelMap{
    [](std::string_view line) { return line.empty() || line.starts_with('#'); }, label_map_line,
    "expected name:r,g,b:parts:actions"};
constexpr LineForm kColorList{[](std::string_view line) { return line.empty(); }, color_line,
                              "expected three numbers, and perhaps a name after them"};
constexpr LineForm kNamedColors{is_remark, named_color_line, "expected a name and three numbers"};

// Decides by the first line alone: the colors of the others may be wrong.
bool is_label_map(const Lines& lines) {
  const auto first = std::find_if_not(lines.begin(), lines.end(), kLabelMap.skips);
  const auto fields = first == lines.end() ? std::nullopt : label_map_line(*first);
  return fields && (fields->numbers.empty() ||
                    (fields->numbers.size() == 3 &&
                     std::all_of(fields->numbers.begin(), fields->numbers.end(), is_number)));
}

bool all_fit(const LineForm& form, const Lines& lines) {
  return !std::all_of(lines.begin(), lines.end(), form.skips) &&
         std::all_of(lines.begin(), lines.end(), [&](std::string_view line) {
           return form.skips(line) || form.read(line).has_value();
         });
}

// The lines with nothing in place of a first one that names the columns.
Lines without_header(Lines lines) {
  const auto first = std::find_if_not(lines.begin(), lines.end(), is_remark);
  if (first == lines.end()) return lines;
  std::string_view line = *first;
  std::vector<std::string> words(3);
  for (std::size_t i = 3; i-- > 0;) words[i] = std::string(last_word(line));
  if (names_rgb(words)) *first = {};
  return lines;
}

Result<std::optional<RgbColor>> color_of(std::size_t line, const ColoredLine& fields,
                                         std::string_view expected, const std::string& path) {
  if (!fields.hex.empty()) return hex_color(fields.hex);
  if (fields.numbers.empty()) return std::optional<RgbColor>();
  if (fields.numbers.size() != 3)
    return line_error(
        line,
        std::to_string(fields.numbers.size()) + " numbers for a color; " + std::string(expected),
        path);
  RgbColor color{};
  bool fraction = false;
  for (std::size_t i = 0; i < color.size(); ++i) {
    HOTPACK_ASSIGN(color[i], color_value({line, {}}, std::string(fields.numbers[i]), expected,
                                         fraction, path));
  }
  return std::optional(color);
}

Result<ClassTable> parse_colored(const LineForm& form, const Lines& lines,
                                 const std::string& path) {
  ClassTableBuilder builder(path);
  bool has_parts = false, all_named = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (form.skips(lines[i])) continue;
    const std::optional<ColoredLine> fields = form.read(lines[i]);
    if (!fields)
      return line_error(i + 1, quoted_text(lines[i]) + "; " + std::string(form.expected), path);
    HOTPACK_ASSIGN(const auto color, color_of(i + 1, *fields, form.expected, path));
    has_parts |= fields->has_parts;
    const bool named = !fields->name.empty() || form.read != color_line;
    all_named &= named;
    HOTPACK_TRY(builder.add(
        i + 1, named ? std::string(fields->name) : "class_" + std::to_string(builder.size()),
        color));
  }
  if (has_parts) builder.warn("parts and actions of the class file are ignored");
  if (!all_named) builder.warn(std::string(kNoNames));
  return builder.finish();
}

std::string_view markup_outside_tables(std::string_view line) {
  return is_table_line(line) ? std::string_view() : markup_of(line);
}

}  // namespace

Result<ClassTable> parse_class_file(std::string_view text, const std::string& path, bool* no_list) {
  HOTPACK_ASSIGN(text, plain_text(text, kExpected, path));
  if (std::optional<Result<ClassTable>> table = parse_yaml_names(text, path))
    return *std::move(table);
  const Lines lines = split(text, "\r\n");
  Status listed = check_looks(lines, image_of, path);
  if (listed.ok()) {
    if (std::optional<Result<ClassTable>> table = parse_column_csv(text, path))
      return *std::move(table);
    listed = check_looks(lines, sentence_of, path);
  }
  if (no_list != nullptr) *no_list = !listed.ok();
  HOTPACK_TRY(listed);
  if (is_label_map(lines)) return parse_colored(kLabelMap, lines, path);
  if (all_fit(kColorList, lines)) return parse_colored(kColorList, lines, path);
  const bool has_commas = std::any_of(lines.begin(), lines.end(), is_table_line);
  const Lines rows = without_header(lines);
  const bool has_colors = all_fit(kNamedColors, rows);
  if (has_colors && !has_commas) return parse_colored(kNamedColors, rows, path);
  const auto found = has_colors ? std::nullopt : numbered_line(lines, has_commas);
  if (found) return numbered(*found, lines, path);
  HOTPACK_TRY(check_looks(lines, markup_outside_tables, path));
  if (has_commas) return parse_color_csv(text, path);
  if (const auto row = first_row(lines)) return no_names(*row + 1, lines[*row], path);
  return parse_names(lines, path);
}

}  // namespace hotpack::labels
