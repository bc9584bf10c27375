// --pairs: reads samples from a table of files.
//
// Failure: `io` if the table cannot be read, `data` with file and line if it cannot be understood,
// `usage` for a --strip-prefix that no path begins with. A listed file that does not exist is a
// Problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/pair_table.hpp"
#include "hotpack/result.hpp"
#include "samples/split.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

struct PairFileSamples {
  std::vector<Split> splits;  // one without a name if the table has no column of splits
  std::string about;          // a description for people
  std::uint64_t left_out = 0;
  // Only if the table has no column of splits: a column that is not used, but seems to hold splits.
  std::optional<PairTable::SplitWords> split_words;
};

// Reads the table `file` and returns its samples. The key of a sample is the path of its image in
// the table, relative to the base folder if it lies there, without prefix, extension, and the parts
// "." and "..". A path that names no file may
// have another form (listed_path.hpp), or name the only image below the base folder with this name
// without extension. A label with '/' is a file. A table must have a label column; a metadata file
// next to images may hold captions and sizes instead.
[[nodiscard]] Result<PairFileSamples> read_pair_file(const std::string& file,
                                                     const InputOptions& input,
                                                     ProblemLog& problems);

}  // namespace hotpack::pipeline
