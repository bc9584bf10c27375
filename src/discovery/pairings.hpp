// Proposes pairs of images and labels in a folder of unknown layout: folders whose files have the
// same names, names that differ in a fixed part (rgb_1.png, seg_1.png), and a folder per sample.
//
// Reads the headers of some images. Thread-safe; cannot fail.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "discovery/folder_survey.hpp"
#include "samples/layout_commands.hpp"

namespace hotpack::pipeline {

struct Pairings {
  // A finished command for each way to pair the files, those with most evidence first. Labels are
  // files that look like labels (gray or with a palette), or whose names say so.
  std::vector<Suggestion> suggestions;
  std::set<std::string> folders;  // below the root, which hold the images and labels of any pair
};
[[nodiscard]] Pairings find_pairings(const FolderSurvey& survey);

}  // namespace hotpack::pipeline
