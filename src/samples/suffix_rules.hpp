// Finds out how the names of images and labels differ: by suffixes at the end of the name without
// extension.
//
// A rule (a suffix for images and one for labels, either may be empty) fits if it pairs at least 95
// % of the images, and 95 % of the labels with its suffix. If lists name the images, only the
// labels must pair. choose_suffixes() uses the first of these rules:
// - the suffixes of the options, if both are given;
// - the suffixes of the preset, unless they do not fit and the next rule does;
// - if they fit: equal names (not counting a suffix that an option gives) or, in one folder, JPEG
//   images with PNG labels;
// - the only rule that fits, of a table of suffixes that data sets use, and of the endings that
//   labels add to the names of images. A rule of such an ending must pair 95 % of all labels.
// If labels with another suffix pair 95 % of the images too, both rules are only proposals, unless
// the two are forms of one label (Cityscapes' ids and colors). If no rule fits, those that pair
// something are proposals. With proposals only, the caller fails and lists them in its error.
//
// Pure functions; thread-safe; cannot fail.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/file_set.hpp"
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
  std::string about;            // "labels end with '_L': 9 of 20 images have a label"
  std::string options;          // "--label-suffix _L", quoted for a shell
  bool leaves_orphans = false;  // the options alone would be refused
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

// Removes the suffixes of `rule` from the keys of a set. If an option gives the suffix, files
// without it are dropped. If the suffix was detected, files without it are added to `problems` as
// orphans. Two exceptions: labels of other kinds ("x_color" next to "x_labelIds") are dropped, and
// the images of a set without labels are kept.
void apply_suffixes(FileSet& set, const SuffixRule& rule, const GivenSuffixes& given,
                    ProblemLog& problems);

// Returns true if these files of one folder may be images and labels: some names end with a suffix
// of labels, or there are both JPEG and PNG files.
[[nodiscard]] bool may_hold_labels(const FileList& files);

}  // namespace hotpack::pipeline
