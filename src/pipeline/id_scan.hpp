// Which raw ids occur in a data set's labels: reads all of them, in parallel, when nobody said how many classes there are.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>

#include "hotpack/result.hpp"
#include "pipeline/observer.hpp"
#include "pipeline/sample_list.hpp"

namespace hotpack::pipeline {

struct IdScan {
  std::bitset<65536> narrow;  // ids seen in labels of up to 8 bits
  std::bitset<65536> wide;    // ids seen in 16-bit labels
};

// Labels that cannot be decoded are passed over: packing reports them. Errors: `io`.
[[nodiscard]] Result<IdScan> scan_ids(const SampleList& list, std::uint64_t max_pixels, Observer& observer);

// "0…11" or "0…3, 7, 9": the set as people write it.
[[nodiscard]] std::string ids_text(const std::bitset<65536>& ids);

}  // namespace hotpack::pipeline
