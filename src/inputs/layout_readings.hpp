// The layouts that one folder may have.
//
// Functions that only read folders and the headers of tables; thread-safe. Failure: `io` for what cannot be read.
#pragma once

#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/layout.hpp"

namespace hotpack::pipeline {

// The best readings of `folder` itself, without text for people: none where nothing is known, several where they are as good as each other.
// Tables with labels come first, then the folders of known data sets, then usual names with and without splits, then labels next to their
// images, then class folders, then tables without labels. A reading in which it is open which folders go together is an error of code
// `data`.
[[nodiscard]] Result<std::vector<Layout>> layout_readings(const std::string& folder, const GivenSuffixes& given);

// The folder read as class folders, where some of the folders in it have images of their own and the others only further in. A guess that
// is worth making where nothing better is found.
[[nodiscard]] Result<std::vector<Layout>> likely_class_folders(const std::string& folder);

// Whether the folder's images are images and labels whose names differ by a known suffix.
[[nodiscard]] Result<bool> holds_labels_beside_images(const std::string& folder, const GivenSuffixes& given);

}  // namespace hotpack::pipeline
