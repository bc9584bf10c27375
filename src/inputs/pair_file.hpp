// --pairs: samples from a table of files.
//
// Failure: `io` where the table cannot be read, `data` naming file and line where it cannot be understood, `usage` for a --strip-prefix
// that no path begins with. A file that is listed and not there is a Problem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/split.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

struct PairFileOptions {
  std::string file;
  std::string root;          // where relative paths start; empty: the file's own folder
  std::string strip_prefix;  // removed from the beginning of paths
  bool skip_missing = false;
  bool asked_for =
      true;  // by --pairs: columns of which none is called like a label are refused; what lies next to images may hold captions
};

struct PairFileSamples {
  std::vector<Split> splits;  // one without a name where the table has no column of splits
  std::string about;          // what was read, for people
  std::uint64_t left_out = 0;
};

// A sample's key is the path of its image in the table, less the prefix, without extension and without . and .. parts.
[[nodiscard]] Result<PairFileSamples> read_pair_file(const PairFileOptions& options, ProblemLog& problems);

}  // namespace hotpack::pipeline
