// Reads lists of samples: those of --list, of --split list and of known layouts.
//
// Failure: `io` if a list cannot be read, `data` if none of its entries names an image. An entry
// that names no image is a Problem, with its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_set.hpp"
#include "files/listed_path.hpp"
#include "hotpack/result.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

struct ListFileOptions {
  std::string root;          // base of relative paths; empty: the folder of the list
  std::string strip_prefix;  // removed from the beginning of paths
  bool skip_missing = false;
  bool by_option = true;  // the list is given by --list or --split list, not found by the layout
};

struct ListedImages {
  std::vector<std::uint32_t> images;  // indices into the list of images, ascending, each once
  std::uint64_t left_out = 0;         // with skip_missing: entries that name no image
  std::uint64_t folders = 0;          // entries that name folders: all images below are listed
  // lines of a VOC class list that end in -1: images without that class, ignored
  std::uint64_t negative = 0;
};

// Finds the images of `set` that a list names. Images and labels of `set` must be sorted by key.
// Each line names an image: by its key, by its path below an input folder (with or without
// extension), by its path in the file system or an end of it that begins above that folder, or by
// the part of its key after the last '/'. A line may name a folder of keys: all images below it are
// listed. If a name is that of a folder and the last part of a key, the folder counts; if it is a
// folder and a key, the line is a Problem. Paths may have other forms (listed_path.hpp). After a
// tab or a comma, anything may follow; after a space, only numbers or the path of the image's
// label. A line that begins with '#' is a comment, unless the name of an image begins with '#'.
[[nodiscard]] Result<ListedImages> read_list_file(const std::string& file, const FileSet& set,
                                                  const ListFileOptions& options,
                                                  ProblemLog& problems);

// True if a list holds only comments.
[[nodiscard]] Result<bool> is_empty_list(const std::string& file);

}  // namespace hotpack::pipeline
