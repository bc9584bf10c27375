// Copies of one image in several splits that are not the same file: saved anew, flipped or turned by right angles (seen in their pixels),
// and augmented ones (seen in their names).
//
// Not found: crops, other angles, changed colors or brightness, unless the names tell; images of little contrast. Memory: 88 bytes a
// sample, where there are several splits. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/findings.hpp"
#include "pack/coarse_look.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

// What an augmented copy's name says about its original: "100_2_r30" is a copy of "100_2" or of "100", "a_jpg.rf.<32 hex digits>" of
// "a_jpg".
struct AugmentedName {
  std::string_view base;          // without the words of augmentation
  std::string_view shorter = {};  // without the numbers before them, too; empty where there are none
};
// Words are parts of the last component of the key, set off by '_', '-', '.' or a blank: r30, rot90, flip, hflip, mirror, aug3, blur, … .
[[nodiscard]] std::optional<AugmentedName> augmented_name(std::string_view key);

class SplitCopies {
 public:
  // `image`: a hash of the file's bytes: equal files are reported elsewhere.
  void add(SamplePlace place, std::uint64_t image, const CoarseLook& look);

  // Tells of images that look alike.
  void finish(const std::vector<std::string>& split_names, const std::function<std::string(SamplePlace)>& path_of, Findings& findings);

 private:
  struct Image {
    int total = 0;
    SamplePlace place;
    std::uint64_t image = 0;
    CoarseLook look{};
  };
  std::vector<Image> images_;
};

// Tells of names. `keys[split]` are sorted; `path_of` gives the path of the sample with that number in its split.
void tell_augmented_names(const std::vector<std::vector<std::string_view>>& keys, const std::vector<std::string>& split_names,
                          const std::function<std::string(SamplePlace)>& path_of, Findings& findings);

}  // namespace hotpack::pipeline
