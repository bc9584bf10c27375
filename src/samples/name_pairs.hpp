// Finds regular expressions that pair images and labels with different names: "img_1" with
// "mask_1", or "1" with "0001".
//
// Pure functions; thread-safe; cannot fail. The result is a proposal for a message, never a
// decision.
#pragma once

#include <string>

#include "files/file_list.hpp"

namespace hotpack::pipeline {

// The arguments of --pair-regex, quoted for a shell; empty if no expression pairs nine of ten.
[[nodiscard]] std::string pair_regex_for(const FileList& images, const FileList& labels);

}  // namespace hotpack::pipeline
