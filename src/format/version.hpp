// The version of the format, "1.<minor>". The metadata key `hotpack.format` of a shard and the key
// `format` of the manifest contain it.
//
// Pure; thread-safe.
#pragma once

#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::format {

// The version that this program writes.
inline constexpr std::string_view kVersion = "1.0";

// Returns the minor version. Fails with code `damaged` if the major version is not 1, or if the
// text is not a version.
[[nodiscard]] Result<int> parse_version(std::string_view text);

}  // namespace hotpack::format
