// Keys of label files by a pattern: of masks for one class each (--mask-per-class), and of the
// files of --images and --labels that are given as patterns.
//
// Functions without state. Failure: `usage` for a pattern with too many ways to match a path.
#pragma once

#include <span>

#include "files/file_list.hpp"
#include "files/name_pattern.hpp"
#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Gives each label file the key of its image. If the pattern can match the path in several ways,
// takes the longest key that an image in `images` (sorted by key) has, else the longest key. With a
// folding, keys that fold to the same text are equal. `patterns` has one pattern for all roots, or
// one per root. Files that do not match get an empty key. Returns a warning if files fit several
// images, else "".
[[nodiscard]] Result<std::string> key_masks(FileList& masks, const FileList& images,
                                            std::span<const NamePattern> patterns,
                                            KeyFolding folding);

// Separates images and masks of one folder. Both lists have all files of the folder. A file is a
// mask if the pattern matches its path and the matched key is that of an image; every other file is
// an image. Fails with code `data` if a file may be either, that is, if it has masks as an image,
// and would be the only mask of its class.
[[nodiscard]] Status part_masks(FileList& images, FileList& masks, const NamePattern& pattern);

}  // namespace hotpack::pipeline
