// --mask-per-class: finds the image and the class of a mask in its path.
//
// Immutable; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/file_list.hpp"

namespace hotpack::pipeline {

class MaskPattern {
 public:
  // Parses a path without extension that contains {key} and {class} once each, with text between
  // them: "{key}_{class}" or "{class}/{key}". Refuses others with code `usage`.
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

// Gives each mask the key of its image: the longest match that is a key of `images` (sorted by
// key), else the longest match. Files that do not match the pattern get an empty key.
void key_masks(FileList& masks, const FileList& images, const MaskPattern& pattern);

// Separates the files of one folder, all of which are in both lists: a file whose match is the key
// of an image is a mask, every other file is an image. Returns code `data` if a file may be either:
// as an image it would have masks, and as a mask it would be the only mask of its class.
[[nodiscard]] Status part_masks(FileList& images, FileList& masks, const MaskPattern& pattern);

}  // namespace hotpack::pipeline
