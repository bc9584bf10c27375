// What the values in id labels tell: how many classes there are, and whether they are ids at all.
//
// Failure: `data` where only the user can tell what the values mean; `io`.
#pragma once

#include <string>

#include "hotpack/result.hpp"
#include "label_setup/label_reading.hpp"
#include "labels/class_table.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// One class more than the largest id. `explanation` gains what was found.
[[nodiscard]] Result<labels::ClassTable> count_classes(const LabelOptions& options, LabelScan& scan, std::string& explanation);

// Refuses masks of 0 and 255 (16 bits: 65535), which read as ids would lose their foreground, and sets of such masks and of masks of 0
// and 1. All labels are read only where the few that are examined first hold nothing else.
[[nodiscard]] Status check_not_masks(LabelScan& scan);

// Refuses palette labels that show one index in two colors, where indices are only supposed to be ids. Reads all labels.
[[nodiscard]] Status check_palettes(LabelScan& scan);

}  // namespace hotpack::pipeline
