// Labels that lie under different images although they are the same: one of them was copied or saved under a second name.
//
// Labels are compared as they were decoded, by a hash of their class ids, so that the same mask in another file form is found too. A label
// of one value throughout is no sign, nor is a second copy of the same image. Memory: 24 bytes per sample. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "check/findings.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class SharedLabels {
 public:
  // `image`: a hash of the image file's bytes; `labels`: the sample's label, or its masks in the order of their classes.
  void add(SamplePlace place, std::uint64_t image, const std::vector<LabelInspection>& labels);

  // `path_of` gives the path of a sample's label. Sorts what was added.
  void finish(const std::function<std::string(SamplePlace)>& path_of, Findings& findings);

 private:
  struct Label {
    std::uint64_t content = 0;
    std::uint64_t image = 0;
    SamplePlace place;
  };
  std::vector<Label> labels_;
  std::uint64_t seen_ = 0;  // those of one value among them
};

}  // namespace hotpack::pipeline
