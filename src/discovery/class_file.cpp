#include "discovery/class_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "files/file_list.hpp"
#include "files/listed_path.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

// The most likely first: files with colors, then files with names only.
constexpr std::array<std::string_view, 25> kNames{
    "class_dict.csv",    "class_dict_seg.csv",   "_classes.csv",     "class_dict.txt",
    "classes.csv",       "class_names.csv",      "label_colors.csv", "color_codes.csv",
    "colour_codes.csv",  "colors.csv",           "colours.csv",      "legend.csv",
    "class_mapping.csv", "label_class_dict.csv", "labelmap.csv",     "labelmap.txt",
    "label_colors.txt",  "colors.txt",           "legend.txt",       "class_names.txt",
    "classes.txt",       "class_name.txt",       "label_names.txt",  "labels.txt",
    "data.yaml"};
constexpr std::string_view kSampleNames = "label_names.txt";

// Returns true if the file exists. A data.yaml must also name classes.
bool is_class_file(const std::string& path) {
  if (!path.ends_with(".yaml")) return is_regular_file(path);
  const Result<std::string> text = read_text_file(path);
  return text.ok() && text->find("names:") != std::string::npos;
}

// True if the file has a line of numbers, as YOLO writes them for each object of an image.
bool holds_objects(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  return text.ok() && text->find(' ') != std::string::npos &&
         text->find_first_not_of("0123456789.+-e \t\r\n") == std::string::npos;
}

// Returns a file of objects in `folder`/labels, in a folder in it, or in `folder`/*/labels; "" if
// there is none. The first file in a folder that is not empty decides.
std::string file_of_objects(const std::string& folder) {
  const std::string labels = path_below(folder, "labels");
  std::vector<std::string> places{labels};
  if (const auto inner = read_folder(labels); inner.ok())
    for (const std::string& name : inner->folders) places.push_back(path_below(labels, name));
  if (const auto splits = read_folder(folder); splits.ok())
    for (const std::string& name : splits->folders)
      places.push_back(path_below(path_below(folder, name), "labels"));
  for (const std::string& place : places) {
    const auto content = read_folder(place);
    if (!content.ok()) continue;
    for (const std::string& name : content->files) {
      std::string path = path_below(place, name);
      std::error_code failure;
      if (!name.ends_with(".txt") || is_class_file_name(name) ||
          std::filesystem::file_size(path, failure) == 0)
        continue;
      if (holds_objects(path)) return path;
      break;
    }
  }
  return {};
}

FoundClassFile read_class_file(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return {path, text.error(), {}};
  if (path.ends_with(".yaml"))
    if (const std::string objects = file_of_objects(folder_of(path)); !objects.empty())
      return {path,
              data_error("it names the objects of " + quoted_text(objects) +
                             " and files like it; if these are also the classes of the labels, "
                             "give --classes " +
                             shell_path(path),
                         path),
              {},
              {},
              true};
  bool no_list = false;
  Result<labels::ClassTable> table = labels::parse_class_file(*text, path, &no_list);
  return {path, std::move(table), {}, {}, no_list};
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

// Returns a text about the first class that has different ids in two class files, each of which may
// have more classes than the other; "" if they agree. Precondition: both files could be parsed.
std::string id_difference(const FoundClassFile& first, const FoundClassFile& second) {
  const labels::ClassTable &one = *first.table, &other = *second.table;
  for (std::size_t id = 0; id < other.classes.size(); ++id) {
    const std::optional<int> before = one.find(other.classes[id].name);
    if (before && *before != static_cast<int>(id))
      return "class '" + other.classes[id].name + "' has the id " + std::to_string(*before) +
             " in '" + first.path + "' and " + std::to_string(id) + " in '" + second.path + "'";
  }
  for (std::size_t id = 0; id < std::min(one.classes.size(), other.classes.size()); ++id)
    if (one.classes[id].name != other.classes[id].name) return name_difference(first, second);
  return {};
}

// Compares another class file with the first one that was found. If their classes differ, sets
// first.contradiction: the user must then choose one of the two.
void compare_with(FoundClassFile& first, FoundClassFile other) {
  if (first.no_list) std::swap(first, other);
  if (first.table.ok() && !other.table.ok())
    first.unreadable.push_back("class file " + other.table.error().describe() +
                               ". It is ignored; the classes are those of '" + first.path + "'");
  if (first.contradiction || !first.table.ok() || !other.table.ok()) return;
  const std::string difference = name_difference(first, other);
  if (difference.empty()) return;
  first.contradiction = data_error(
      "contradicts '" + first.path + "': " + difference + ". Choose one of the two:\n  --classes " +
          shell_path(first.path) + "\n  --classes " + shell_path(other.path),
      other.path);
}

// The class file with most classes. `difference` compares two files; if they differ, the result has
// a contradiction, whose message ends with `advice`.
std::optional<FoundClassFile> common_file(std::vector<FoundClassFile> files,
                                          std::string (*difference)(const FoundClassFile&,
                                                                    const FoundClassFile&),
                                          const std::string& advice) {
  std::optional<FoundClassFile> common;
  for (FoundClassFile& file : files) {
    if (common && !common->contradiction && common->table.ok() && file.table.ok()) {
      const std::string text = difference(*common, file);
      if (!text.empty())
        file.contradiction = data_error("contradicts '" + common->path + "': " + text +
                                            ". The same id means different classes. " + advice,
                                        file.path);
    }
    const bool faulty = !file.table.ok() || file.contradiction;
    if (!common || faulty || file.table->classes.size() > common->table->classes.size())
      common = std::move(file);
    if (faulty) break;
  }
  return common;
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
      if (is_class_file(path)) add_class_file(first, read_class_file(path));
    }
  }
  return first;
}

void add_class_file(std::optional<FoundClassFile>& first, std::optional<FoundClassFile> next) {
  if (first && next)
    compare_with(*first, *std::move(next));
  else if (next)
    first = std::move(next);
}

std::optional<FoundClassFile> find_split_class_file(const std::vector<std::string>& folders) {
  std::vector<FoundClassFile> files;
  std::optional<FoundClassFile> none;
  for (const std::string& folder : folders)
    if (auto found = find_class_file({folder}); found && found->no_list)
      none = std::move(found);
    else if (found)
      files.push_back(*std::move(found));
  if (files.empty()) return none;
  return common_file(std::move(files), name_difference,
                     "If one of these files is right for all labels, give it with --classes FILE; "
                     "else pack each split by itself, with its own file in --classes");
}

std::optional<FoundClassFile> find_sample_class_file(const std::vector<std::string>& folders) {
  std::vector<FoundClassFile> files;
  for (const std::string& folder : folders) {
    const std::string path = path_below(folder, kSampleNames);
    if (is_regular_file(path)) files.push_back(read_class_file(path));
  }
  return common_file(std::move(files), id_difference,
                     "Write all labels anew with one list of classes, as labelme2voc.py --labels "
                     "FILE of labelme does, and give this list with --classes FILE");
}

}  // namespace hotpack::pipeline
