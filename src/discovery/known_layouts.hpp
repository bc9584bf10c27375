// The table of known layouts: one row per way in which data sets arrange images and labels.
//
// Constant data; thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "discovery/layout_pattern.hpp"

namespace hotpack::pipeline {

// Rows of a lower rank are tried only if no row of a higher rank fits.
enum class LayoutRank { data_set, usual_splits, usual, sequences };

struct KnownLayout {
  LayoutRank rank;
  std::string_view name;
  LayoutPattern images, labels;
  // Folders that may contain lists of samples, the likeliest first.
  std::vector<std::string_view> lists = {};
  // Parts of the names of files that are neither images nor labels.
  std::vector<std::string_view> exclude = {};
  std::string_view refusal = {};  // why it needs options; empty if it can be packed as it is
  std::string_view options = {};  // that pack it; R is the root
};

[[nodiscard]] const std::vector<KnownLayout>& known_layouts();

}  // namespace hotpack::pipeline
