// Files next to a data set that list its samples under any name: train_list.txt, fold0.csv.
//
// Reads text files of at most 64 MiB, and only the first lines if they name no samples.
// Thread-safe. Failure: `io` for a folder that cannot be read. Ignores files that cannot be read.
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

// Searches `root` and its folders with usual names for lists. A file is a list if nearly all of its
// lines are keys of samples, or last parts of keys. Returns only the first of two lists of a split.
[[nodiscard]] Result<std::vector<UnusedList>> find_unused_lists(const std::string& root,
                                                                const SampleList& samples);

}  // namespace hotpack::pipeline
