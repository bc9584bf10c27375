// parse_class_file(): distinguishes the forms of class files, and reads those that are not CSV.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "labels/class_table.hpp"
#include "labels/class_table_builder.hpp"
#include "labels/color_csv.hpp"
#include "labels/column_csv.hpp"
#include "labels/csv.hpp"
#include "labels/hex_color.hpp"
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

// Returns the name in the first line. Fails if the line may be a header: if it were read as a
// class, the ids of all classes would be one too high. A line in quotes is a name, not a header.
Result<std::string_view> first_name(std::size_t line, std::string_view text,
                                    const std::string& path) {
  if (names_a_name(text))
    return line_error(line,
                      "'" + std::string(text) +
                          "' may be a header or a class; remove the line, or write \"" +
                          std::string(text) + "\" in quotes if it is a class",
                      path);
  return text;
}

// A quoted name may contain separators. Two quoted fields are not a name.
bool is_quoted(std::string_view text) {
  return text.size() > 2 && text.front() == '"' && text.find('"', 1) == text.size() - 1;
}

std::string_view unquoted(std::string_view text) {
  return is_quoted(text) ? text.substr(1, text.size() - 2) : text;
}

// ---- files that are not lists of names, although each line could be a name

// Lines of JSON, YAML or a protocol buffer's text.
bool is_markup(std::string_view line) {
  return line.ends_with('{') || line.starts_with('{') || line.starts_with('}') ||
         line.starts_with('[') || line.starts_with(']');
}

// True for YAML: the first line is "names:", or all lines are list items.
bool is_yaml(const Lines& lines) {
  Lines told = lines;
  std::erase_if(told, is_remark);
  if (told.size() < 2) return false;
  return told.front().ends_with(':') ||
         std::all_of(told.begin(), told.end(),
                     [](std::string_view line) { return line.starts_with("- "); });
}

constexpr std::string_view kDigits = "0123456789";

// A number and a name with more than spaces between: "0. sky", "(2) sky", "sky: 2", "sky -> 2".
struct NumberedLine {
  std::string_view number, name;
};

bool sets_apart(std::string_view between) {
  return between.find_first_of("\t:;=|>.)(#") != std::string_view::npos;
}

std::optional<NumberedLine> number_first(std::string_view line) {
  const std::size_t begin = line.find_first_not_of("(# \t");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = std::min(line.find_first_not_of(kDigits, begin), line.size());
  const std::size_t name = line.find_first_not_of("\t:;=|>.)(#- ", end);
  if (end == begin || name == std::string_view::npos) return std::nullopt;
  if (!sets_apart(line.substr(0, begin)) && !sets_apart(line.substr(end, name - end)))
    return std::nullopt;
  return NumberedLine{line.substr(begin, end - begin), line.substr(name)};
}

std::optional<NumberedLine> number_last(std::string_view line) {
  const std::size_t last = line.find_last_not_of(") \t");
  if (last == std::string_view::npos) return std::nullopt;
  const std::size_t before = line.find_last_not_of(kDigits, last);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t name = line.substr(0, begin).find_last_not_of("\t:;=|>(#- ");
  if (begin > last || name == std::string_view::npos ||
      !sets_apart(line.substr(name + 1, begin - name - 1)))
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

template <class Part>
bool all_differ(const std::vector<NumberedLine>& lines, Part part) {
  std::set<std::string_view> seen;
  return std::all_of(lines.begin(), lines.end(),
                     [&](const NumberedLine& line) { return seen.insert(line.*part).second; });
}

// Returns true for lines such as "zone A 1", "zone B 2": all begin with the same word, and their
// numbers are those of the lines, from 0 or 1.
bool is_series(const std::vector<NumberedLine>& lines) {
  const auto first_word = [](std::string_view name) { return name.substr(0, name.find(' ')); };
  const std::size_t first = lines.front().number == "0" ? 0 : 1;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].number != std::to_string(first + i) ||
        first_word(lines[i].name) != first_word(lines.front().name))
      return false;
  return true;
}

