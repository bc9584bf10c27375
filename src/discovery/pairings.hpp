// Finds folders whose files have the names of each other, for proposals: perhaps one holds images
// and the other their labels.
//
// Pure functions of a survey; thread-safe; cannot fail.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "discovery/folder_survey.hpp"
#include "samples/affixes.hpp"
#include "samples/layout.hpp"

namespace hotpack::pipeline {

struct Pairing {
  Layout layout;           // folders of images and labels, one pair per split
  Affix affix;             // by which the longer names differ
  bool on_images = false;  // the names of images are longer
  std::uint64_t pairs = 0, images = 0, labels = 0;
  int evidence = 0;  // signs that the labels are labels; 0: names alone
  std::vector<std::pair<std::string, std::string>> examples;  // up to three pairs of paths

  [[nodiscard]] bool complete() const { return pairs == images && pairs == labels; }
};

// The folders in which a survey looks for samples: the root or, if it holds a single folder, that
// one, and so on. `parts` are the splits in it, or "" if it has none.
struct SurveyStart {
  std::string folder;  // below the root
  std::vector<std::string> parts;
};
[[nodiscard]] SurveyStart start_of(const FolderSurvey& survey);

// Pairings of the folders at the start, those with most evidence first.
[[nodiscard]] std::vector<Pairing> find_pairings(const FolderSurvey& survey);

}  // namespace hotpack::pipeline
