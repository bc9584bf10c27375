// Images that are far smaller than what happens to them.
//
// The rule: a record (or tile) of --size has 16 times as many pixels as the image, or more. Where records keep their images' sizes: the
// middle one of all images has 64 times as many. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "check/findings.hpp"
#include "inputs/split.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct SmallImages {
  Sightings images;
  std::uint64_t of = 0;     // images whose size is known
  bool in_records = false;  // smaller than their records, not than the others
};

// Sizes are those that the header survey gave the samples.
[[nodiscard]] SmallImages small_images(const std::vector<Split>& splits, const RecordOptions& options);

}  // namespace hotpack::pipeline
