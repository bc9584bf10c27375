// Questions to the user about an unclear layout. Each question is an error that says what was found
// and gives a complete command for each possible layout.
//
// Examines names of folders and files, tables, and the headers of some PNG files. Thread-safe.
// Failure: `io` for files that cannot be read, `data` for a question.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "files/tree_walk.hpp"
#include "samples/layout.hpp"
#include "samples/layout_commands.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

// The question if several readings are equally good.
[[nodiscard]] Error ambiguous(const std::string& root, const std::vector<Layout>& readings);

// Checks a layout of class folders: returns a question if folders with unknown names contain what
// looks like images and labels, and success if they are classes.
[[nodiscard]] Status check_classes(const Layout& layout, const GivenSuffixes& given);
// Returns a question if the layout has classes in one folder of `given`, but other folders of
// `given` have images too: then perhaps the folders of `given` are the classes.
[[nodiscard]] Status check_level_of_classes(const Layout& layout, const std::string& given);
// Returns a question if `root`, which has no known layout, has two folders whose files have the
// same names.
[[nodiscard]] Status check_sibling_folders(const std::string& root);

// Returns proposals of commands for a folder without a known layout. If a table cannot be used,
// appends the reason to `seen`, the description of what was found.
[[nodiscard]] Result<std::vector<Suggestion>> suggested_readings(const std::string& root,
                                                                 const FolderContent& content,
                                                                 std::string& seen);

}  // namespace hotpack::pipeline
