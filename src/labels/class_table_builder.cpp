#include "labels/class_table_builder.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "labels/table_text.hpp"

namespace hotpack::labels {

Status ClassTableBuilder::add(std::size_t line, std::string name, std::optional<RgbColor> color) {
  if (name.empty()) return line_error(line, "the class has no name", path_);
  if (const auto hidden = deceptive_character(name))
    return line_error(line,
                      "the name of the class holds " + name_of_character(*hidden) +
                          ", an invisible character; remove it",
                      path_);
  const Place* const same_name = find(places_by_name_, name);
  const Place* const same_color = color ? find(places_by_color_, *color) : nullptr;
  if (same_name != nullptr && same_color != nullptr && same_name->id == same_color->id) {
    warn("line " + std::to_string(line) + " of the class file says the same as line " +
         std::to_string(same_name->line) + ", class '" + name + "'");
    return {};
  }
  if (same_name != nullptr)
    return duplicate(line, "name '" + name + "'", *same_name,
                     color ? "; to make several colors one class, use --map" : "");
  if (same_color != nullptr) return duplicate(line, "color " + color_text(*color), *same_color, "");
  if (size() == kMaxClasses)
    return line_error(line, "more than " + std::to_string(kMaxClasses) + " classes", path_);
  const Place place{line, size()};
  places_by_name_.emplace(name, place);
  if (color) places_by_color_.emplace(*color, place);
  table_.classes.push_back({std::move(name), color, {}});
  return {};
}

Result<ClassTable> ClassTableBuilder::finish() {
  if (table_.classes.empty())
    return data_error("no class in this file; expected rows name,r,g,b or one name per line",
                      path_);
  table_.has_colors = std::all_of(table_.classes.begin(), table_.classes.end(),
                                  [](const ClassInfo& info) { return info.color.has_value(); });
  return std::move(table_);
}

template <class Key>
const ClassTableBuilder::Place* ClassTableBuilder::find(const std::map<Key, Place>& places,
                                                        const Key& key) {
  const auto found = places.find(key);
  return found == places.end() ? nullptr : &found->second;
}

Error ClassTableBuilder::duplicate(std::size_t line, const std::string& what, const Place& first,
                                   const std::string& advice) const {
  return line_error(line,
                    what + " is also in line " + std::to_string(first.line) +
                        "; every class needs its own name and color" + advice,
                    path_);
}

}  // namespace hotpack::labels
