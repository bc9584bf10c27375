// --mask-per-class: which image and which class a mask belongs to, from its path.
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
  // A path without extension in which {key} and {class} stand once each with text between them, such as "{key}_{class}" or
  // "{class}/{key}". Refuses others with code `usage`.
  [[nodiscard]] static Result<MaskPattern> parse(const std::string& text);

  struct Match {
    std::string_view key;
    std::string_view name;  // of the class; has no '/'
  };
  // All ways in which `stem` may be meant ("a_b_c" is class c of a_b, or class b_c of a), the longest key first.
  [[nodiscard]] std::vector<Match> matches(std::string_view stem) const;

 private:
  std::string before_, between_, after_;
  bool key_first_ = true;
};

// Gives each mask the key of its image: the longest that an image of `images` (sorted by key) has, or that the pattern allows. The key
// of a file that the pattern does not fit is empty.
void key_masks(FileList& masks, const FileList& images, const MaskPattern& pattern);

// Of one folder's files, all in both lists: a mask is what the pattern gives the key of an image, all else is an image. Takes the masks
// out of `images` and the images out of `masks`. Code `data` where a file may be either: masks of its own would go with it, and no other
// image has a mask of the class that it would be.
[[nodiscard]] Status part_masks(FileList& images, FileList& masks, const MaskPattern& pattern);

}  // namespace hotpack::pipeline
