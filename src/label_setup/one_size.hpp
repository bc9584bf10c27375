// Records of one size where nobody said one and all images have it: such records can be batched.
//
// Decided by the headers of all samples of all splits, whatever part of them a run packs. Plain values; not thread-safe.
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

// Whether the sizes of images decide that of records: neither --size nor --fit nor --tile was given.
[[nodiscard]] bool size_is_open(const RecordOptions& options);

class RecordSizes {
 public:
  // Samples whose headers were surveyed; those without a usable header do not count.
  void add(const SampleList& list, const RecordOptions& options);

  // Where all have one size, as if --size had said so: records hold the very pixels of their images, and padding of --pad-multiple.
  // Does nothing where the size is not open.
  void settle(RecordOptions& options) const;

  [[nodiscard]] bool differ() const { return counts_.size() > 1; }
  // For people, where they differ: "records have 3 sizes, …, and cannot be batched; …".
  [[nodiscard]] std::string note() const;
  // Where they differ: options that bring all to the commonest size, "--size 480x360 --fit contain".
  [[nodiscard]] std::string advice(bool labels_a_pixel) const;

 private:
  [[nodiscard]] Extent commonest() const;

  std::map<std::pair<int, int>, std::uint64_t> counts_;  // by width and height of records
};

}  // namespace hotpack::pipeline
