#include "labels/class_table.hpp"

#include <algorithm>

namespace hotpack::labels {

std::optional<int> ClassTable::find(std::string_view name) const {
  const auto found = std::find_if(classes.begin(), classes.end(),
                                  [&](const ClassInfo& info) { return info.name == name; });
  if (found == classes.end()) return std::nullopt;
  return static_cast<int>(found - classes.begin());
}

ClassTable numbered_classes(int count) {
  ClassTable table;
  for (int id = 0; id < count; ++id)
    table.classes.push_back({std::to_string(id), std::nullopt, {}});
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

}  // namespace hotpack::labels
