// The files in src/labels/presets, whose text the build puts into the library. Only src/labels uses
// this.
//
// Constant data; thread-safe.
#pragma once

#include <span>
#include <string_view>

namespace hotpack::labels {

struct PresetFile {
  std::string_view name;  // of the file, without .csv
  std::string_view text;
};

// In byte order of the names.
[[nodiscard]] std::span<const PresetFile> preset_files();

}  // namespace hotpack::labels
