// Names of temporary files: `.<final name>.<16 hex digits>.tmp`, in the folder of the final file.
//
// One grammar for those who write such files, remove those that a killed run left, and leave them out when they list a folder.
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hotpack {

// `number` tells this file from others of the same final name.
[[nodiscard]] std::string temporary_name(std::string_view final_name, std::uint64_t number);

// The final name in a temporary file's name, a view into it; empty if `name` is not a temporary file's.
[[nodiscard]] std::string_view final_name_of(std::string_view name);

}  // namespace hotpack
