// Two folders that could be two classes, and hold files of the same names: images and labels, as a rule.
//
// Reads names and sizes of files, no picture. Thread-safe. Failure: `io` for folders that cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hotpack/result.hpp"
#include "pipeline/affixes.hpp"

namespace hotpack::pipeline {

struct TwinFolders {
  std::string images, labels;  // names of the folders; a guess which is which
  Affix affix;                 // that names in one have and names in the other have not
  bool on_images = false;      // the affix is that of the images
  std::uint64_t pairs = 0;
  std::string image_example, label_example;  // names of one pair, without extension
};

// Where `folder` has exactly two folders with pictures, and at least 90 % of the names in one are in the other, equal or with one affix.
[[nodiscard]] Result<std::optional<TwinFolders>> find_twins(const std::string& folder);

}  // namespace hotpack::pipeline