// Decides about numbers at the ends of lines, after a space: returns true if they may be ids. They
// are parts of the names if two names would be equal without them.
bool may_be_ids(const std::vector<NumberedLine>& lines) {
  return all_differ(lines, &NumberedLine::number) && all_differ(lines, &NumberedLine::name) &&
         !is_series(lines);
}

// Returns the number and the name of each line, or nothing if a line has no number. If every line
// has a number, the numbers are hardly parts of the names.
std::optional<std::vector<NumberedLine>> numbered_lines(const Lines& lines) {
  for (const auto& look : {number_first, number_last, number_behind_blank}) {
    std::vector<NumberedLine> found;
    bool all = true;
    for (const std::string_view line : lines) {
      if (is_remark(line) || line == kIgnoreName) continue;
      const auto numbered = is_quoted(line) ? std::nullopt : look(line);
      all = all && numbered;
      if (numbered) found.push_back(*numbered);
    }
    if (all && found.size() > 1 && (look != number_behind_blank || may_be_ids(found))) return found;
  }
  return std::nullopt;
}

// Fails if lines contain ids or signs of another format. If such lines were accepted as names,
// classes would get wrong ids.
Status check_names(const Lines& lines, const std::string& path) {
  const auto markup = std::find_if(lines.begin(), lines.end(), is_markup);
  if (markup != lines.end() || is_yaml(lines)) {
    const auto place =
        markup != lines.end() ? markup : std::find_if_not(lines.begin(), lines.end(), is_remark);
    return line_error(static_cast<std::size_t>(place - lines.begin()) + 1,
                      "'" + std::string(*place) +
                          "' looks like JSON, YAML or another format; a class file has " +
                          std::string(kExpected),
                      path);
  }
  const auto numbered = numbered_lines(lines);
  if (!numbered) return {};
  const NumberedLine& first = numbered->front();
  const auto place = std::find_if_not(lines.begin(), lines.end(), is_remark);
  return line_error(static_cast<std::size_t>(place - lines.begin()) + 1,
                    "'" + std::string(*place) +
                        "': each line has a number next to its name. If it is the class's id, "
                        "write a table whose first lines are\n  id,name\n  " +
                        std::string(first.number) + "," + std::string(first.name) +
                        "\nIf it belongs to the name, put the names in quotes",
                    path);
}

Result<ClassTable> parse_names(const Lines& lines, const std::string& path) {
  HOTPACK_TRY(check_names(lines, path));
  ClassTableBuilder builder(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_remark(lines[i])) continue;
    if (lines[i] == kIgnoreName) {
      builder.warn("line " + std::to_string(i + 1) +
                   " of the class file, '__ignore__', is not a class and is skipped");
      continue;
    }
    std::string_view name = lines[i];
    if (builder.size() == 0) {
      HOTPACK_ASSIGN(name, first_name(i + 1, name, path));
    }
    name = unquoted(name);
    HOTPACK_TRY(builder.add(i + 1, std::string(name), std::nullopt));
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

// ---- CVAT's label map: lines name:r,g,b:parts:actions, and comments after #

bool is_comment(std::string_view line) { return line.empty() || line.starts_with('#'); }

struct LabelMapLine {
  std::string_view name, color, parts, actions;
};

// Splits fields from the right, so that a name may contain colons.
std::optional<LabelMapLine> label_map_line(std::string_view line) {
  LabelMapLine fields;
  for (std::string_view* const field : {&fields.actions, &fields.parts, &fields.color}) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    *field = trimmed(line.substr(colon + 1));
    line = line.substr(0, colon);
  }
  fields.name = trimmed(line);
  return fields;
}

bool is_label_map(const Lines& lines) {
  const auto first = std::find_if_not(lines.begin(), lines.end(), is_comment);
  if (first == lines.end()) return false;
  const std::optional<LabelMapLine> fields = label_map_line(*first);
  if (!fields) return false;
  const Lines numbers = split(fields->color, ",");
  return fields->color.empty() ||
         (numbers.size() == 3 && std::all_of(numbers.begin(), numbers.end(), is_number));
}

