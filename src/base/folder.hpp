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

}  // namespace hotpack
