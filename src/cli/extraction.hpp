// Writes samples of a pack to files on several threads. The files do not depend on the number of
// threads.
//
// Ownership: borrows the data set and the tree. One run at a time. Memory: the files of one sample
// per thread, and the lines of labels.csv. Failure: returns the error of the first sample, in the
// order of `chosen`, that cannot be written; code `io` if memory is exhausted. All samples before
// the failed one are written then, and perhaps some after it, each with all of its files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cli/sample_writer.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::cli {

using SampleNumbers = std::optional<std::vector<std::uint64_t>>;  // absent: all

struct ExtractionProgress {
  std::uint64_t samples_done = 0;
  std::uint64_t samples_total = 0;
  std::uint64_t bytes = 0;  // of records
};

struct Extracted {
  std::uint64_t files = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;     // of the files
  bool complete = true;        // false if the run was stopped; labels.csv is then missing
  bool any_unlabeled = false;  // an image of a pack with one class per image has no class
};

// `progress` is called from one thread at a time; if it returns false, the run stops.
[[nodiscard]] Result<Extracted> extract_samples(
    const Dataset& dataset, const SampleNumbers& chosen, OutputTree& tree,
    const SampleWriterOptions& options, unsigned threads,
    const std::function<bool(const ExtractionProgress&)>& progress);

}  // namespace hotpack::cli
