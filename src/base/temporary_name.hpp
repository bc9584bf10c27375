// Names of temporary files: `.<final name>.<16 hex digits>.tmp`, in the folder of the final file.
//
// The code that writes such files, the code that removes those of a killed run, and the code that
// skips them in listings share this grammar.
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hotpack {

// `number` distinguishes files with the same final name.
[[nodiscard]] std::string temporary_name(std::string_view final_name, std::uint64_t number);

// The final name within a temporary file's name, as a view; empty if `name` is not a temporary
// file's.
[[nodiscard]] std::string_view final_name_of(std::string_view name);

}  // namespace hotpack
