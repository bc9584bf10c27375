#include "label_setup/packed_labels.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "format/manifest.hpp"
#include "label_setup/label_words.hpp"
#include "label_setup/pack_folders.hpp"
#include "labels/packed_color.hpp"

namespace hotpack::pipeline {

namespace {

using labels::ClassTable;
using labels::MappedValue;

// Ignored in every id label, for all options.
constexpr std::uint32_t kDefaultIgnored[] = {255, 65535};

Result<Schema> schema_of_one(const std::string& folder) {
  const std::string path = folder + "/" + std::string(format::kManifestName);
  HOTPACK_ASSIGN(const std::string text, read_text_file(path));
  Result<format::Manifest> manifest = format::decode_manifest(text);
  if (manifest.ok()) return std::move(manifest->schema);
  Error error = std::move(manifest).error();
  error.path = path;
  return error;
}

// The JSON text of an option; empty if the schema has none.
std::string option_of(const Schema& schema, std::string_view wanted) {
  for (const auto& [name, value] : schema.options.more)
    if (name == wanted) return value;
  return {};
}

// Returns true if two schemas agree in everything that decides how labels become classes. Shapes,
// sizes and the order of samples do not belong to that.
bool same_labels(const Schema& a, const Schema& b) {
  const auto same_option = [&](const char* name) {
    return option_of(a, name) == option_of(b, name);
  };
  return a.label->scope == b.label->scope && a.label->multi == b.label->multi &&
         a.classes == b.classes && a.ignore == b.ignore && same_option("label_kind") &&
         same_option("threshold") && same_option("map");
}

// Returns the schema of a pack. If the folder contains several splits, returns the schema of the
// splits with labels; fails if these differ.
Result<Schema> schema_of_pack(const std::string& folder) {
  const std::vector<std::string> packs = packs_at(folder);
  if (packs.empty())
    return usage_error("--classes " + folder + ": the folder is no pack (it has no " +
                       std::string(format::kManifestName) +
                       "); --classes takes a class file (name,r,g,b or one name per line) or the "
                       "folder of a finished pack");
  std::optional<Schema> common;
  std::string first;
  for (const std::string& pack : packs) {
    HOTPACK_ASSIGN(Schema schema, schema_of_one(pack));
    if (!schema.label && packs.size() > 1) continue;
    if (common && !same_labels(*common, schema))
      return usage_error("--classes " + folder + ": the labels of '" + first + "' and '" + pack +
                         "' are not the same; name one of the two packs");
    if (common) continue;
    common = std::move(schema);
    first = pack;
  }
  if (!common) return usage_error("--classes " + folder + ": its packs have no labels");
  return std::move(*common);
}

ClassTable table_of(const std::vector<ClassInfo>& classes) {
  ClassTable table;
  table.classes = classes;
  for (ClassInfo& info : table.classes) info.sources.clear();
  table.has_colors = std::all_of(classes.begin(), classes.end(),
                                 [](const ClassInfo& info) { return info.color.has_value(); });
  return table;
}

LabelKind kind_of(const Schema& schema) {
  const std::string word = option_of(schema, "label_kind");
  for (const LabelKind kind : kDecodedKinds)
    if (word == format::canonical_string(word_of(kind))) return kind;
  return LabelKind::automatic;
}

labels::RgbId rgb_id_of(const Schema& schema) {
  const std::string text = option_of(schema, "rgb_id");
  for (const labels::RgbId formula :
       {labels::RgbId::red, labels::RgbId::low_first, labels::RgbId::tens_of_red})
    if (text == format::canonical_string(labels::rgb_id_name(formula))) return formula;
  return labels::RgbId::none;
}

// An id or a color as in label files.
std::optional<std::uint32_t> value_of(const LabelSource& source) {
  if (const auto* id = std::get_if<std::int64_t>(&source)) return static_cast<std::uint32_t>(*id);
  const auto color = hex_color(std::get<std::string>(source));
  return color ? std::optional(labels::packed_color(*color)) : std::nullopt;
}

// Returns true if a value of the pack is ignored only by default, not by its map. Which value is
// ignored by default depends on the bit depth of each label file, so such a value must not get into
// a map.
bool is_default(std::uint32_t value, const PackedLabels& packed) {
  if (packed.kind != LabelKind::index) return false;
  const bool named = packed.map.find("[" + std::to_string(value) + ",") != std::string::npos;
  return !named && std::find(std::begin(kDefaultIgnored), std::end(kDefaultIgnored), value) !=
                       std::end(kDefaultIgnored);
}

std::vector<MappedValue> values_of(const Schema& schema, const PackedLabels& packed) {
  std::vector<MappedValue> values;
  for (std::size_t id = 0; id < schema.classes.size(); ++id) {
    for (const LabelSource& source : schema.classes[id].sources)
      if (const auto value = value_of(source))
        values.push_back({*value, static_cast<std::uint16_t>(id)});
  }
  for (const LabelSource& source : schema.ignore)
    if (const auto value = value_of(source); value && !is_default(*value, packed))
      values.push_back({*value, labels::kIgnored});
  std::sort(values.begin(), values.end(),
            [](const MappedValue& a, const MappedValue& b) { return a.value < b.value; });
  return values;
}

bool is_plain(const std::vector<MappedValue>& values, const PackedLabels& packed) {
  if (labels::reads_colors(packed.kind) && !packed.table.has_colors) return false;
  std::vector<MappedValue> plain = labels::plain_values(packed.table, packed.kind);
  std::sort(plain.begin(), plain.end(),
            [](const MappedValue& a, const MappedValue& b) { return a.value < b.value; });
  return values == plain;
}

void take_names(const Schema& schema, PackedLabels& packed) {
  for (std::size_t id = 0; id < schema.classes.size(); ++id) {
    for (const LabelSource& source : schema.classes[id].sources)
      if (const auto* name = std::get_if<std::string>(&source))
        packed.names.emplace_back(*name, static_cast<std::uint16_t>(id));
  }
  std::sort(packed.names.begin(), packed.names.end());
}

}  // namespace

Result<PackedLabels> read_packed_labels(const std::string& folder) {
  HOTPACK_ASSIGN(const Schema schema, schema_of_pack(folder));
  if (!schema.label || schema.classes.empty())
    return usage_error("--classes " + folder + ": the data set in this folder has no classes");
  PackedLabels packed;
  packed.folder = folder;
  packed.table = table_of(schema.classes);
  packed.scope = schema.label->scope;
  packed.multi = schema.label->multi;
  packed.map = option_of(schema, "map");
  if (packed.scope == LabelScope::image) {
    take_names(schema, packed);
    return packed;
  }
  packed.kind = kind_of(schema);
  packed.rgb_id = rgb_id_of(schema);
  if (const auto threshold = whole_number(option_of(schema, "threshold")))
    packed.threshold = static_cast<int>(*threshold);
  if (packed.multi || packed.kind == LabelKind::binary || packed.kind == LabelKind::automatic)
    return packed;
  std::vector<MappedValue> values = values_of(schema, packed);
  if (!is_plain(values, packed)) packed.values = std::move(values);
  return packed;
}

}  // namespace hotpack::pipeline
