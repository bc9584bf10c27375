// How names of images and labels differ: suffixes at the end of the stem.
//
// A rule is used if options or a preset give it, if names are equal, or if it is the only one that
// pairs at least 95 % of the images and of the labels that have its suffix. Other rules come from a
// table of suffixes that data sets use, and from the ending that labels add to the names of images;
// in the latter case all labels count. If lists name the images, only labels count. If another
// suffix, known or not, pairs 95 % of the images too, both rules are proposals, except for forms of
// one label (Cityscapes' ids and colors). Rules that pair less are proposals, for the error that
// stops. Pure functions; thread-safe; cannot fail.
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
  bool several = false;     // kinds of label fit the images; they are the proposals
  std::uint64_t pairs = 0;  // by `rule`
  std::string text;  // "images end with '_img', labels with '_gt': 5 of 5 images have a label";
                     // without a final dot
  std::vector<SuffixProposal> proposals;  // if nothing fits or what was given pairs nothing: rules
                                          // that pair more, the best first
};

// One rule for all of `sets`, which are labeled and whose keys still have their suffixes.
[[nodiscard]] SuffixChoice choose_suffixes(std::span<const FileSet> sets,
                                           const GivenSuffixes& given);

// Strips the suffixes from the keys of a set. Files without a suffix that was given are dropped.
// Without one that was found, they are orphans that go to `problems`; only labels of other kinds
// ("x_color" next to "x_labelIds") are dropped, and images of a set without labels stay.
void apply_suffixes(FileSet& set, const SuffixRule& rule, const GivenSuffixes& given,
                    ProblemLog& problems);

// Whether files of these names in one folder may be images and labels: some end with a suffix of
// labels, or there are JPEG and PNG files.
[[nodiscard]] bool may_hold_labels(const FileList& files);

}  // namespace hotpack::pipeline
