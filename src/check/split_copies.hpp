// Finds copies of an image in other splits that are not the same file: saved again, flipped or
// rotated by right angles (found by their pixels), or augmented (found by their names).
//
// Not found: images of little contrast, and crops, other angles, changed colors or brightness,
// unless the names show it. Memory: 88 bytes per sample if there are several splits. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/diagnostics.hpp"
#include "pack/brightness_grid.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

// The name of an augmented copy's original: "100_2_r30" is a copy of "100_2" or of "100",
// "a_jpg.rf.<32 hex digits>" of "a_jpg".
struct AugmentedName {
  std::string_view base;  // the key without the words of augmentation
  std::string_view shorter =
      {};  // also without the numbers before these words; empty if there are none
};
// The words are parts of the key's last component, separated by '_', '-', '.' or a space: r30,
// rot90, flip, hflip, mirror, aug3, blur, … .
[[nodiscard]] std::optional<AugmentedName> augmented_name(std::string_view key);

class SplitCopies {
 public:
  // `image`: a hash of the file's bytes, because equal files are reported elsewhere.
  void add(SamplePlace place, std::uint64_t image, const BrightnessGrid& grid);

  // Reports images that look alike.
  void finish(const std::vector<std::string>& split_names,
              const std::function<std::string(SamplePlace)>& path_of, Diagnostics& diagnostics);

 private:
  struct Image {
    int total = 0;
    SamplePlace place;
    std::uint64_t image = 0;
    BrightnessGrid grid{};
  };
  std::vector<Image> images_;
};

// Reports names of augmented copies. `keys[split]` are sorted. `path_of` returns the path of a
// sample.
void report_augmented_names(const std::vector<std::vector<std::string_view>>& keys,
                            const std::vector<std::string>& split_names,
                            const std::function<std::string(SamplePlace)>& path_of,
                            Diagnostics& diagnostics);

}  // namespace hotpack::pipeline
