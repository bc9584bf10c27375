// The pattern of --mask-per-class: finds the key of the image and the class in the path of a mask.
//
// Immutable; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/file_list.hpp"
#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class MaskPattern {
 public:
  // Parses a pattern for paths without extension, such as "{key}_{class}" or "{class}/{key}". Fails
  // with code `usage` unless it contains {key} and {class} once each, with text between them.
  [[nodiscard]] static Result<MaskPattern> parse(const std::string& text);

  struct Match {
    std::string_view key;
    std::string_view name;  // of the class; without '/'
  };
  // All matches of `stem` ("a_b_c" is class c of a_b, or class b_c of a), the longest key first.
  [[nodiscard]] std::vector<Match> matches(std::string_view stem) const;

 private:
  std::string before_, between_, after_;
  bool key_first_ = true;
};

// Gives each mask the key of its image. If the pattern can match the mask's path in several ways,
// takes the longest key that an image in `images` (sorted by key) has, else the longest key. Masks
// that do not match get an empty key.
void key_masks(FileList& masks, const FileList& images, const MaskPattern& pattern);

// Separates images and masks of one folder. Both lists have all files of the folder. A file is a
// mask if the pattern matches its path and the matched key is that of an image; every other file is
// an image. Fails with code `data` if a file may be either, that is, if it has masks as an image,
// and would be the only mask of its class.
[[nodiscard]] Status part_masks(FileList& images, FileList& masks, const MaskPattern& pattern);

}  // namespace hotpack::pipeline
