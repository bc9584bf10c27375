// Missing files of a pack, and how to repair a damaged one.
//
// Reads names and sizes only. Thread-safe. Failure: none; a file that cannot be examined is a fault
// too.
#pragma once

#include <string>
#include <vector>

#include "hotpack/dataset.hpp"

namespace hotpack::cli {

// One line per shard that is missing or has another size than the manifest says; beyond a few,
// their count.
[[nodiscard]] std::vector<std::string> missing_shards(const Dataset& dataset);

// Tells the user how to repair a damaged pack.
[[nodiscard]] std::string repair_text(const std::string& folder);

}  // namespace hotpack::cli
