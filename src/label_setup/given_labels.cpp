#include "label_setup/given_labels.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "label_setup/id_scan.hpp"
#include "label_setup/label_words.hpp"
#include "labels/packed_color.hpp"

namespace hotpack::pipeline {

namespace {

using labels::ClassTable;
using labels::LabelMap;
using labels::MappedValue;

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Refuses a map that has class names as old values, unless another option defines their values.
Status check_names_known(const GivenLabels& given) {
  if (!given.map || !given.map->holds<std::string>() || given.preset != nullptr || given.table)
    return {};
  const auto& rows = given.map->rows;
  const auto named = std::find_if(rows.begin(), rows.end(), [](const auto& row) {
    return std::holds_alternative<std::string>(row.old);
  });
  return usage_error("--map " + given.map->path + ": line " + std::to_string(named->line) + ": '" +
                     named->name +
                     "' is the name of a class, and nothing says which ids or colors it has; give "
                     "--classes or --preset, or write ids "
                     "(0…65535) or colors (#rrggbb) in place of names. If the line is a header, "
                     "write it as old,new");
}

// True if the preset says which ids are classes, and labels of this kind hold ids.
bool has_ids(const labels::Preset& preset, LabelKind kind) {
  return kind == LabelKind::index && !preset.values.empty();
}

bool has_values(const ClassTable& table, LabelKind kind) {
  return table.has_colors || !labels::reads_colors(kind);
}

Error no_colors(LabelKind kind) {
  return usage_error("--label-kind " + std::string(word_of(kind)) +
                     " needs class colors: give --classes FILE.csv (name,r,g,b)");
}

// The classes of labels by the preset alone.
Result<labels::OldClasses> classes_of_preset(const labels::Preset& preset, LabelKind kind) {
  if (has_ids(preset, kind)) return labels::OldClasses{preset.table, preset.values};
  if (!has_values(preset.table, kind)) return no_colors(kind);
  return labels::OldClasses{preset.table, labels::plain_values(preset.table, kind)};
}

// A pack with a map applies only to labels of its own kind.
Status check_kind_of_pack(const PackedLabels& packed, LabelKind kind) {
  if (!packed.values || kind == packed.kind) return {};
  return usage_error(
      "--label-kind " + std::string(word_of(kind)) + " contradicts --classes " + packed.folder +
      ", whose labels were read as " + std::string(word_of(packed.kind)) +
      " and mapped; leave --label-kind out, or say with --map what these labels' values become");
}

// The classes that a map names on its left side; absent if it names none there.
Result<std::optional<labels::OldClasses>> old_classes(const GivenLabels& given, LabelKind kind) {
  if (!given.map->holds<std::string>()) return std::optional<labels::OldClasses>();
  if (given.preset != nullptr) {
    HOTPACK_ASSIGN(labels::OldClasses old, classes_of_preset(*given.preset, kind));
    return std::optional(std::move(old));
  }
  if (!given.table)
    return std::optional<labels::OldClasses>();  // resolve_map() says what is missing
  if (given.packed && given.packed->values) {
    HOTPACK_TRY(check_kind_of_pack(*given.packed, kind));
    return std::optional(labels::OldClasses{*given.table, *given.packed->values});
  }
  if (!has_values(*given.table, kind)) return no_colors(kind);
  return std::optional(labels::OldClasses{*given.table, labels::plain_values(*given.table, kind)});
}

Status check_kind_of_map(const LabelMap& map, LabelKind kind) {
  const bool colors = labels::reads_colors(kind);
  const std::string option = "--label-kind " + std::string(word_of(kind));
  if (kind == LabelKind::binary)
    return usage_error(
        "--map is about ids and colors, which --label-kind binary does not read; for a mask of "
        "ids, give --label-kind index");
  if (colors && map.holds<std::int64_t>())
    return usage_error(
        "--map " + map.path + " is about ids, and " + option +
        " reads colors; write colors (#rrggbb) in place of ids, or give --label-kind index");
  if (!colors && map.holds<RgbColor>())
    return usage_error("--map " + map.path + " is about colors, and " + option +
                       " reads ids; write ids in place of colors, or give --label-kind color");
  return {};
}

void warn_of_unmapped_classes(const std::string& path, LabelMapping& mapping) {
  std::vector<bool> mapped(mapping.table.classes.size());
  for (const MappedValue& value : *mapping.values)
    if (value.class_id != labels::kIgnored) mapped[value.class_id] = true;
  for (std::size_t id = 0; id < mapped.size(); ++id)
    if (!mapped[id])
      mapping.table.warnings.push_back("no value becomes class '" + mapping.table.classes[id].name +
                                       "' by --map " + path);
}

Result<LabelMapping> mapping_of_map(const GivenLabels& given, LabelKind kind) {
  const LabelMap& map = *given.map;
  HOTPACK_TRY(check_kind_of_map(map, kind));
  HOTPACK_ASSIGN(const std::optional<labels::OldClasses> old, old_classes(given, kind));
  const bool table_is_old = old && given.preset == nullptr;
  LabelMapping mapping;
  if (given.table && !table_is_old) {
    mapping.table = *given.table;
  } else {
    HOTPACK_ASSIGN(mapping.table, labels::classes_of_map(map));
    if (given.table) mapping.table.warnings = given.table->warnings;
  }
  HOTPACK_ASSIGN(mapping.values, labels::resolve_map(map, mapping.table, old ? &*old : nullptr));
  mapping.source = "--map";
  mapping.table.warnings.insert(mapping.table.warnings.end(), map.warnings.begin(),
                                map.warnings.end());
  warn_of_unmapped_classes(map.path, mapping);
  return mapping;
}

// Fails if --classes has too few classes for the ids of the preset.
Result<LabelMapping> mapping_of_preset(const GivenLabels& given, LabelKind kind) {
  const labels::Preset& preset = *given.preset;
  LabelMapping mapping;
  mapping.table = given.table.value_or(preset.table);
  if (!has_ids(preset, kind)) return mapping;
  const std::size_t classes = mapping.table.classes.size();
  const auto beyond = [&](const MappedValue& value) {
    return value.class_id != labels::kIgnored && value.class_id >= classes;
  };
  if (std::any_of(preset.values.begin(), preset.values.end(), beyond))
    return usage_error("--preset " + preset.name + " has ids of " +
                       std::to_string(preset.table.classes.size()) +
                       " classes, and --classes has " + std::to_string(classes) +
                       "; give a class table with a name for each");
  mapping.values = preset.values;
  mapping.source = "--preset";
  return mapping;
}

LabelMapping mapping_of_table(const ClassTable& table) {
  LabelMapping mapping;
  mapping.table = table;
  return mapping;
}

Result<LabelMapping> mapping_of_pack(const PackedLabels& packed, LabelKind kind) {
  HOTPACK_TRY(check_kind_of_pack(packed, kind));
  LabelMapping mapping = mapping_of_table(packed.table);
  if (!packed.values) return mapping;
  mapping.values = packed.values;
  mapping.source = "--classes";
  mapping.map = packed.map;
  return mapping;
}

bool is_mapped(const LabelMapping& mapping, std::uint32_t value) {
  return mapping.values && std::any_of(mapping.values->begin(), mapping.values->end(),
                                       [&](const MappedValue& v) { return v.value == value; });
}

// Returns true if `word`, a value that the preset ignores, applies here: it is a value of this kind
// of labels, and the map does not give it a class.
bool applies(const std::string& word, LabelKind kind, const LabelMapping& mapping) {
  if (const auto color = hex_color(word))
    return labels::reads_colors(kind) && !is_mapped(mapping, labels::packed_color(*color));
  if (const auto id = whole_number(word))
    return kind == LabelKind::index && !is_mapped(mapping, static_cast<std::uint32_t>(*id));
  return mapping.table.find(word).has_value();
}

std::string old_text(const std::vector<std::uint32_t>& values, LabelKind kind) {
  std::string text;
  if (labels::reads_colors(kind)) {
    for (const std::uint32_t value : values)
      text += (text.empty() ? "" : ", ") + color_text(labels::unpacked_color(value));
    return text;
  }
  std::bitset<65536> ids;
  for (const std::uint32_t value : values) ids.set(value);
  return ids_text(ids);
}

Status check_formula(const LabelOptions& options, const GivenLabels& given) {
  if (options.kind == LabelKind::instances)
    return usage_error(
        "--label-kind instances numbers several label files of an image: give --labels as a "
        "pattern with {key} and *, such as 'masks/{key}_*.png'; for labels that hold ids of "
        "objects, give --label-kind index");
  const std::string formula(labels::rgb_id_name(options.rgb_id));
  if (options.kind == LabelKind::rgb_id && given.rgb_id == labels::RgbId::none)
    return usage_error(
        "--label-kind rgb-id needs the formula that turns a color into an id: give --rgb-id r (as "
        "CARLA and SYNTHIA), --rgb-id r+256g+65536b (as COCO panoptic), --rgb-id r/10*256+g (as "
        "ADE20K full), or a --preset of "
        "such labels");
  const bool by_color = options.kind == LabelKind::automatic || options.kind == LabelKind::index ||
                        options.kind == LabelKind::rgb_id;
  if (!by_color && !formula.empty())
    return usage_error("--rgb-id " + formula +
                       " finds ids in colors; leave --label-kind out, or give --label-kind rgb-id");
  return {};
}

// The formula of --rgb-id, else of the preset or the pack, unless --label-kind excludes it.
labels::RgbId formula_of(const LabelOptions& options, const GivenLabels& given) {
  const bool open = options.kind == LabelKind::automatic || options.kind == LabelKind::rgb_id;
  if (options.rgb_id != labels::RgbId::none || !open) return options.rgb_id;
  if (given.preset != nullptr) return given.preset->rgb_id;
  return given.packed ? given.packed->rgb_id : labels::RgbId::none;
}

Status check_id_options(const LabelOptions& options, const GivenLabels& given) {
  const bool by_id = options.kind == LabelKind::automatic || options.kind == LabelKind::index ||
                     options.kind == LabelKind::rgb_id;
  HOTPACK_TRY(check_formula(options, given));
  if (!options.shift_ids) return {};
  const std::string shift = "--shift-ids " + std::to_string(*options.shift_ids);
  if (*options.shift_ids >= 0 || *options.shift_ids < -65535)
    return usage_error(shift + ": must be from -65535 to -1");
  if (!by_id)
    return usage_error(shift + " is about ids; leave --label-kind out, or give --label-kind index");
  if (!options.map.empty() || given.preset != nullptr || given.packed)
    return usage_error(shift +
                       " says what ids become, and so does --map, --preset or a pack in --classes; "
                       "give one of them");
  return {};
}

// Completes the error about a class file that was found next to the data set and cannot be used:
// adds what the user can do. The file is not ignored silently, because the names of the classes
// would be lost.
Error with_ways_on(Error error) {
  error.message =
      "cannot be used as class file: " + error.message +
      "\nFix the file, give a different one with --classes FILE, or give --num-classes N to pack "
      "without names of classes";
  return error;
}

}  // namespace

Result<std::optional<PackedLabels>> given_pack(const LabelOptions& options) {
  if (options.classes.empty() || options.class_count || !is_folder(options.classes))
    return std::optional<PackedLabels>();
  HOTPACK_ASSIGN(PackedLabels packed, read_packed_labels(options.classes));
  return std::optional(std::move(packed));
}

Result<std::optional<int>> given_threshold(const LabelOptions& options,
                                           const std::optional<PackedLabels>& packed) {
  if (!packed || !packed->threshold) return options.threshold;
  if (options.threshold && *options.threshold == *packed->threshold) return options.threshold;
  if (!options.threshold)
    return *packed->threshold == labels::kUsualThreshold ? std::nullopt : packed->threshold;
  return usage_error("--threshold " + std::to_string(*options.threshold) +
                     " contradicts --classes " + packed->folder + ", whose labels were read with " +
                     std::to_string(*packed->threshold) + "; leave --threshold out");
}

Result<std::optional<ClassTable>> given_table(const LabelOptions& options,
                                              const std::optional<PackedLabels>& packed) {
  if (!options.classes.empty() && options.class_count)
    return usage_error("--classes and --num-classes exclude each other; give one of them");
  if (options.class_count) return std::optional(labels::numbered_classes(*options.class_count));
  if (options.classes.empty()) return std::optional<ClassTable>();
  if (packed) return std::optional(packed->table);
  HOTPACK_ASSIGN(const std::string text, read_text_file(options.classes));
  Result<ClassTable> table = labels::parse_class_file(text, options.classes);
  if (!table.ok()) return options.classes_found ? with_ways_on(table.error()) : table.error();
  return std::optional(std::move(table).value());
}

Result<std::optional<LabelMap>> given_map(const LabelOptions& options) {
  if (options.map.empty()) return std::optional<LabelMap>();
  HOTPACK_ASSIGN(const std::string text, read_text_file(options.map));
  HOTPACK_ASSIGN(LabelMap map, labels::parse_label_map(text, options.map));
  return std::optional(std::move(map));
}

Result<GivenLabels> read_given(const LabelOptions& options) {
  GivenLabels given;
  HOTPACK_ASSIGN(given.preset, labels::read_preset(options.preset));
  if (given.preset && options.class_count && options.map.empty())
    return usage_error(
        "--preset " + options.preset +
        " and --num-classes exclude each other; --classes gives its classes other names");
  HOTPACK_ASSIGN(given.packed, given_pack(options));
  HOTPACK_ASSIGN(given.table, given_table(options, given.packed));
  HOTPACK_ASSIGN(given.map, given_map(options));
  HOTPACK_TRY(check_names_known(given));
  given.rgb_id = formula_of(options, given);
  HOTPACK_TRY(check_id_options(options, given));
  given.ignore = options.ignore;
  given.shift = options.shift_ids;
  return given;
}

Result<std::optional<LabelMapping>> mapping_of(const GivenLabels& given, LabelKind kind) {
  std::optional<LabelMapping> mapping;
  if (given.map) {
    HOTPACK_ASSIGN(mapping, mapping_of_map(given, kind));
  } else if (given.preset != nullptr) {
    HOTPACK_ASSIGN(mapping, mapping_of_preset(given, kind));
  } else if (given.packed) {
    HOTPACK_ASSIGN(mapping, mapping_of_pack(*given.packed, kind));
  } else if (given.table) {
    mapping = mapping_of_table(*given.table);
  }
  if (!mapping) return mapping;
  mapping->ignore = given.ignore;
  if (!given.ignore.empty() || given.preset == nullptr) return mapping;
  for (const std::string& word : given.preset->ignore)
    if (applies(word, kind, *mapping)) mapping->ignore.push_back(word);
  return mapping;
}

LabelMapping shifted(LabelMapping mapping, int shift) {
  const auto lower = static_cast<std::uint32_t>(-shift);
  std::vector<MappedValue> values;
  for (std::uint32_t id = 0; id < lower; ++id) values.push_back({id, labels::kIgnored});
  for (std::uint32_t id = 0; id < mapping.table.classes.size() && id + lower < 65536; ++id)
    values.push_back({id + lower, static_cast<std::uint16_t>(id)});
  mapping.values = std::move(values);
  mapping.source = "--shift-ids";
  return mapping;
}

std::vector<std::string> map_lines(const std::vector<MappedValue>& values, LabelKind kind,
                                   const ClassTable& table) {
  std::map<std::uint16_t, std::vector<std::uint32_t>> by_class;
  for (const MappedValue& value : values) by_class[value.class_id].push_back(value.value);
  std::vector<std::string> lines;
  for (const auto& [id, old] : by_class) {
    const std::string target =
        id == labels::kIgnored ? "ignored" : std::to_string(id) + " " + table.classes[id].name;
    lines.push_back(old_text(old, kind) + " → " + target);
  }
  return lines;
}

std::string map_json(const std::vector<MappedValue>& values, LabelKind kind) {
  std::string text;
  for (const MappedValue& value : values) {
    const bool color = labels::reads_colors(kind);
    const std::string old =
        color ? format::canonical_string(color_text(labels::unpacked_color(value.value)))
              : std::to_string(value.value);
    const std::string target = value.class_id == labels::kIgnored
                                   ? format::canonical_string("ignore")
                                   : std::to_string(value.class_id);
    text += (text.empty() ? "[" : ",[") + old + "," + target + "]";
  }
  return "[" + text + "]";
}

}  // namespace hotpack::pipeline
