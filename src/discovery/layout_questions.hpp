// Questions to the user about an unclear layout. Each question is an error that says what was found
// and gives a complete command for each possible reading.
//
// Examines names of folders and files, tables, and the headers of some images. Thread-safe.
// Failure: `io` for files that cannot be read, `data` for a question.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "discovery/folder_survey.hpp"
#include "samples/layout.hpp"

namespace hotpack::pipeline {

// The question if several readings are equally good.
[[nodiscard]] Error ambiguous(const FolderSurvey& survey, const std::vector<Layout>& readings);

// The refusal of a folder that fits no row of the table of known layouts: lists what the folder
// holds, the two rows that are nearest, and the commands that may pack it.
[[nodiscard]] Error unknown_layout(const FolderSurvey& survey);

// The refusal of a folder in which no image has a label, for the reason `why`.
[[nodiscard]] Error no_pairs(const std::string& root, const std::string& why);

}  // namespace hotpack::pipeline
