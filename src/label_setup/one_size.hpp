// If no option sets the size of records and all images have the same size, all records get this
// size: only records of one size can be batched.
//
// The headers of all samples of all splits decide, even if a run packs only a part of them. Plain
// values; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/fit.hpp"
#include "samples/sample_list.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// True if the sizes of images decide the size of records: without --size, --fit and --tile.
[[nodiscard]] bool size_is_open(const RecordOptions& options);

class RecordSizes {
 public:
  // Adds samples whose headers were probed. Ignores those without a usable header.
  void add(const SampleList& list, const RecordOptions& options);

  // If all images have the same size, sets `options` as --size with this size would: records
  // contain the unchanged pixels of their images, and padding if there is a --pad-multiple. Does
  // nothing if the options already decide the size.
  void settle(RecordOptions& options) const;

  [[nodiscard]] bool differ() const { return counts_.size() > 1; }
  // For people, if sizes differ: "the images have 3 sizes, …; to batch them, …".
  [[nodiscard]] std::string note() const;
  // For images of different sizes: returns options that give all records the most frequent size,
  // such as "--size 480x360 --fit contain". If `labels_a_pixel` is false, pixels have no labels,
  // and the fit is "cover".
  [[nodiscard]] std::string advice(bool labels_a_pixel) const;

 private:
  [[nodiscard]] Extent commonest() const;

  std::map<std::pair<int, int>, std::uint64_t> counts_;  // by width and height of records
};

}  // namespace hotpack::pipeline
