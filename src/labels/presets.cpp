#include "labels/presets.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "labels/class_table_builder.hpp"
#include "labels/preset_files.hpp"
#include "labels/table_text.hpp"

namespace hotpack::labels {
namespace {

constexpr std::string_view kRows =
    "expected about, label-kind, rgb-id, ignore, image-suffix, label-suffix or num-classes, then a "
    "row name,color,ids and one row for each class";
constexpr std::string_view kName = "name", kColor = "color", kIds = "ids", kIgnore = "ignore";
constexpr std::int64_t kMaxId = 65535;

// One pass over the rows.
class PresetParser {
 public:
  explicit PresetParser(const std::string& path) : path_(path), builder_(path) {}

  Result<Preset> parse(const std::vector<CsvRow>& rows) {
    for (const CsvRow& row : rows) {
      if (row.fields.front().starts_with("# ")) continue;
      HOTPACK_TRY(columns_.empty() ? add_setting(row) : add_class(row));
    }
    HOTPACK_TRY(finish_table());
    for (const auto& [id, class_id] : classes_by_id_) preset_.values.push_back({id, class_id});
    preset_.name = path_;
    return std::move(preset_);
  }

 private:
  Status add_setting(const CsvRow& row) {
    const std::string& key = row.fields.front();
    if (key == kName) return set_columns(row);
    if (key != kIgnore && !settings_.insert(key).second)
      return error(row, "'" + key + "' stands in an earlier row already");
    const bool ends = std::all_of(row.fields.begin() + 1, row.fields.end(), [&](const auto& field) {
      return &field == &row.fields[1] || field.empty();
    });
    if (row.fields.size() < 2 || !ends)
      return error(row, "'" + key + "' has " + columns_text(row.fields.size()) + "; " +
                            std::string(kRows) + " (quote texts that hold commas)");
    const std::string& value = row.fields[1];
    if (key == kIgnore) {
      preset_.ignore.push_back(value);
      return {};
    }
    if (key == "num-classes") return set_count(row, value);
    if (key == "label-kind") return set_word(row, preset_.kind, value_of<LabelKind>(value));
    if (key == "rgb-id") return set_word(row, preset_.rgb_id, rgb_id_from_name(value));
    const std::map<std::string_view, std::string*> texts{{"about", &preset_.about},
                                                         {"image-suffix", &preset_.image_suffix},
                                                         {"label-suffix", &preset_.label_suffix}};
    const auto found = texts.find(key);
    if (found == texts.end()) return error(row, "'" + key + "'; " + std::string(kRows));
    *found->second = value;
    return {};
  }

  template <class Value>
  Status set_word(const CsvRow& row, Value& into, std::optional<Value> value) {
    if (!value)
      return error(row, "'" + row.fields[1] + "' is no value of --" + row.fields.front() +
                            "; hotpack pack --help lists them");
    into = *value;
    return {};
  }

  Status set_count(const CsvRow& row, const std::string& text) {
    const auto count = whole_number_of(text);
    if (!count || *count < 1 || *count > kMaxId)
      return error(row, "'" + text + "' is not a number of classes; expected 1…65535");
    preset_.table = numbered_classes(static_cast<int>(*count));
    return {};
  }

  Status set_columns(const CsvRow& row) {
    if (!preset_.table.classes.empty())
      return error(row, "num-classes and a table of classes exclude each other; give one of them");
    for (const std::string& column : row.fields) {
      if ((column != kName && column != kColor && column != kIds) || has_column(column))
        return error(row, "'" + column + "'; expected the columns name, color and ids, each once");
      columns_.push_back(column);
    }
    return {};
  }

  [[nodiscard]] bool has_column(std::string_view name) const {
    return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
  }

  [[nodiscard]] std::string field(const CsvRow& row, std::string_view name) const {
    const auto at = std::find(columns_.begin(), columns_.end(), name) - columns_.begin();
    const auto index = static_cast<std::size_t>(at);
    return index < row.fields.size() ? row.fields[index] : std::string();
  }

