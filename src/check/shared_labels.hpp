// Finds equal labels of different images: one of the two was probably copied, or saved under a
// wrong name.
//
// Compares hashes of decoded class ids, so the same mask in another file format is found too.
// Labels with a single value are not compared, because many of them are equal; copies of the same
// image, also augmented ones, are not reported. Memory: 24 bytes per sample. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "check/diagnostics.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class SharedLabels {
 public:
  // Adds a sample. `image` is a hash of the image file's bytes. `labels` contains the sample's
  // label, or its masks in the order of their classes.
  void add(SamplePlace place, std::uint64_t image, const std::vector<LabelInspection>& labels);

  // `path_of` returns the path of a sample's label, `original_of` the key of the image that the
  // sample's image is an augmented copy of, or its own key. Labels of one original may be equal.
  void finish(const std::function<std::string(SamplePlace)>& path_of,
              const std::function<std::string_view(SamplePlace)>& original_of,
              Diagnostics& diagnostics);

 private:
  struct Label {
    std::uint64_t content = 0;
    std::uint64_t image = 0;
    SamplePlace place;
  };
  std::vector<Label> labels_;
  std::uint64_t seen_ = 0;  // labels added, including those of one value
};

}  // namespace hotpack::pipeline
