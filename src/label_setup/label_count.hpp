// Draws conclusions from the values in id labels: the number of classes, and whether they are ids
// at all.
//
// Failure: `data` if only the user can know what the values mean; `io`.
#pragma once

#include <string>

#include "hotpack/result.hpp"
#include "label_setup/label_decision.hpp"
#include "labels/class_table.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Returns as many classes as the largest id plus one. Appends what was found to `explanation`.
[[nodiscard]] Result<labels::ClassTable> count_classes(const LabelOptions& options, LabelScan& scan,
                                                       std::string& explanation);

// Refuses masks of 0 and 255 (16 bits: 65535), which would lose their foreground if read as ids,
// and mixtures of such masks with masks of 0 and 1. Examines a few labels first, and reads all only
// if these hold no other values.
[[nodiscard]] Status check_not_masks(LabelScan& scan);

// Refuses palette labels that show one index in two colors if no option says that indices are ids.
// Reads all labels.
[[nodiscard]] Status check_palettes(LabelScan& scan);

}  // namespace hotpack::pipeline
