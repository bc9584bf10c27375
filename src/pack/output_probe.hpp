// Tries in the output folder what packing needs, before the inputs are read, which may take hours.
//
// Creates a small temporary file, locks it, writes it out of order, renames and removes it. If the
// folder does not exist yet, this happens in the nearest folder above it. Thread-safe. Failure:
// code `io`, with the way out.
#pragma once

#include <string>

#include "hotpack/result.hpp"
#include "settings/observer.hpp"

namespace hotpack::pipeline {

// Refuses a folder into which shards cannot be written, and a file system without free space. Tells
// the observer if the file system has no locks, which is safe but means something. A folder with a
// manifest is not touched: nothing may be left to do there. A folder with shards may be read-only
// for the same reason.
[[nodiscard]] Status probe_output(const std::string& folder, Observer& observer);

}  // namespace hotpack::pipeline
