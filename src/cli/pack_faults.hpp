// What a look at the files of a pack shows, and how damage is mended, in words.
//
// Reads names and sizes only. Thread-safe. Failure: none; what cannot be looked at is a fault too.
#pragma once

#include <string>
#include <vector>

#include "hotpack/dataset.hpp"

namespace hotpack::cli {

// A line for each shard that is missing or has another size than the manifest says; at most a few, then a count.
[[nodiscard]] std::vector<std::string> missing_shards(const Dataset& dataset);

// How to get a damaged pack whole again.
[[nodiscard]] std::string mending_text(const std::string& folder);

}  // namespace hotpack::cli
