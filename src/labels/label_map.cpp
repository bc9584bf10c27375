#include "labels/label_map.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/try.hpp"
#include "labels/packed_color.hpp"
#include "labels/table_text.hpp"

namespace hotpack::labels {
namespace {

std::optional<std::int64_t> target_id(const MapRow& row) {
  return row.ignored ? std::nullopt : whole_number_of(row.target);
}

std::string ignore_advice(const std::string& target) {
  return target == "255" || target == "-1"
             ? "; to ignore these pixels, write ignore in place of " + target
             : "";
}

// Names in order of appearance.
ClassTable classes_by_name(const LabelMap& map) {
  ClassTable table;
  std::set<std::string> seen;
  for (const MapRow& row : map.rows)
    if (!row.ignored && seen.insert(row.target).second)
      table.classes.push_back({row.target, std::nullopt, {}});
  return table;
}

Result<ClassTable> classes_by_id(const LabelMap& map) {
  std::set<std::int64_t> ids;
  for (const MapRow& row : map.rows) {
    const auto id = target_id(row);
    if (!id) continue;
    if (*id < 0 || *id >= static_cast<std::int64_t>(kMaxClasses))
      return line_error(row.line,
                        row.target + " is not a class id; they are 0…" +
                            std::to_string(kMaxClasses - 1) + ignore_advice(row.target),
                        map.path);
    ids.insert(*id);
  }
  const std::int64_t largest = *ids.rbegin();
  for (std::int64_t id = 0; id < largest; ++id) {
    if (ids.contains(id)) continue;
    return data_error("the new ids go up to " + std::to_string(largest) + ", but none becomes " +
                          std::to_string(id) +
                          "; number the classes from 0 without gaps, or give their number with "
                          "--num-classes or --classes" +
                          ignore_advice(std::to_string(largest)),
                      map.path);
  }
  return numbered_classes(static_cast<int>(largest) + 1);
}

// The class that a row names, or kIgnored.
Result<std::uint16_t> target_of(const MapRow& row, const ClassTable& table,
                                const std::string& path) {
  if (row.ignored) return kIgnored;
  const std::optional<int> named = table.find(row.target);
  const auto number = whole_number_of(row.target);
  const bool is_id =
      number && *number >= 0 && *number < static_cast<std::int64_t>(table.classes.size());
  if (named && is_id && *named != *number)
    return line_error(row.line,
                      "'" + row.target + "' is both an id and the name of class " +
                          std::to_string(*named) + "; rename that class",
                      path);
  if (named) return static_cast<std::uint16_t>(*named);
  if (is_id) return static_cast<std::uint16_t>(*number);
  return line_error(row.line,
                    "'" + row.target + "' is neither a class nor an id below " +
                        std::to_string(table.classes.size()) +
                        ", the number of classes after the map" + ignore_advice(row.target),
                    path);
}

// Collects values with the line that mapped each.
class ValueCollector {
 public:
  explicit ValueCollector(const std::string& path) : path_(path) {}

  Status add(std::uint32_t value, std::uint16_t id, const MapRow& row) {
    const auto [at, added] = meanings_.emplace(value, Meaning{id, row.line});
    if (added || at->second.id == id) return {};
    return line_error(row.line,
                      "'" + row.name + "' becomes something else in line " +
                          std::to_string(at->second.line) + "; map each value once",
                      path_);
  }
  void add_ignored(std::uint32_t value) { meanings_.emplace(value, Meaning{kIgnored, 0}); }

  [[nodiscard]] std::vector<MappedValue> values() const {
    std::vector<MappedValue> values;
    for (const auto& [value, meaning] : meanings_) values.push_back({value, meaning.id});
    return values;
  }

 private:
  struct Meaning {
    std::uint16_t id = kIgnored;
    std::size_t line = 0;
  };
  const std::string& path_;
  std::map<std::uint32_t, Meaning> meanings_;
};

// Maps all values of the old class that the row names.
Status add_named(const MapRow& row, std::uint16_t id, const OldClasses* old,
                 const std::string& path, ValueCollector& values) {
  const std::string& name = std::get<std::string>(row.old);
  if (old == nullptr)
    return line_error(row.line,
                      "'" + name +
                          "' is a name, and nothing says which ids or colors its class has; give "
                          "--classes or --preset",
                      path);
  const std::optional<int> old_id = old->table.find(name);
  if (!old_id)
    return line_error(
        row.line, "'" + name + "' is not a class of the labels, which --classes or --preset names",
        path);
  for (const MappedValue& value : old->values)
    if (value.class_id == *old_id) HOTPACK_TRY(values.add(value.value, id, row));
  return {};
}

}  // namespace

Result<ClassTable> classes_of_map(const LabelMap& map) {
  const MapRow* first_id = nullptr;
  const MapRow* first_name = nullptr;
  for (const MapRow& row : map.rows) {
    const MapRow*& first = target_id(row) ? first_id : first_name;
    if (!row.ignored && first == nullptr) first = &row;
  }
  if (first_id == nullptr && first_name == nullptr)
    return data_error("all values become ignored, so no class is left", map.path);
  if (first_id == nullptr) return classes_by_name(map);
  if (first_name == nullptr) return classes_by_id(map);
  return line_error(std::max(first_id->line, first_name->line),
                    "the new class '" + first_name->target + "' is a name, and '" +
                        first_id->target +
                        "' an id; use names alone or ids alone, or name the classes with --classes",
                    map.path);
}

Result<std::vector<MappedValue>> resolve_map(const LabelMap& map, const ClassTable& table,
                                             const OldClasses* old) {
  ValueCollector values(map.path);
  for (const MapRow& row : map.rows) {
    HOTPACK_ASSIGN(const std::uint16_t id, target_of(row, table, map.path));
    if (const auto* old_id = std::get_if<std::int64_t>(&row.old))
      HOTPACK_TRY(values.add(static_cast<std::uint32_t>(*old_id), id, row));
    if (const auto* color = std::get_if<RgbColor>(&row.old))
      HOTPACK_TRY(values.add(packed_color(*color), id, row));
    if (std::holds_alternative<std::string>(row.old))
      HOTPACK_TRY(add_named(row, id, old, map.path, values));
  }
  if (old != nullptr) {
    for (const MappedValue& value : old->values)
      if (value.class_id == kIgnored) values.add_ignored(value.value);
  }
  return values.values();
}

Result<std::vector<std::pair<std::string, std::uint16_t>>> resolve_class_names(
    const LabelMap& map, const ClassTable& table) {
  std::map<std::string, std::pair<std::uint16_t, std::size_t>> meanings;
  for (const MapRow& row : map.rows) {
    if (row.ignored)
      return line_error(
          row.line,
          "'" + row.name + "': a whole image cannot be ignored; leave its folder or row out",
          map.path);
    HOTPACK_ASSIGN(const std::uint16_t id, target_of(row, table, map.path));
    const auto [at, added] = meanings.emplace(row.name, std::pair(id, row.line));
    if (!added && at->second.first != id)
      return line_error(row.line,
                        "'" + row.name + "' becomes something else in line " +
                            std::to_string(at->second.second) + "; map each class once",
                        map.path);
  }
  std::vector<std::pair<std::string, std::uint16_t>> names;
  names.reserve(meanings.size());
  for (const auto& [name, meaning] : meanings) names.emplace_back(name, meaning.first);
  return names;
}

}  // namespace hotpack::labels
