// How names of images and labels differ: suffixes at the end of the stem.
//
// A rule fits if it pairs at least 95 % of the images, and 95 % of the labels with its suffix. If
// lists name the images, only the labels must pair. choose_suffixes() uses, in this order:
// 1. the suffixes of the options, if both are given;
// 2. the suffixes of the preset, unless they do not fit and rule 3 does;
// 3. if they fit: equal names (not counting a suffix that an option gives) or, in one folder, JPEG
//    images with PNG labels;
// 4. the only rule that fits, of a table of suffixes that data sets use, and of the endings that
//    labels add to the names of images. A rule of such an ending must pair 95 % of all labels.
// If another suffix of labels pairs 95 % of the images too, both rules are proposals, unless they
// are forms of one label (Cityscapes' ids and colors). If no rule fits, those that pair something
// are proposals. The caller refuses to go on, and lists the proposals in its error.
//
// Pure functions; thread-safe; cannot fail.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inputs/file_set.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

struct SuffixRule {
  std::string image, label;
  bool by_format =
      false;  // in one folder: JPEG files are the images, PNG files of the same name the labels
};

struct GivenSuffixes {
  std::string image, label;                // --image-suffix, --label-suffix; empty: not given
  std::string preset_image, preset_label;  // of --preset: tried before all others
  bool listed = false;                     // a list selects images
};

// A rule that the user may choose.
struct SuffixProposal {
  std::string about;    // "labels end with '_L': 9 of 20 images have a label"
  std::string options;  // "--label-suffix _L --orphans skip", quoted for a shell
};

struct SuffixChoice {
  SuffixRule rule;
  bool fits = false;
  bool several = false;     // several kinds of label fit the images; the proposals name them
  std::uint64_t pairs = 0;  // by `rule`
  std::string text;  // "images end with '_img', labels with '_gt': 5 of 5 images have a label";
                     // without a final dot
  std::vector<SuffixProposal> proposals;  // rules that pair more, the best first; if nothing fits,
                                          // or if the given suffixes pair nothing
};

// One rule for all of `sets`, which are labeled and whose keys still have their suffixes.
[[nodiscard]] SuffixChoice choose_suffixes(std::span<const FileSet> sets,
                                           const GivenSuffixes& given);

// Strips the suffixes from the keys of a set. If an option gives the suffix, drops the files
// without it. If the suffix was found, reports the files without it to `problems` as orphans; but
// it drops labels of other kinds ("x_color" next to "x_labelIds"), and keeps the images of a set
// without labels.
void apply_suffixes(FileSet& set, const SuffixRule& rule, const GivenSuffixes& given,
                    ProblemLog& problems);

// True if files with these names, in one folder, may be images and labels: some end with a suffix
// of labels, or there are both JPEG and PNG files.
[[nodiscard]] bool may_hold_labels(const FileList& files);

}  // namespace hotpack::pipeline
