// Finds copies of an image in other splits whose files differ. The pixels show copies that were
// saved again, flipped, or rotated by right angles. The names show augmented copies.
//
// Images of little contrast are not found. Crops, other angles, and changed colors or brightness
// are found only if the names show them. Memory: 88 bytes per sample if there are several splits.
// Not thread-safe.
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

// The names that the original of an augmented copy may have: "100_2_r30" is a copy of "100_2" or of
// "100"; "a_jpg.rf.<32 hex digits>" is a copy of "a_jpg".
struct AugmentedName {
  std::string_view base;  // the key without the words of augmentation
  std::string_view shorter =
      {};  // also without the numbers before these words; empty if there are none
};
// Returns the possible names of the original if the key is that of an augmented copy: if parts of
// its last component are words such as r30, rot90, flip, hflip, mirror, aug3 or blur. Parts are
// separated by '_', '-', '.' or a space.
[[nodiscard]] std::optional<AugmentedName> augmented_name(std::string_view key);

class SplitCopies {
 public:
  // Adds an image. `image` is a hash of the file's bytes: images with the same hash are equal
  // files, which are reported elsewhere and not compared here. `grid` shows the image coarsely.
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

// Reports samples whose names are those of augmented copies of samples in other splits. keys[split]
// are the sorted keys of a split. path_of() returns the path of a sample's image.
void report_augmented_names(const std::vector<std::vector<std::string_view>>& keys,
                            const std::vector<std::string>& split_names,
                            const std::function<std::string(SamplePlace)>& path_of,
                            Diagnostics& diagnostics);

}  // namespace hotpack::pipeline
