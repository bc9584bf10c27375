// What is asked where a layout is open: what was seen, and a finished command line for each reading.
//
// Looks at names of folders and files, at tables, and at the headers of some PNG files. Thread-safe. Failure: `io` for what cannot be read,
// `data` for a question.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "inputs/layout.hpp"
#include "inputs/layout_commands.hpp"
#include "inputs/suffix_rules.hpp"
#include "inputs/tree_walk.hpp"

namespace hotpack::pipeline {

// Several readings are as good as each other.
[[nodiscard]] Error ambiguous(const std::string& root, const std::vector<Layout>& readings);

// Folders of unknown names are taken for classes only if their files do not look like images and labels.
[[nodiscard]] Status check_classes(const Layout& layout, const GivenSuffixes& given);
// Classes that were found in one folder of `given`, next to others with images: its folders may be the classes.
[[nodiscard]] Status check_level_of_classes(const Layout& layout, const std::string& given);
// Two folders of a root without a known layout whose files have the same names.
[[nodiscard]] Status check_sibling_folders(const std::string& root);

// Where no layout is known: what can be made of the folder nevertheless. What a table cannot be used for goes to the end of `seen`.
[[nodiscard]] Result<std::vector<Suggestion>> suggested_readings(const std::string& root, const FolderContent& content, std::string& seen);

}  // namespace hotpack::pipeline
