// Finds the class file of a data set among the files next to its images.
//
// Functions that only read files; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "labels/class_table.hpp"

namespace hotpack::pipeline {

struct FoundClassFile {
  std::string path;
  Result<labels::ClassTable> table;  // or why it cannot be read as one, with file and line
  std::optional<Error> contradiction =
      {};  // another class file has different classes, so the user must choose one
  std::vector<std::string> unreadable =
      {};                // one warning per further file that cannot be read as a class file
  bool no_list = false;  // the file has the name of a class file, but is none: `table` says why
};

// True for a usual name of a class file: "class_dict.csv".
[[nodiscard]] bool is_class_file_name(std::string_view name);

// Returns the first file in `folders` that has a usual name of class files (class_dict.csv,
// class_names.txt, labelmap.txt, …). Returns it even if labels/class_table.hpp cannot read it,
// because a class file that cannot be used must not be ignored silently. Such a file is also a
// data.yaml next to files of objects, as YOLO has them, whose names it then holds.
[[nodiscard]] std::optional<FoundClassFile> find_class_file(
    const std::vector<std::string>& folders);

// Returns the class file that these folders of splits have in common, each of which may have one,
// as Roboflow's `_classes.csv`. If two files name different classes, the result has a
// contradiction.
[[nodiscard]] std::optional<FoundClassFile> find_split_class_file(
    const std::vector<std::string>& folders);

// Adds the next file found to the first, if there is one. A file that is no class file gives way to
// any other, and is then among `unreadable`.
void add_class_file(std::optional<FoundClassFile>& first, std::optional<FoundClassFile> next);

// Returns the longest of the files label_names.txt in these folders of samples, as
// labelme_json_to_dataset writes them. One file may have more classes than another, but a class
// that has different ids in two files is a contradiction.
[[nodiscard]] std::optional<FoundClassFile> find_sample_class_file(
    const std::vector<std::string>& folders);

}  // namespace hotpack::pipeline
