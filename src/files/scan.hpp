// Lists the image files below input folders.
//
// Follows symbolic links, except those back to a parent folder. Ignores junk files (Thumbs.db,
// desktop.ini, __MACOSX, names that start with a dot) and files without an image extension
// (READMEs, lists). The order of the result is unspecified. Failure: code `io` for a folder that
// cannot be read.
#pragma once

#include <span>
#include <vector>

#include "files/file_list.hpp"
#include "files/name_pattern.hpp"
#include "hotpack/result.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// Lists the images below `roots`. The key of a file is the prefix of its root and the path below
// the root, without extension. Files of unsupported formats, and names that are not UTF-8, are
// added to `problems`. With `patterns`, one per root, files that do not match are only counted in
// other_files.
[[nodiscard]] Result<FileList> scan_images(const std::vector<Root>& roots, ProblemLog& problems,
                                           std::span<const NamePattern> patterns = {});

// Lists the images below `roots`, whose folders are classes. A file directly in a root belongs to
// no class and is a problem. Sets `class_folders` of the result to all class folders, including
// those without images.
[[nodiscard]] Result<FileList> scan_class_folders(const std::vector<Root>& roots,
                                                  ProblemLog& problems);

}  // namespace hotpack::pipeline
