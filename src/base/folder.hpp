// What a folder holds.
//
// Thread-safe. Failure: code `io`. Where memory is lacking std::bad_alloc comes out, while std::filesystem's iterators end the process.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack {

// Names of all entries but "." and "..", sorted by bytes.
[[nodiscard]] Result<std::vector<std::string>> names_in_folder(const std::string& path);

struct FolderNames {
  std::vector<std::string> folders;  // links to folders among them
  std::vector<std::string> others;
};
// The same, folders apart, as the listing itself tells it: nothing but links is examined, for a folder may hold millions of files.
[[nodiscard]] Result<FolderNames> names_by_kind(const std::string& path);

}  // namespace hotpack