// Returns a color from three numbers. Fails if there are not exactly three, or if one of them is
// not a number; the message says so.
Result<RgbColor> parse_color(std::size_t line, const Lines& numbers, std::string_view expected,
                             const std::string& path) {
  if (numbers.size() != 3)
    return line_error(
        line, std::to_string(numbers.size()) + " numbers for a color; " + std::string(expected),
        path);
  RgbColor color{};
  bool fraction = false;
  for (std::size_t i = 0; i < color.size(); ++i) {
    HOTPACK_ASSIGN(color[i],
                   color_value({line, {}}, std::string(numbers[i]), expected, fraction, path));
  }
  return color;
}

Result<ClassTable> parse_label_map_file(const Lines& lines, const std::string& path) {
  constexpr std::string_view kLine = "expected name:r,g,b:parts:actions";
  ClassTableBuilder builder(path);
  bool has_parts = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_comment(lines[i])) continue;
    const std::optional<LabelMapLine> fields = label_map_line(lines[i]);
    if (!fields)
      return line_error(i + 1, "'" + std::string(lines[i]) + "'; " + std::string(kLine), path);
    std::optional<RgbColor> color;
    if (!fields->color.empty()) {
      HOTPACK_ASSIGN(color, parse_color(i + 1, split(fields->color, ","), kLine, path));
    }
    has_parts |= !fields->parts.empty() || !fields->actions.empty();
    HOTPACK_TRY(builder.add(i + 1, std::string(fields->name), color));
  }
  if (has_parts) builder.warn("parts and actions of the class file are ignored");
  return builder.finish();
}

// ---- three numbers per line, separated by spaces: colors alone, as DIGITS writes them, or colors

Lines words_of(std::string_view line) {
  Lines words = split(line, " \t");
  std::erase(words, std::string_view());
  return words;
}

std::string_view text_behind_color(std::string_view line, const Lines& words) {
  return words.size() > 3 ? line.substr(static_cast<std::size_t>(words[3].data() - line.data()))
                          : std::string_view();
}

// True if all lines have three numbers. Names may follow if the first line has one.
bool is_color_list(const Lines& lines) {
  const auto first = std::find_if_not(lines.begin(), lines.end(),
                                      [](std::string_view line) { return line.empty(); });
  if (first == lines.end()) return false;
  const bool named = words_of(*first).size() > 3;
  return std::all_of(first, lines.end(), [&](std::string_view line) {
    const Lines words = words_of(line);
    const bool fits = words.size() == 3 || (named && words.size() > 3);
    return line.empty() || (fits && std::all_of(words.begin(), words.begin() + 3, is_number));
  });
}

Result<ClassTable> parse_color_list(const Lines& lines, const std::string& path) {
  constexpr std::string_view kLine = "expected three numbers, and perhaps a name after them";
  ClassTableBuilder builder(path);
  bool all_named = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    Lines words = words_of(lines[i]);
    std::string name(text_behind_color(lines[i], words));
    all_named &= !name.empty();
    if (name.empty()) name = "class_" + std::to_string(builder.size());
    words.resize(3);
    HOTPACK_ASSIGN(const RgbColor color, parse_color(i + 1, words, kLine, path));
    HOTPACK_TRY(builder.add(i + 1, std::move(name), color));
  }
  if (!all_named)
    builder.warn("the class file has no names: classes are called class_0, class_1, …");
  return builder.finish();
}

// ---- a name followed by a color, with any separator: "Road: 128 64 128", "Road;128;64;128",

struct NamedColorLine {
  std::string_view name;
  Lines numbers;         // three, …
  std::string_view hex;  // … or six digits after a #
};

constexpr std::string_view kApart = " \t;,|:=";

std::string_view without_separators(std::string_view text) {
  const std::size_t end = text.find_last_not_of(kApart);
  return end == std::string_view::npos ? std::string_view() : trimmed(text.substr(0, end + 1));
}

// Removes the last word of a line, and returns it.
std::string_view last_word(std::string_view& line) {
  line = without_separators(line);
  const std::size_t before = line.find_last_of(kApart);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view word = line.substr(start);
  line = line.substr(0, start);
  return word;
}

