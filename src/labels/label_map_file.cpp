// parse_label_map(): reads the text of a map.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "labels/label_map.hpp"
#include "labels/table_text.hpp"

namespace hotpack::labels {
namespace {

constexpr std::string_view kExpected = "rows old,new or r,g,b,new or name,r,g,b,new";
constexpr std::int64_t kMaxId = 65535;

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, const std::string& field) {
  return std::find(words.begin(), words.end(), lower(field)) != words.end();
}

bool are_numbers(std::span<const std::string> fields) {
  return std::all_of(fields.begin(), fields.end(),
                     [](const std::string& field) { return number_of(field).has_value(); });
}

// The positions of the columns.
struct MapForm {
  bool has_header = false;
  std::optional<std::size_t> name;  // column of the old class's name
  // the first of the three columns r,g,b; if absent, the first column of the file has the old value
  std::optional<std::size_t> color;
  std::size_t target = 1;
};

// Returns true if the row is a header such as `old,new`. Both words are checked, so that a row with
// a value and a class does not count as a header.
bool is_pair_header(const CsvRow& row) {
  constexpr std::array<std::string_view, 12> kOld{"old",    "from",   "source", "id",
                                                  "old_id", "old id", "value",  "label",
                                                  "name",   "color",  "colour", "class"};
  constexpr std::array<std::string_view, 14> kNew{
      "name",     "class name", "new",       "to",        "target",   "new_id",  "new id",
      "new_name", "new name",   "new_class", "new class", "train_id", "trainid", "class"};
  return contains(kOld, row.fields[0]) && contains(kNew, row.fields[1]);
}

// Finds the column of the new class among those after name,r,g,b: the only one whose header begins
// with "to" or "new" or, if that is not exactly one, the only one with text. Fails if there is
// none. `has_header` says whether the first row is a header.
Result<std::size_t> target_column(const std::vector<CsvRow>& rows, bool has_header,
                                  const std::string& path) {
  const std::vector<std::string>& header = rows.front().fields;
  std::vector<std::size_t> filled, named;
  for (std::size_t column = 4; column < header.size(); ++column) {
    const bool has_text = std::any_of(rows.begin(), rows.end(), [&](const CsvRow& row) {
      return row.fields.size() > column && !row.fields[column].empty();
    });
    if (has_text) filled.push_back(column);
    const std::string word = lower(header[column]);
    if (has_header && (word.starts_with("to") || word.starts_with("new"))) named.push_back(column);
  }
  if (named.size() == 1) return named.front();
  if (filled.size() == 1) return filled.front();
  return line_error(rows.front().line,
                    std::to_string(filled.size()) +
                        " columns after name,r,g,b, and none that says what happens to each class; "
                        "expected one column, with a header that begins with \"to\" or \"new\" if "
                        "there are others",
                    path);
}

Result<MapForm> form_of(const std::vector<CsvRow>& rows, const std::string& path) {
  const CsvRow& first = rows.front();
  const std::span<const std::string> fields(first.fields);
  MapForm form;
  if (fields.size() == 2) {
    form.has_header = is_pair_header(first);
    return form;
  }
  if (fields.size() == 4 && (names_rgb(fields) || are_numbers(fields.first(3)))) {
    form = {names_rgb(fields), std::nullopt, 0, 3};
    return form;
  }
  if (fields.size() < 4)
    return line_error(first.line,
                      std::to_string(fields.size()) + " fields; expected " + std::string(kExpected),
                      path);
  if (names_bgr(fields.subspan(1)))
    return line_error(
        first.line, "the columns are in the order blue, green, red; expected name,r,g,b,new", path);
  form = {!are_numbers(fields.subspan(1, 3)), 0, 1, 4};
  if (form.has_header && !names_rgb(fields.subspan(1)))
    return line_error(first.line,
                      "is neither a row nor a header of a map; expected " + std::string(kExpected),
                      path);
  HOTPACK_ASSIGN(form.target, target_column(rows, form.has_header, path));
  return form;
}

bool is_comment(const CsvRow& row) {
  const std::string& text = row.fields.front();
  return text == "#" || text.starts_with("# ") || text.starts_with("#\t");
}

// One pass over the rows.
class MapParser {
 public:
  MapParser(std::vector<CsvRow> rows, const std::string& path) : rows_(std::move(rows)) {
    map_.path = path;
  }

