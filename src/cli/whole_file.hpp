// Writes files with results. A file appears complete or not at all.
//
// Thread-safe for different files. Failure: code `io`; no temporary file is left behind. Unlike
// shards, these files are not flushed to disk, because they can be made again.
#pragma once

#include <string>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::cli {

// Returns a name for a temporary file, ".hotpack.<16 hex digits>.tmp". No other running process
// uses this name, and later calls return other names.
[[nodiscard]] std::string temporary_name_of_process();

// Writes a temporary file next to `path`, then renames it to `path`. An existing file is replaced.
[[nodiscard]] Status write_whole_file(const std::string& path, std::string_view content);

// The same, but an existing file stays as it is, and the call fails.
[[nodiscard]] Status write_new_file(const std::string& path, std::string_view content);

}  // namespace hotpack::cli
