// Proposes --image-folders for a folder of unknown layout: folders in which each folder is a class.
//
// Reads the headers of some images. Thread-safe; cannot fail.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "discovery/folder_survey.hpp"
#include "samples/layout_commands.hpp"

namespace hotpack::pipeline {

struct ClassFolders {
  std::vector<Suggestion> suggestions;
  bool sure = false;  // all images are photographs
};
// A class holds images directly or in one folder. If none holds images directly, these folders have
// one name. `paired` are folders of images and labels, which hold no classes.
[[nodiscard]] ClassFolders find_class_folders(const FolderSurvey& survey,
                                              const std::set<std::string>& paired);

}  // namespace hotpack::pipeline
