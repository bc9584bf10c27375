// Finds the layouts (readings) that a folder may have.
//
// Functions that only read folders and the headers of tables; thread-safe. Failure: `io` for
// folders that cannot be read.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "samples/layout.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

// Returns the best readings of `folder` itself: none if no layout fits, several if they are equally
// good. Layouts are tried in this order: tables with labels; the folders of known data sets; usual
// names with and without splits; labels next to their images; class folders; tables without labels.
// Fails with code `data` if the folders of a reading cannot be matched for certain.
[[nodiscard]] Result<std::vector<Layout>> layout_readings(const std::string& folder,
                                                          const GivenSuffixes& given);

// Returns the layout in which the folders of `folder` are classes, if some of them contain images
// directly and the others contain images only in deeper folders; otherwise returns none. Each image
// then belongs to the class of its outermost folder, and warnings name the deeper folders.
[[nodiscard]] Result<std::vector<Layout>> likely_class_folders(const std::string& folder);

// True if the folder holds images and labels whose names differ by a known suffix.
[[nodiscard]] Result<bool> holds_labels_beside_images(const std::string& folder,
                                                      const GivenSuffixes& given);

}  // namespace hotpack::pipeline
