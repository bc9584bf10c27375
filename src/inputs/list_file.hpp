// --list, and the lists of --split list and of known layouts: which samples to take.
//
// Failure: `io` where a list cannot be read, `data` where none of its entries names an image. An entry that names none is a Problem with
// its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/file_set.hpp"
#include "inputs/listed_path.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

struct ListFileOptions {
  std::string root;          // where relative paths start; empty: the list's own folder
  std::string strip_prefix;  // removed from the beginning of paths
  bool skip_missing = false;
};

struct ListedImages {
  std::vector<std::uint32_t> images;  // indices into the list of images, ascending, each once
  std::uint64_t left_out = 0;         // with skip_missing: entries that name no image
  std::uint64_t negative = 0;         // lines of a VOC class list that end in -1: images without that class, not taken
};

// Finds images of `set`, whose images and labels are sorted by key. An entry is a line: a key; a path below an input folder, with or
// without extension; a path of the file system; or the last part of one key. What may follow it: anything behind a tab or a comma, numbers,
// and the path of a label, which must be the image's. A line that begins with '#' is a comment where no image's name begins so.
[[nodiscard]] Result<ListedImages> read_list_file(const std::string& file, const FileSet& set, const ListFileOptions& options,
                                                  ProblemLog& problems);

// Whether a list holds no line but comments.
[[nodiscard]] Result<bool> is_empty_list(const std::string& file);

}  // namespace hotpack::pipeline
