// Class files in the formats of other programs: finds the lines of YAML, Python, JSON, XML and INI,
// and reads the list `names:` of a YAML file. Only src/labels uses this.
//
// Pure functions; thread-safe. Errors have code `data` and name file and line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "labels/class_table.hpp"

namespace hotpack::labels {

// Returns the name of the format that a line looks like; "" for a line that may be a class name. A
// name of this look can be written in quotes, which the caller handles.
[[nodiscard]] std::string_view markup_of(std::string_view line);

// The same for a line that shows that its file is no list of classes: its first field names an
// image, or it is a sentence.
[[nodiscard]] std::string_view image_of(std::string_view line);
[[nodiscard]] std::string_view sentence_of(std::string_view line);

// Reads the classes in `names:` of a YAML file such as data.yaml of YOLO and Roboflow: a list in
// brackets, lines "- name", or lines "0: name" with ids 0…N−1. Returns nothing if no line begins
// with "names:". Fails for other values of this key, and if `nc:` is another number.
[[nodiscard]] std::optional<Result<ClassTable>> parse_yaml_names(std::string_view text,
                                                                 const std::string& path);

}  // namespace hotpack::labels
