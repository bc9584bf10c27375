// Reads a folder by the rows of the table of known layouts.
//
// Examines names of folders, files and lists; reads no image. Thread-safe. Failure: `io` for
// lists that cannot be read, `data` if the folders of a row contradict each other, or if a row
// needs a decision of the user.
#pragma once

#include <string>
#include <vector>

#include "discovery/folder_survey.hpp"
#include "hotpack/result.hpp"
#include "samples/layout.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

// The equally good readings of a folder of the survey; none if it fits no row.
[[nodiscard]] Result<std::vector<Layout>> layout_readings(const FolderSurvey& survey,
                                                          const std::string& folder,
                                                          const GivenSuffixes& given);

}  // namespace hotpack::pipeline
