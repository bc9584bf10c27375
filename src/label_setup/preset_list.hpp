// Lists the presets by name, for messages.
//
// Constant data; thread-safe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "labels/presets.hpp"

namespace hotpack::pipeline {

// The name of each preset and one line about it.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> preset_list() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string_view name : labels::preset_names())
    list.emplace_back(name, labels::find_preset(name)->about);
  return list;
}

}  // namespace hotpack::pipeline
