// Draws conclusions from the values in labels of kind `index`: the number of classes, and whether
// the values are ids at all.
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

// Fails if the labels are masks of 0 and 255 (65535 in 16 bits), a mixture of these with masks of 0
// and 1, masks that store black and white as several values, or masks with soft edges: if such
// masks were read as ids, their foreground would be ignored. Reads a few labels first, and all
// labels only if the few look like masks.
[[nodiscard]] Status check_not_masks(LabelScan& scan);

// Fails if palette labels give one index two different colors and no option says that indices are
// ids. Reads all labels.
[[nodiscard]] Status check_palettes(LabelScan& scan);

}  // namespace hotpack::pipeline
