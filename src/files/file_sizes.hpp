// The sizes of many files. Several threads ask for them (scan_scope.hpp) while the file system lets
// them wait.
//
// Failure: none; a path that names no regular file has no size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hotpack::pipeline {

// One per path, in the order of paths. An empty path is not asked for.
[[nodiscard]] std::vector<std::optional<std::uint64_t>> sizes_of(
    const std::vector<std::string>& paths);

}  // namespace hotpack::pipeline
