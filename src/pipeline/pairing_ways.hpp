// Where no image and label share a key: what would pair them, tried on their names.
//
// Reads folders, no picture. Thread-safe; cannot fail: what cannot be read gives no way.
#pragma once

#include <vector>

#include "pipeline/layout_commands.hpp"

namespace hotpack::pipeline {

// At most three: the last parts of names alone, numbers without zeros in front, a folder below that of the labels. Each pairs nine of ten
// images of the first split that has labels.
[[nodiscard]] std::vector<Way> pairing_ways(const Layout& layout);

}  // namespace hotpack::pipeline
