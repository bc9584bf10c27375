// Result files that appear complete or not at all.
//
// Thread-safety: safe for different files. Failure: code `io`; nothing is left behind. Unlike
// shards they are not forced to disk: they can be made again.
#pragma once

#include <string>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::cli {

// A name for a temporary file, ".hotpack.<16 hex digits>.tmp", that no other running process uses,
// nor this one again.
[[nodiscard]] std::string temporary_name_of_process();

// Writes next to `path` under a name of this process, then renames; a file of that name is
// replaced.
[[nodiscard]] Status write_whole_file(const std::string& path, std::string_view content);

// The same, but a file of that name is an error and stays as it is.
[[nodiscard]] Status write_new_file(const std::string& path, std::string_view content);

}  // namespace hotpack::cli
