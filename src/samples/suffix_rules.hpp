// Finds by counting how the names of images and labels differ: by one suffix for images and one for
// labels, at the end of the name without extension. Either may be empty.
//
// A rule fits if it pairs at least 95 % of the images and 95 % of the labels; if lists name the
// images, only the labels count. A suffix that an option or the preset gives is used as it is, and
// files without it do not count. Otherwise, equal names come first, then the endings that images
// have in common, with the endings that labels add to their names. In one folder, JPEG files are
// the images and PNG files the labels, or the labels are the files with one last word ("_L").
//
// Pure functions; thread-safe; cannot fail.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_set.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// A text by which the names of images and labels differ: "_annot" in "P001_annot" next to "P001".
// It contains no '/' and never splits a number: "11" is not "1" with a suffix.
struct Affix {
  bool in_front = false;
  std::string text;
  auto operator<=>(const Affix&) const = default;
};

using SortedNames = std::vector<std::string_view>;

// Returns a few affixes that turn names of `shorter` into names of `longer`, the most frequent
// first. If there are very many names, examines only some of them.
[[nodiscard]] std::vector<Affix> likely_affixes(const SortedNames& shorter,
                                                const SortedNames& longer);

// Returns how many names of `shorter` become names of `longer` when the affix is added.
[[nodiscard]] std::uint64_t count_affixed(const SortedNames& shorter, const SortedNames& longer,
                                          const Affix& affix);

struct SuffixRule {
  std::string image, label;
  bool by_format = false;  // in one folder: JPEG files are the images, PNG files the labels
};

struct GivenSuffixes {
  std::string image, label;  // of options or, without them, of --preset; empty: not given
  bool by_preset = false;    // equal names are tried next
  bool listed = false;       // a list selects images
  KeyFolding fold = {};      // names that it makes equal are counted as pairs
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
  std::string text;         // the rule and its pairs, without a final dot
  std::vector<SuffixProposal> proposals;   // rules that pair more, the best first; if nothing fits,
                                           // or if the given suffixes pair nothing
  std::vector<std::string> warnings = {};  // of files that fit several images
};

// One rule for all labeled sets, whose keys still have their suffixes.
[[nodiscard]] SuffixChoice choose_suffixes(std::span<const FileSet> sets,
                                           const GivenSuffixes& given);

// Removes the suffixes of `rule` from the keys of a set. Files without a suffix that was given are
// dropped; without one that was found, they are orphans in `problems`, except other forms of the
// labels ("_color" next to "_labelIds"), and images of a set without labels, which are kept.
void apply_suffixes(FileSet& set, const SuffixRule& rule, const GivenSuffixes& given,
                    ProblemLog& problems);

// Returns the end of a name that a label may have after the name of its image: "_mask" of "1_mask",
// "_mask_2" of "1_mask_2"; "" if there is none.
[[nodiscard]] std::string_view label_ending(std::string_view name);

// Returns true if these files of one folder may be images and labels: some names end with a word
// for labels, or there are both JPEG and PNG files.
[[nodiscard]] bool may_hold_labels(const FileList& files);

}  // namespace hotpack::pipeline