  Result<LabelMap> parse() {
    std::erase_if(rows_, is_comment);
    if (rows_.empty())
      return data_error("the map is empty; expected " + std::string(kExpected), map_.path);
    HOTPACK_ASSIGN(form_, form_of(rows_, map_.path));
    for (std::size_t i = form_.has_header ? 1 : 0; i < rows_.size(); ++i)
      HOTPACK_TRY(add_row(rows_[i]));
    if (map_.rows.empty())
      return data_error(
          "no row of the map says what happens to a value; expected " + std::string(kExpected),
          map_.path);
    return std::move(map_);
  }

 private:
  Status add_row(const CsvRow& row) {
    MapRow mapped{row.line, row.fields.front(), {}, {}, false};
    if (row.fields.size() > form_.target) mapped.target = row.fields[form_.target];
    HOTPACK_TRY(check_width(row));
    HOTPACK_ASSIGN(mapped.old, old_value(row));
    if (form_.color && !form_.name) mapped.name = color_text(std::get<RgbColor>(mapped.old));
    if (mapped.target.empty())
      return leave_out(row, "'" + mapped.name + "' has no new class, so its pixels are unknown");
    if (const auto* id = std::get_if<std::int64_t>(&mapped.old); id != nullptr && *id < 0)
      return leave_out(row, "no label file can hold the id " + std::to_string(*id));
    HOTPACK_TRY(check_kind(mapped));
    resolve_target(mapped);
    map_.rows.push_back(std::move(mapped));
    return {};
  }

  // Fails if a row has too few or too many fields. A row may end before the column of the new
  // class, or have empty fields at its end.
  Status check_width(const CsvRow& row) const {
    const std::size_t needed = form_.color ? *form_.color + 3 : 1;
    const bool is_wide =
        !form_.name && row.fields.size() > form_.target + 1 &&
        std::any_of(row.fields.begin() + static_cast<std::ptrdiff_t>(form_.target) + 1,
                    row.fields.end(), [](const std::string& field) { return !field.empty(); });
    if (row.fields.size() >= needed && !is_wide) return {};
    return line_error(row.line,
                      std::to_string(row.fields.size()) + " fields; expected " +
                          std::to_string(form_.target + 1) +
                          ", as in the first row (quote names that hold commas)",
                      map_.path);
  }

  Result<OldValue> old_value(const CsvRow& row) const {
    if (form_.color) return color_of(row);
    const std::string& text = row.fields.front();
    if (text.empty())
      return line_error(row.line, "the old value is missing; expected " + std::string(kExpected),
                        map_.path);
    if (text.starts_with('#')) {
      if (const auto color = hex_color(text)) return OldValue(*color);
      return line_error(row.line, "'" + text + "' is not a color; expected #rrggbb", map_.path);
    }
    const auto id = whole_number_of(text);
    if (id && *id > kMaxId)
      return line_error(row.line, text + " is not an id; ids are 0…65535", map_.path);
    return id ? OldValue(*id) : OldValue(text);
  }

  Result<OldValue> color_of(const CsvRow& row) const {
    RgbColor color{};
    bool fraction = false;
    for (std::size_t i = 0; i < color.size(); ++i) {
      HOTPACK_ASSIGN(color[i],
                     color_value(row, row.fields[*form_.color + i],
                                 "expected " + std::string(kExpected), fraction, map_.path));
    }
    return OldValue(color);
  }

  Status leave_out(const CsvRow& row, const std::string& why) {
    map_.warnings.push_back(map_.path + ": line " + std::to_string(row.line) + ": " + why);
    return {};
  }

  Status check_kind(const MapRow& row) {
    has_ids_ |= std::holds_alternative<std::int64_t>(row.old);
    has_colors_ |= std::holds_alternative<RgbColor>(row.old);
    if (!has_ids_ || !has_colors_) return {};
    return line_error(row.line,
                      "'" + row.name +
                          "': the map has ids and colors; labels hold only one of them, so write a "
                          "map of ids or a map of colors",
                      map_.path);
  }

  // Completes a row of the map: sets `ignored` if its new value is a word for "ignore", and removes
  // the fraction of an id that some tools write ("11.0").
  static void resolve_target(MapRow& row) {
    const std::string word = lower(row.target);
    row.ignored = word == "ignore" || word == "__ignore__";
    if (const auto id = whole_number_of(row.target)) row.target = std::to_string(*id);
  }

  std::vector<CsvRow> rows_;
  MapForm form_;
  LabelMap map_;
  bool has_ids_ = false, has_colors_ = false;
};

}  // namespace

Result<LabelMap> parse_label_map(std::string_view text, const std::string& path) {
  HOTPACK_ASSIGN(text, plain_text(text, kExpected, path));
  HOTPACK_ASSIGN(std::vector<CsvRow> rows, parse_csv(text, path, separator_of(text)));
  return MapParser(std::move(rows), path).parse();
}

}  // namespace hotpack::labels