  Status add_class(const CsvRow& row) {
    if (row.fields.size() > columns_.size())
      return error(row, "has " + columns_text(row.fields.size()) + ", expected " +
                            std::to_string(columns_.size()) + " (quote names that hold commas)");
    const std::string name = field(row, kName);
    if (name == kIgnore) return add_ids(row, kIgnored);
    const std::string text = field(row, kColor);
    const std::optional<RgbColor> color = hex_color(text);
    if (!color && !text.empty())
      return error(row, "'" + text + "' is not a color; expected #rrggbb");
    // Colors that no label is read by may be equal.
    const bool by_color = preset_.kind == LabelKind::automatic || reads_colors(preset_.kind);
    const std::size_t id = builder_.size();
    HOTPACK_TRY(builder_.add(row.line, name, by_color ? color : std::nullopt));
    if (builder_.size() == id) return error(row, "is a row that occurred before; remove it");
    colors_.push_back(color);
    return add_ids(row, static_cast<std::uint16_t>(id));
  }

  Status add_ids(const CsvRow& row, std::uint16_t class_id) {
    const std::string ids = field(row, kIds);
    for (const std::string_view word : split(ids, " ")) {
      const auto id = whole_number_of(word);
      if (word.empty()) continue;
      if (!id || *id < 0 || *id > kMaxId)
        return error(row, "'" + std::string(word) + "' is not an id; expected 0…65535, separated " +
                              "by spaces");
      if (!classes_by_id_.emplace(static_cast<std::uint32_t>(*id), class_id).second)
        return error(row, "the id " + std::string(word) +
                              " also stands in another row; give each "
                              "id to one class");
    }
    return {};
  }

  Status finish_table() {
    if (!preset_.table.classes.empty()) return {};
    if (builder_.size() == 0)
      return data_error("no class in this preset; " + std::string(kRows), path_);
    HOTPACK_ASSIGN(preset_.table, builder_.finish());
    for (std::size_t id = 0; id < colors_.size(); ++id)
      preset_.table.classes[id].color = colors_[id];
    preset_.table.has_colors =
        std::all_of(colors_.begin(), colors_.end(), [](const auto& color) { return color; });
    return {};
  }

  [[nodiscard]] Error error(const CsvRow& row, const std::string& message) const {
    return line_error(row.line, message, path_);
  }

  const std::string& path_;
  Preset preset_;
  std::set<std::string> settings_;  // rows of two fields so far
  ClassTableBuilder builder_;
  std::vector<std::string> columns_;  // empty before the row that names them
  std::vector<std::optional<RgbColor>> colors_;
  std::map<std::uint32_t, std::uint16_t> classes_by_id_;
};

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = [] {
    std::vector<Preset> all;
    for (const PresetFile& file : preset_files())
      all.push_back(parse_preset(file.text, std::string(file.name)).value());
    return all;
  }();
  return presets;
}

}  // namespace

Result<Preset> parse_preset(std::string_view text, const std::string& path) {
  HOTPACK_ASSIGN(text, plain_text(text, "the rows of a preset", path));
  HOTPACK_ASSIGN(const std::vector<CsvRow> rows, parse_csv(text, path));
  return PresetParser(path).parse(rows);
}

const Preset* find_preset(std::string_view name) {
  const std::vector<Preset>& presets = all_presets();
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [&](const Preset& preset) { return preset.name == name; });
  return found == presets.end() ? nullptr : &*found;
}

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (const PresetFile& file : preset_files()) names.push_back(file.name);
  return names;
}

bool is_preset_file(std::string_view value) {
  return value.find('/') != std::string_view::npos || value.ends_with(".csv");
}

Result<std::shared_ptr<const Preset>> read_preset(const std::string& value) {
  if (value.empty()) return std::shared_ptr<const Preset>();
  if (is_preset_file(value)) {
    HOTPACK_ASSIGN(const std::string text, read_text_file(value));
    HOTPACK_ASSIGN(Preset preset, parse_preset(text, value));
    return std::make_shared<const Preset>(std::move(preset));
  }
  if (const Preset* const known = find_preset(value))
    return std::shared_ptr<const Preset>(std::shared_ptr<const Preset>(), known);
  std::string text = "--preset " + value + ": unknown preset; known presets are:";
  for (const Preset& known : all_presets()) text += "\n  " + known.name + ": " + known.about;
  return usage_error(std::move(text) + "\nThe file of another preset ends with .csv");
}

}  // namespace hotpack::labels
