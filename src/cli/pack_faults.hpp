// What a look at the files of a pack shows, and how damage is repaired, in words.
//
// Reads names and sizes only. Thread-safe. Failure: none; what cannot be examined is a fault too.
#pragma once

#include <string>
#include <vector>

#include "format/json.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::cli {

// A line for each shard that is missing or has another size than the manifest says; at most a few, then a count.
[[nodiscard]] std::vector<std::string> missing_shards(const Dataset& dataset);

// One of several packs that cannot be opened, as --json lists it: the pack, and the error as a command alone would print it.
[[nodiscard]] format::Json failure_json(const std::string& folder, const Error& error);

// How to get a damaged pack whole again.
[[nodiscard]] std::string mending_text(const std::string& folder);

}  // namespace hotpack::cli
