// What is in a packed data set, as `info` tells it.
//
// Pure functions over an open Dataset; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "hotpack/dataset.hpp"

namespace hotpack::cli {

// Lines for a person, each ended.
[[nodiscard]] std::string describe_pack(const Dataset& dataset);
// One JSON object, no line end. Numbers of the statistics are those of the manifest, digit by digit. `faults`: what a look at the files
// shows; the member is there only where there are some.
[[nodiscard]] std::string pack_json(const Dataset& dataset, const std::vector<std::string>& faults = {});

}  // namespace hotpack::cli
