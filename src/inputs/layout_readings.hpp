// The layouts that one folder may have.
//
// Functions that only read folders and the headers of tables; thread-safe. Failure: `io` for
// folders that cannot be read.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/layout.hpp"

namespace hotpack::pipeline {

// The best readings of `folder` itself: none if no layout fits, several if they are equally good.
// Tables with labels come first, then the folders of known data sets, then usual names with and
// without splits, then labels next to their images, then class folders, then tables without labels.
// A reading whose folders cannot be matched for certain is an error of code `data`.
[[nodiscard]] Result<std::vector<Layout>> layout_readings(const std::string& folder,
                                                          const GivenSuffixes& given);

// Reads `folder` as class folders if some of its folders contain images directly and the others
// only deeper; otherwise returns none. Each image then belongs to the class of its outermost
// folder, and warnings name the deeper ones.
[[nodiscard]] Result<std::vector<Layout>> likely_class_folders(const std::string& folder);

// True if the folder holds images and labels whose names differ by a known suffix.
[[nodiscard]] Result<bool> holds_labels_beside_images(const std::string& folder,
                                                      const GivenSuffixes& given);

}  // namespace hotpack::pipeline
