// Questions to the user about an unclear layout. Each is an error that says what was found and
// gives a complete command for each reading (layout that fits).
//
// Examines names of folders and files, tables, and the headers of some PNG files. Thread-safe.
// Failure: `io` for files that cannot be read, `data` for a question.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "inputs/layout.hpp"
#include "inputs/layout_commands.hpp"
#include "inputs/suffix_rules.hpp"
#include "inputs/tree_walk.hpp"

namespace hotpack::pipeline {

// The question if several readings are equally good.
[[nodiscard]] Error ambiguous(const std::string& root, const std::vector<Layout>& readings);

// Returns a question if the files of folders with unknown names look like images and labels.
// Otherwise the folders are classes.
[[nodiscard]] Status check_classes(const Layout& layout, const GivenSuffixes& given);
// Returns a question if classes were found in one folder of `given` and other folders there have
// images: the folders of `given` may be the classes.
[[nodiscard]] Status check_level_of_classes(const Layout& layout, const std::string& given);
// Returns a question if a root without a known layout has two folders whose files have the same
// names.
[[nodiscard]] Status check_sibling_folders(const std::string& root);

// Proposes commands for a folder without a known layout. Appends to `seen` why a table cannot be
// used.
[[nodiscard]] Result<std::vector<Suggestion>> suggested_readings(const std::string& root,
                                                                 const FolderContent& content,
                                                                 std::string& seen);

}  // namespace hotpack::pipeline
