// Finds the class file that lies beside a data set.
//
// Functions that only read files; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "labels/class_table.hpp"

namespace hotpack::pipeline {

struct FoundClassFile {
  std::string path;
  labels::ClassTable table;
};

// The first file of a usual name (class_dict.csv, class_names.txt, labelmap.txt, classes.txt, …) in `folders` that labels/class_table.hpp
// can read as one. Files of such names that it cannot, such as a table of classification, get a line in `remarks`.
[[nodiscard]] std::optional<FoundClassFile> find_class_file(const std::vector<std::string>& folders, std::vector<std::string>& remarks);

}  // namespace hotpack::pipeline
