// Signs that the folders of --image-folders do not hold the images of one class each.
//
// Pure functions of the samples; thread-safe; cannot fail.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "samples/sample_list.hpp"

namespace hotpack::pipeline {

// Returns warnings: that all class folders hold the same folders, which are likely the classes, and
// that many images have the names of labels of others.
[[nodiscard]] std::vector<std::string> class_doubts(std::span<SampleList* const> splits);

}  // namespace hotpack::pipeline
