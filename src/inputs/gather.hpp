// From the input options to samples: which layout the data set has, which files are its samples, and in which splits.
//
// Failure: `io` for folders and lists that cannot be read, `usage` for options that contradict each other, `data` where no sample is
// found; whatever is wrong with single files is a Problem. Prints nothing: `layout` tells what was detected.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/split.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

struct Gathered {
  // In the order of their names; one without a name where there is one set only. Each is wholly labelled or wholly unlabelled; where
  // some are labelled, those without labels are sets of images alone (test sets), and `layout` says so.
  std::vector<Split> splits;
  LabelOptions label;                 // as given, completed by what the layout tells (class file, label kind)
  std::string layout;                 // what was detected and from what, for people; several lines, each ended; empty where nothing was
  std::vector<std::string> warnings;  // images of a detected data set that no sample takes, counted; each a line
  std::uint64_t orphans_left_out = 0;
  std::uint64_t other_files = 0;  // of no image extension, or without the suffix asked for
};

[[nodiscard]] Result<Gathered> gather(const PackOptions& options, ProblemLog& problems);

}  // namespace hotpack::pipeline
