#include "labels/label_rules.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "labels/packed_color.hpp"

namespace hotpack::labels {
namespace {

bool is_class(int id, const ClassTable& table) {
  return id >= 0 && static_cast<std::size_t>(id) < table.classes.size();
}

std::string kind_name(const LabelRules& rules) { return std::string(word_of(rules.kind)); }

Status check_ignored(const ClassTable& table, const LabelRules& rules) {
  if (!rules.ignore_ids.empty() && rules.kind != LabelKind::index)
    return usage_error("--ignore " + std::to_string(rules.ignore_ids.front()) +
                       ": labels of kind " + kind_name(rules) + " have no ids; name a class");
  if (!rules.ignore_colors.empty() && !reads_colors(rules.kind))
    return usage_error("--ignore " + color_text(rules.ignore_colors.front()) + ": labels of kind " +
                       kind_name(rules) + " have no colors; name a class");
  for (const std::int64_t id : rules.ignore_ids) {
    if (id < 0 || id > 65535)
      return usage_error("--ignore " + std::to_string(id) + " is outside 0…65535");
  }
  for (const int id : rules.ignore_classes) {
    if (!is_class(id, table))
      return usage_error("--ignore names class " + std::to_string(id) + ", of " +
                         std::to_string(table.classes.size()) + " classes");
  }
  return {};
}

Status check_unknown(const ClassTable& table, const LabelRules& rules) {
  using Kind = UnknownPolicy::Kind;
  const UnknownPolicy& unknown = rules.unknown;
  if (unknown.kind == Kind::to_class && !is_class(unknown.class_id, table))
    return usage_error("--unknown names class " + std::to_string(unknown.class_id) + ", of " +
                       std::to_string(table.classes.size()) + " classes");
  if (unknown.kind != Kind::nearest) return {};
  if (!reads_colors(rules.kind))
    return usage_error("--unknown nearest compares colors, and labels of kind " + kind_name(rules) +
                       " have none; give --unknown ignore or --unknown CLASS, or map single ids to "
                       "classes with --map");
  if (unknown.max_distance < 0 || unknown.max_distance > kMaxColorDistance)
    return usage_error("--unknown nearest:" + std::to_string(unknown.max_distance) +
                       ": the distance is outside 0…" + std::to_string(kMaxColorDistance));
  return {};
}

Status check_colors(const ClassTable& table, const LabelRules& rules) {
  std::map<RgbColor, const ClassInfo*> class_of;
  for (const ClassInfo& info : table.classes) {
    if (!info.color)
      return usage_error("class '" + info.name + "' has no color, which --label-kind " +
                         kind_name(rules) + " needs; give --classes with rows name,r,g,b");
    if (const auto [first, added] = class_of.emplace(*info.color, &info); !added)
      return usage_error("give each class its own color: classes '" + first->second->name +
                         "' and '" + info.name + "' share the color " + color_text(*info.color));
  }
  return {};
}

Status check_kind(const ClassTable& table, const LabelRules& rules) {
  if (reads_colors(rules.kind)) return rules.values ? Status() : check_colors(table, rules);
  if (rules.kind != LabelKind::binary) return {};
  if (table.classes.size() != 2)
    return usage_error("--label-kind binary needs two classes; there are " +
                       std::to_string(table.classes.size()));
  if (rules.values)
    return usage_error(
        "--map is about ids and colors, which --label-kind binary does not read; use --threshold");
  if (rules.threshold && (*rules.threshold < 1 || *rules.threshold > 65535))
    return usage_error("--threshold " + std::to_string(*rules.threshold) + " is outside 1…65535");
  return {};
}

void ignore_value(std::vector<MappedValue>& values, std::uint32_t value) {
  const auto at =
      std::lower_bound(values.begin(), values.end(), value,
                       [](const MappedValue& a, std::uint32_t b) { return a.value < b; });
  if (at != values.end() && at->value == value)
    at->class_id = kIgnored;
  else
    values.insert(at, {value, kIgnored});
}

LabelSource source_of(std::uint32_t value, const LabelRules& rules) {
  switch (rules.kind) {
    case LabelKind::color:
    case LabelKind::palette_color:
      return color_text(unpacked_color(value));
    case LabelKind::binary:
      return (value == 0 ? "luma<" : "luma>=") +
             std::to_string(rules.threshold.value_or(kUsualThreshold));
    case LabelKind::automatic:
    case LabelKind::index:
    case LabelKind::rgb_id:
    case LabelKind::instances:
      break;
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

Status check_rules(const ClassTable& table, const LabelRules& rules) {
  if (std::find(kDecodedKinds.begin(), kDecodedKinds.end(), rules.kind) == kDecodedKinds.end())
    return internal_error("a label decoder was made before the label kind was known");
  if (table.classes.empty())
    return usage_error("there are no classes; give --classes or --num-classes");
  if (table.classes.size() > kMaxClasses)
    return usage_error(std::to_string(table.classes.size()) + " classes are more than " +
                       std::to_string(kMaxClasses));
  HOTPACK_TRY(check_ignored(table, rules));
  HOTPACK_TRY(check_unknown(table, rules));
  return check_kind(table, rules);
}

std::vector<MappedValue> plain_values(const ClassTable& table, LabelKind kind) {
  std::vector<MappedValue> values;
  values.reserve(table.classes.size());
  for (std::size_t id = 0; id < table.classes.size(); ++id) {
    const std::uint32_t value = reads_colors(kind) ? packed_color(*table.classes[id].color)
                                                   : static_cast<std::uint32_t>(id);
    values.push_back({value, static_cast<std::uint16_t>(id)});
  }
  return values;
}

std::vector<MappedValue> known_values(const ClassTable& table, const LabelRules& rules) {
  std::vector<MappedValue> values = rules.values ? *rules.values : plain_values(table, rules.kind);
  std::sort(values.begin(), values.end(),
            [](const MappedValue& a, const MappedValue& b) { return a.value < b.value; });
  for (const int id : rules.ignore_classes) {
    for (MappedValue& value : values)
      if (value.class_id == id) value.class_id = kIgnored;
  }
  for (const std::int64_t id : rules.ignore_ids)
    ignore_value(values, static_cast<std::uint32_t>(id));
  for (const RgbColor& color : rules.ignore_colors) ignore_value(values, packed_color(color));
  return values;
}

const MappedValue* find_value(const std::vector<MappedValue>& values, std::uint32_t value) {
  const auto at =
      std::lower_bound(values.begin(), values.end(), value,
                       [](const MappedValue& a, std::uint32_t b) { return a.value < b; });
  return at != values.end() && at->value == value ? &*at : nullptr;
}

std::uint16_t id_of_unknown(const LabelRules& rules) {
  const int id = rules.unknown.class_id;
  const auto& ignored = rules.ignore_classes;
  const bool is_ignored = std::find(ignored.begin(), ignored.end(), id) != ignored.end();
  if (rules.unknown.kind != UnknownPolicy::Kind::to_class || is_ignored) return kIgnored;
  return static_cast<std::uint16_t>(id);
}

void fill_sources(const std::vector<MappedValue>& values, const LabelRules& rules,
                  ClassTable& table) {
  table.ignore.clear();
  for (ClassInfo& info : table.classes) info.sources.clear();
  for (const MappedValue& value : values) {
    std::vector<LabelSource>& sources =
        value.class_id == kIgnored ? table.ignore : table.classes[value.class_id].sources;
    sources.push_back(source_of(value.value, rules));
  }
  if (rules.kind != LabelKind::index) return;
  for (const std::uint32_t id : {kDefaultIgnore8, kDefaultIgnore16})
    if (find_value(values, id) == nullptr) table.ignore.push_back(source_of(id, rules));
  std::sort(table.ignore.begin(), table.ignore.end());
}

}  // namespace hotpack::labels
