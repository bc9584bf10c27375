// Finds files next to a data set that list its samples, under whatever name: train_list.txt,
// fold0.csv.
//
// Reads text files of at most 64 MiB; if the first lines of a file name no samples, reads no more
// of it. Thread-safe. Failure: `io` for a folder that cannot be read. Files that cannot be read are
// ignored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "samples/sample_list.hpp"

namespace hotpack::pipeline {

struct UnusedList {
  std::string file;
  std::string split;          // "train" of train_list.txt; otherwise the name of the file
  std::uint64_t samples = 0;  // lines that name a sample
  bool table = false;         // a .csv or .tsv file
};

// Searches for lists in `root` and in those of its folders that have usual names. A file is a list
// if one column of nearly all of its lines holds keys of samples, or last parts of keys. If a split
// has two lists, returns only the first.
[[nodiscard]] Result<std::vector<UnusedList>> find_unused_lists(const std::string& root,
                                                                const SampleList& samples);

}  // namespace hotpack::pipeline
