// How images and labels of different names go together: "img_1" and "mask_1", or "1" and "0001".
//
// Pure functions; thread-safe; cannot fail. Only proposes: whoever reads the message decides.
#pragma once

#include <string>

#include "inputs/file_list.hpp"

namespace hotpack::pipeline {

// What --pair-regex takes, quoted for a shell; empty where nothing pairs nine of ten.
[[nodiscard]] std::string pair_regex_for(const FileList& images, const FileList& labels);

}  // namespace hotpack::pipeline
