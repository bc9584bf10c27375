// Lists the contents of a folder.
//
// Thread-safe. Failure: code `io`. If memory is lacking, throws std::bad_alloc, while
// std::filesystem's iterators would end the process.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack {

// The names of all entries except "." and "..", sorted by bytes.
[[nodiscard]] Result<std::vector<std::string>> names_in_folder(const std::string& path);

struct FolderNames {
  std::vector<std::string> folders;  // includes links to folders
  std::vector<std::string> others;
};
// Lists a folder, with subfolders apart from other names. The listing itself says what most names
// are; only links are examined, because a folder may hold millions of files.
[[nodiscard]] Result<FolderNames> names_by_kind(const std::string& path);

}  // namespace hotpack
