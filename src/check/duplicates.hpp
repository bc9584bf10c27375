// Finds images that occur more than once, by the hash of their bytes. Reports images that are in
// several splits (test images in the training set), copies within one split, and copies with
// different labels.
//
// Memory: 24 bytes per sample. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "check/diagnostics.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class Duplicates {
 public:
  using Place = SamplePlace;

  // Adds an image. `image` is a hash of the file's bytes. `label` is a hash of the label's bytes or
  // a class id; equal labels must have equal values.
  void add(Place place, std::uint64_t image, std::uint64_t label) {
    files_.push_back({image, label, place});
  }

  // `path_of` returns the path of an image.
  void finish(const std::vector<std::string>& split_names,
              const std::function<std::string(Place)>& path_of, Diagnostics& diagnostics);

 private:
  struct File {
    std::uint64_t image = 0;
    std::uint64_t label = 0;
    Place place;
  };
  std::vector<File> files_;
};

}  // namespace hotpack::pipeline
