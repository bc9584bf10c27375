#include "discovery/class_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/shell_word.hpp"
#include "files/file_list.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

// The most likely first: files with colors, then files with names only.
constexpr std::array<std::string_view, 20> kNames{
    "class_dict.csv",   "class_dict_seg.csv", "_classes.csv",     "class_dict.txt",
    "classes.csv",      "class_names.csv",    "label_colors.csv", "color_codes.csv",
    "colour_codes.csv", "colors.csv",         "colours.csv",      "legend.csv",
    "labelmap.txt",     "label_colors.txt",   "colors.txt",       "legend.txt",
    "class_names.txt",  "classes.txt",        "class_name.txt",   "label_names.txt"};

FoundClassFile read_class_file(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return {path, text.error(), {}};
  return {path, labels::parse_class_file(*text, path), {}};
}

// Returns a text that says how the class names, or the numbers of classes, of two class files
// differ; "" if they agree. Precondition: both files could be parsed.
std::string name_difference(const FoundClassFile& first, const FoundClassFile& second) {
  const labels::ClassTable &one = *first.table, &other = *second.table;
  const std::string in_first = " in '" + first.path + "'", in_second = " in '" + second.path + "'";
  const std::size_t common = std::min(one.classes.size(), other.classes.size());
  for (std::size_t i = 0; i < common; ++i)
    if (one.classes[i].name != other.classes[i].name)
      return "class " + std::to_string(i) + " is '" + one.classes[i].name + "'" + in_first +
             " and '" + other.classes[i].name + "'" + in_second;
  if (one.classes.size() == other.classes.size()) return {};
  return std::to_string(one.classes.size()) + " classes" + in_first + " and " +
         std::to_string(other.classes.size()) + in_second;
}

// Compares the class file at `path` with the first one that was found. If their classes differ,
// sets first.contradiction: the user must then choose one of the two.
void compare_with(FoundClassFile& first, const std::string& path) {
  const FoundClassFile other = read_class_file(path);
  if (first.table.ok() && !other.table.ok())
    first.unreadable.push_back("class file " + other.table.error().describe() +
                               ". It is ignored; the classes are those of '" + first.path + "'");
  if (first.contradiction || !first.table.ok() || !other.table.ok()) return;
  const std::string difference = name_difference(first, other);
  if (difference.empty()) return;
  first.contradiction = data_error("contradicts '" + first.path + "': " + difference +
                                       ". Choose one of the two:\n  --classes " +
                                       shell_path(first.path) + "\n  --classes " + shell_path(path),
                                   path);
}

}  // namespace

bool is_class_file_name(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::optional<FoundClassFile> find_class_file(const std::vector<std::string>& folders) {
  std::optional<FoundClassFile> first;
  for (const std::string& folder : folders) {
    for (const std::string_view name : kNames) {
      const std::string path = path_below(folder, name);
      if (!is_regular_file(path)) continue;
      if (first)
        compare_with(*first, path);
      else
        first = read_class_file(path);
    }
  }
  return first;
}

}  // namespace hotpack::pipeline
