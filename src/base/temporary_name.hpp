// Names of temporary files: `.<final name>.<16 hex digits>.tmp`, in the folder of the final file.
//
// Used by the code that writes such files, by the code that removes those of a killed run, and by
// the code that skips them in listings. The digits tell which process of which system made the file
// (base/temporary_owner). Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hotpack {

// `number` distinguishes files with the same final name.
[[nodiscard]] std::string temporary_name(std::string_view final_name, std::uint64_t number);

// Returns the final name that is contained in the name of a temporary file, as a view into `name`;
// empty if `name` is not the name of a temporary file.
[[nodiscard]] std::string_view final_name_of(std::string_view name);

// True for names that NFS and FUSE give a file that was removed or replaced while a process has it
// open: `.nfs` or `.fuse_hidden`, then hex digits. They remove it themselves.
[[nodiscard]] bool is_removed_file(std::string_view name);

// Returns the number in the name of a temporary file; 0 if `name` is not such a name.
[[nodiscard]] std::uint64_t number_of(std::string_view name);

}  // namespace hotpack
