// Finds masks that are in the alpha channel of a file whose colors are all the same.
//
// Pure functions over the caller's memory; thread-safe.
#pragma once

#include "base/raw_label.hpp"
#include "hotpack/result.hpp"

namespace hotpack::labels {

// Fails with code `data` if the alpha of a label varies and its color does not: the mask is in the
// alpha channel, which is dropped.
[[nodiscard]] Status check_alpha(const RawLabel& label);

}  // namespace hotpack::labels
