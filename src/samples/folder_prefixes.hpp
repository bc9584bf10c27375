// Prefixes of keys for several input folders: the name of each folder or, if two names are equal,
// as many parts of the paths as make them different.
//
// A function of the paths, without state. Failure: code `usage` for a folder that is given twice or
// is within another one, and for a name that cannot be part of a key.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

// One prefix per folder, without '/' at its end.
[[nodiscard]] Result<std::vector<std::string>> folder_prefixes(
    const std::vector<std::string>& folders);

}  // namespace hotpack::pipeline
