// Questions about an unclear layout: what was found, and a complete command for each reading.
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

// Several readings are equally good.
[[nodiscard]] Error ambiguous(const std::string& root, const std::vector<Layout>& readings);

// Asks if the files of folders with unknown names look like images and labels; otherwise the
// folders are classes.
[[nodiscard]] Status check_classes(const Layout& layout, const GivenSuffixes& given);
// Asks if classes were found in one folder of `given` and other folders there have images: the
// folders of `given` may be the classes.
[[nodiscard]] Status check_level_of_classes(const Layout& layout, const std::string& given);
// Asks if a root without a known layout has two folders whose files have the same names.
[[nodiscard]] Status check_sibling_folders(const std::string& root);

// Commands for a folder without a known layout. Appends to `seen` why a table cannot be used.
[[nodiscard]] Result<std::vector<Suggestion>> suggested_readings(const std::string& root,
                                                                 const FolderContent& content,
                                                                 std::string& seen);

}  // namespace hotpack::pipeline
