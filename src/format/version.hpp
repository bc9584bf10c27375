// The version of the format, as `hotpack.format` and the manifest's `format` write it: "1.<minor>".
//
// Pure; thread-safe.
#pragma once

#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::format {

// What this program writes.
inline constexpr std::string_view kVersion = "1.0";

// The minor version. Another major version, or text that is no version, is refused with code `damaged`.
[[nodiscard]] Result<int> parse_version(std::string_view text);

}  // namespace hotpack::format
