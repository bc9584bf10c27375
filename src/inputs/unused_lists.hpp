// Files next to a data set that list its samples under any name: train_list.txt, fold0.csv.
//
// Reads the first lines of small text files. Thread-safe. Failure: `io` for a folder that cannot be
// read; unreadable files are no lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"

namespace hotpack::pipeline {

struct UnusedList {
  std::string file;
  std::string split;          // "train" of train_list.txt; otherwise the name of the file
  std::uint64_t samples = 0;  // lines that name a sample
};

// Searches `root` and its folders with usual names of lists. Nearly all lines of a list are keys of
// samples or last parts of keys. Of two files for one split only the first is returned.
[[nodiscard]] Result<std::vector<UnusedList>> find_unused_lists(const std::string& root,
                                                                const SampleList& samples);

}  // namespace hotpack::pipeline
