// The version of the format, "1.<minor>": the metadata key `hotpack.format` and the manifest's key
// `format` contain it.
//
// Pure; thread-safe.
#pragma once

#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::format {

// The version that this program writes.
inline constexpr std::string_view kVersion = "1.0";

// Returns the minor version. Refuses another major version, or text that is not a version, with
// code `damaged`.
[[nodiscard]] Result<int> parse_version(std::string_view text);

}  // namespace hotpack::format
