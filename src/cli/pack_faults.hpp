// Finds missing files of a pack, and says how to repair a damaged pack.
//
// Reads only names and sizes of files. Thread-safe. Failure: none; a file that cannot be examined
// is listed like a missing one.
#pragma once

#include <string>
#include <vector>

#include "hotpack/dataset.hpp"

namespace hotpack::cli {

// Returns one line of text per shard that is missing or has another size than in the manifest.
// After a few lines, a last line says how many more there are.
[[nodiscard]] std::vector<std::string> missing_shards(const Dataset& dataset);

// Tells the user how to repair a damaged pack.
[[nodiscard]] std::string repair_text(const std::string& folder);

}  // namespace hotpack::cli
