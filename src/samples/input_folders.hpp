// Lists the files of the input folders, which options or a detected layout name: one set of files
// per split, not paired yet.
//
// Failure: `io` for folders that cannot be read, `usage` for options that do not fit the folders,
// `data` for folders without images; single files that cannot be used are Problems.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_set.hpp"
#include "hotpack/result.hpp"
#include "samples/layout.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// The folders that --images, --labels, --image-folders and the roots of data sets name.
[[nodiscard]] std::vector<std::string> input_folders(const InputOptions& input);

// Returns the path of a folder without symbolic links, "." and "..", so that two spellings of one
// folder are equal.
[[nodiscard]] std::string real_path(const std::string& folder);

// Returns a prefix of keys for each of several folders, without '/' at its end: the name of the
// folder or, if two names are equal, as many parts of the paths as make them different. Fails with
// code `usage` for a folder that is given twice or is within another one, and for a name that
// cannot be part of a key.
[[nodiscard]] Result<std::vector<std::string>> folder_prefixes(
    const std::vector<std::string>& folders);

// --images and --labels: one set without a name.
[[nodiscard]] Result<std::vector<FileSet>> scan_image_folders(const InputOptions& input,
                                                              ProblemLog& problems);

// Lists the images of --image-folders: as one set without a name or, with --split folder and
// without key prefixes, as one set for each folder in them.
[[nodiscard]] Result<std::vector<FileSet>> scan_class_roots(const InputOptions& input,
                                                            ProblemLog& problems);

// Lists the files in the folders of a layout without tables: one set per split or, if lists define
// the splits, one set of all files.
[[nodiscard]] Result<std::vector<FileSet>> scan_layout(const Layout& layout, ProblemLog& problems);

// The error if nothing was found below these folders, or only files without a key.
[[nodiscard]] Error no_images(std::string_view folders, const FileList& found,
                              std::uint64_t keyless = 0);
// The folders of a list's roots: "'a', 'b'".
[[nodiscard]] std::string folders_text(const FileList& list);

}  // namespace hotpack::pipeline
