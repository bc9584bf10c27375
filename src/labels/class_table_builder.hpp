// Collects the classes of a class file. Fails if two classes have the same name or the same color.
// Only src/labels uses this; not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "labels/class_table.hpp"

namespace hotpack::labels {

class ClassTableBuilder {
 public:
  explicit ClassTableBuilder(const std::string& path) : path_(path) {}

  // Skips a row with the name and the color of an earlier row, with a warning.
  [[nodiscard]] Status add(std::size_t line, std::string name, std::optional<RgbColor> color);
  void warn(std::string message) { table_.warnings.push_back(std::move(message)); }
  void set_counted_from_one(std::string column) { table_.counted_from_one = std::move(column); }
  [[nodiscard]] std::size_t size() const { return table_.classes.size(); }

  [[nodiscard]] Result<ClassTable> finish();

 private:
  struct Place {
    std::size_t line = 0;
    std::size_t id = 0;
  };
  template <class Key>
  static const Place* find(const std::map<Key, Place>& places, const Key& key);
  [[nodiscard]] Error duplicate(std::size_t line, const std::string& what, const Place& first,
                                const std::string& advice) const;

  const std::string& path_;
  ClassTable table_;
  std::map<std::string, Place> places_by_name_;
  std::map<RgbColor, Place> places_by_color_;
};

}  // namespace hotpack::labels
