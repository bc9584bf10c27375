// Gives records one size if no option does and all images share it: such records can be batched.
//
// Decided by the headers of all samples of all splits, for every part of them that a run packs.
// Plain values; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/fit.hpp"
#include "inputs/sample_list.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// True if the sizes of images decide the size of records: without --size, --fit and --tile.
[[nodiscard]] bool size_is_open(const RecordOptions& options);

class RecordSizes {
 public:
  // Samples whose headers were probed; those without a usable header do not count.
  void add(const SampleList& list, const RecordOptions& options);

  // If all images share one size, acts as --size does: records hold the unchanged pixels of their
  // images, and padding if there is a --pad-multiple. Does nothing if options decide the size.
  void settle(RecordOptions& options) const;

  [[nodiscard]] bool differ() const { return counts_.size() > 1; }
  // For people, if sizes differ: "the images have 3 sizes, …; to batch them, …".
  [[nodiscard]] std::string note() const;
  // If sizes differ: options that bring all to the most frequent size, "--size 480x360 --fit
  // contain".
  [[nodiscard]] std::string advice(bool labels_a_pixel) const;

 private:
  [[nodiscard]] Extent commonest() const;

  std::map<std::pair<int, int>, std::uint64_t> counts_;  // by width and height of records
};

}  // namespace hotpack::pipeline
