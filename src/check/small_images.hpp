// Finds images that are much smaller than their records, or than the other images.
//
// With --size or --tile, an image counts as small if its record has at least 16 times as many
// pixels. Otherwise, an image counts as small if the median image has at least 64 times as many
// pixels.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "check/diagnostics.hpp"
#include "samples/split.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct SmallImages {
  Occurrences images;
  std::uint64_t of = 0;     // number of images of known size
  bool in_records = false;  // compared with their records, not with other images
};

// Uses the sizes that the header probe stored in the samples.
[[nodiscard]] SmallImages small_images(const std::vector<Split>& splits,
                                       const RecordOptions& options);

}  // namespace hotpack::pipeline
