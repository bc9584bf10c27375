// The steps from scanned files to pairs: determines keys, applies lists, divides by folder.
//
// Functions without state; calls that share a log are not thread-safe. Failure: `usage` for wrong
// expressions, `data` for lists and folders that cannot be used, `io` for lists that cannot be
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "files/file_set.hpp"
#include "hotpack/result.hpp"
#include "samples/sample_list.hpp"
#include "samples/suffix_rules.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// Suffixes that the options and --preset name.
[[nodiscard]] Result<GivenSuffixes> given_suffixes(const PackOptions& options);

// Sets the keys of all files of `sets`: by patterns, --pair-regex, --mask-per-class, or suffixes,
// which it returns. Pass true for `listed` if lists will select images. Fails with code `data` if
// no rule is certain; the error proposes commands.
[[nodiscard]] Result<SuffixChoice> assign_keys(std::vector<FileSet>& sets,
                                               const PackOptions& options, bool listed,
                                               ProblemLog& problems);

// Pairs the images of a set with its labels, as the options say.
[[nodiscard]] Result<SampleList> pair_set(FileSet set, const InputOptions& input,
                                          ProblemLog& problems, std::uint64_t& left_out);

struct ListPart {
  std::string name;  // of the split; empty for --list
  std::string file;
};
struct Listed {
  std::vector<FileSet> sets;  // one per list
  std::string about;          // for people, one line per list
  std::uint64_t left_out = 0;
  std::uint64_t unlisted = 0;          // images that have a label and are in no list
  std::uint64_t unmatched_labels = 0;  // labels whose key no image has, listed or not
};
// Selects the files of `set` that the lists name. An image in two lists is an error with examples.
[[nodiscard]] Result<Listed> take_listed(FileSet set, const std::vector<ListPart>& lists,
                                         const InputOptions& input, ProblemLog& problems);

// Returns the names of the splits that have label files. Call it before files are dropped because
// of suffixes and expressions. If `by_folder` is true, a set without a name will be divided by
// folder, and the names of these folders are returned, too.
[[nodiscard]] std::set<std::string> splits_with_labels(const std::vector<FileSet>& sets,
                                                       bool by_folder);

// Divides the images and labels of `set` into splits by the first component of their keys. A split
// that has images but no labels becomes a set of images alone.
[[nodiscard]] Result<std::vector<FileSet>> divide_set_by_folder(FileSet set);

}  // namespace hotpack::pipeline
