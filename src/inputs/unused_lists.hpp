// Files next to a data set that list its samples, though nothing in their names says so: train_list.txt, fold0.csv.
//
// Reads the first lines of small text files. Thread-safe. Failure: `io` for a folder that cannot be read; files that cannot be are no
// lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"

namespace hotpack::pipeline {

struct UnusedList {
  std::string file;
  std::string split;          // "train" of train_list.txt; else the name of the file
  std::uint64_t samples = 0;  // lines that name one
};

// In `root` and in its folders called like those of lists. The lines of a list, but for few, are keys of samples, or the last parts of
// keys. Of two files for one split only the first.
[[nodiscard]] Result<std::vector<UnusedList>> find_unused_lists(const std::string& root, const SampleList& samples);

}  // namespace hotpack::pipeline
