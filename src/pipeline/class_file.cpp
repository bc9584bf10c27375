#include "pipeline/class_file.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "pipeline/file_list.hpp"
#include "pipeline/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

// Likeliest first: with colours before names alone.
constexpr std::array<std::string_view, 19> kNames{
    "class_dict.csv",   "class_dict_seg.csv", "_classes.csv", "class_dict.txt", "classes.csv",    "class_names.csv",  "label_colors.csv",
    "colour_codes.csv", "colors.csv",         "colours.csv",  "legend.csv",     "labelmap.txt",   "label_colors.txt", "colors.txt",
    "legend.txt",       "class_names.txt",    "classes.txt",  "class_name.txt", "label_names.txt"};

}  // namespace

std::optional<FoundClassFile> find_class_file(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    for (const std::string_view name : kNames) {
      const std::string path = path_below(folder, name);
      if (!is_regular_file(path)) continue;
      const Result<std::string> text = read_text_file(path);
      if (!text.ok()) return FoundClassFile{path, text.error()};
      return FoundClassFile{path, labels::parse_class_file(*text, path)};
    }
  }
  return std::nullopt;
}

}  // namespace hotpack::pipeline
