// Finds the samples that the input options mean: detects the layout of the data set, lists its
// files, pairs them, and divides the samples into splits.
//
// Failure: `io` for folders and lists that cannot be read, `usage` for options that contradict each
// other, `data` if no sample is found or the pairing is unclear; a fault of a single file is a
// Problem. Prints nothing: `layout` describes what was detected.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "samples/split.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

struct Discovery {
  // The splits, sorted by name; a data set without splits is one element with an empty name. In a
  // split, either all samples have labels or none has. A split without labels next to splits with
  // labels is a test set; `layout` mentions it.
  std::vector<Split> splits;
  LabelOptions label;  // as given, completed by the class file of the layout
  std::string layout;  // a description of what was detected, for people; lines, each with its end;
                       // empty if nothing was detected
  std::vector<std::string>
      warnings;  // counts of images of a detected data set that no sample uses; one line each
  std::uint64_t orphans_left_out = 0;
  std::uint64_t other_files = 0;  // ignored: without an image extension or the given suffix
  std::uint64_t excluded = 0;     // files and folders that --exclude left out
};

// Uses RunOptions::io_threads. `observer`, if given, receives how many files were listed so far,
// and may request a stop: then the result is an error, or without use, and the caller asks the
// observer.
[[nodiscard]] Result<Discovery> discover(const PackOptions& options, ProblemLog& problems,
                                         Observer* observer = nullptr);

}  // namespace hotpack::pipeline