std::optional<NamedColorLine> named_color_line(std::string_view line) {
  std::string_view rest = line;
  NamedColorLine found;
  found.hex = last_word(rest);
  if (!is_hex_color(found.hex)) {
    rest = line;
    found.hex = {};
    for (int i = 0; i < 3; ++i) found.numbers.insert(found.numbers.begin(), last_word(rest));
    if (!std::all_of(found.numbers.begin(), found.numbers.end(), is_number)) return std::nullopt;
  }
  found.name = without_separators(rest);
  if (found.name.empty()) return std::nullopt;
  return found;
}

// True for a first line that names the columns.
bool is_column_line(std::string_view line) {
  std::vector<std::string> words(3);
  for (std::size_t i = 3; i-- > 0;) words[i] = std::string(last_word(line));
  return names_rgb(words);
}

bool is_named_color_list(const Lines& lines) {
  const auto first = std::find_if_not(lines.begin(), lines.end(), is_remark);
  if (first == lines.end()) return false;
  const auto rows = is_column_line(*first) ? first + 1 : first;
  const auto fits = [](std::string_view line) {
    return is_remark(line) || named_color_line(line).has_value();
  };
  return std::any_of(rows, lines.end(), [](std::string_view line) { return !is_remark(line); }) &&
         std::all_of(rows, lines.end(), fits);
}

Result<ClassTable> parse_named_color_list(const Lines& lines, const std::string& path) {
  ClassTableBuilder builder(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto fields = is_remark(lines[i]) ? std::nullopt : named_color_line(lines[i]);
    if (!fields) continue;  // a comment, or the line that names the columns
    RgbColor color{};
    if (fields->hex.empty()) {
      HOTPACK_ASSIGN(
          color, parse_color(i + 1, fields->numbers, "expected a name and three numbers", path));
    } else {
      color = hex_color(fields->hex);
    }
    HOTPACK_TRY(builder.add(i + 1, std::string(fields->name), color));
  }
  return builder.finish();
}

// ---- ids before names: not a list of names, since lines may not be in the order of ids

// "7: Road", "7 Road", "7,Road": a number, then text that is not a number, and no further column.
bool begins_with_id(std::string_view line) {
  const std::size_t end = line.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos || kApart.find(line[end]) == std::string_view::npos)
    return false;
  const std::size_t name = line.find_first_not_of(kApart, end);
  if (name == std::string_view::npos || std::count(line.begin(), line.end(), ',') > 1) return false;
  return !is_number(trimmed(line.substr(name, line.find_first_of(kApart, name) - name)));
}

std::optional<std::size_t> first_id_line(const Lines& lines) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_remark(lines[i])) continue;
    if (!begins_with_id(lines[i]) && (first || i > 0))
      return std::nullopt;  // a header may come first
    if (begins_with_id(lines[i]) && !first) first = i;
  }
  return first;
}

}  // namespace

Result<ClassTable> parse_class_file(std::string_view text, const std::string& path) {
  HOTPACK_ASSIGN(text, plain_text(text, kExpected, path));
  if (std::optional<Result<ClassTable>> table = parse_column_csv(text, path))
    return *std::move(table);
  const Lines lines = split(text, "\r\n");
  if (is_label_map(lines)) return parse_label_map_file(lines, path);
  if (is_color_list(lines)) return parse_color_list(lines, path);
  const bool has_commas = std::any_of(lines.begin(), lines.end(), is_table_line);
  if (!has_commas && is_named_color_list(lines)) return parse_named_color_list(lines, path);
  if (const auto line = first_id_line(lines); line && !is_named_color_list(lines))
    return line_error(
        *line + 1,
        "'" + std::string(lines[*line]) +
            "' begins with a number: give a file of ids and names (id,name) with --map; " +
            "a class file has " + std::string(kExpected),
        path);
  if (!has_commas) {
    if (const auto row = first_row(lines)) return no_names(*row + 1, lines[*row], path);
    return parse_names(lines, path);
  }
  HOTPACK_ASSIGN(const std::vector<CsvRow> rows, parse_csv(text, path));
  return parse_color_csv(rows, path);
}

}  // namespace hotpack::labels
