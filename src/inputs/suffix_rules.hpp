// How names of images and labels differ: suffixes at the end of the stem, given or found.
//
// A rule fits where it pairs at least 95 % of the images, and of the labels that have its suffix; other kinds of label may stand next to.
// Where lists say which images are meant, only the labels count.
// Equal names come first, then a table of suffixes that data sets use. What is given is never overruled. Where equal names pair next to
// nothing, in folders of their own, the only rule that pairs at least half of the images is taken, be it of the table or the one ending
// that labels add to the names of images; the images without label are orphans then.
// Pure functions; thread-safe. Failure: code `data` where several kinds of label fit, naming the option that settles it.
#pragma once

#include <span>
#include <string>

#include "hotpack/result.hpp"
#include "inputs/file_set.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

struct SuffixRule {
  std::string image, label;
  bool by_format = false;  // in one folder: JPEG files are the images, PNG files of the same name the labels
};

struct SuffixWishes {
  std::string image, label;                // --image-suffix, --label-suffix; empty: not given
  std::string preset_image, preset_label;  // of --preset: tried before all others
  bool listed = false;                     // a list will say which of the images are meant
};

struct SuffixChoice {
  SuffixRule rule;
  bool fits = false;
  std::string text;  // "images end with '_img', labels with '_gt': 5 of 5 images have a label"; without a final dot
  std::string hint;  // where nothing fits: what comes nearest, and the options that ask for it; may be empty
};

// One rule for all of `sets`, which are labelled and whose keys have no suffix taken off yet.
[[nodiscard]] Result<SuffixChoice> choose_suffixes(std::span<const FileSet> sets, const SuffixWishes& wishes);

// Takes the suffixes off the keys of a set. Files without a suffix that was given are dropped. Where it was found, they are orphans that go
// to `problems`, but for labels of other kinds ("x_color" next to "x_labelIds"), which are dropped, and for images of a set without labels,
// which stay.
void apply_suffixes(FileSet& set, const SuffixRule& rule, const SuffixWishes& given, ProblemLog& problems);

// Whether files of these names in one folder may be images and labels: some end with a suffix of labels, or there are JPEG and PNG files.
[[nodiscard]] bool may_hold_labels(const FileList& files);

}  // namespace hotpack::pipeline
