// Labels that are given by name: whole-image classes by folder or table, and masks that each have one class.
//
// No file is read but those of --classes and --map. Sets class ids in the lists; what has no class is a Problem. Failure: as
// resolve_labels().
#pragma once

#include <span>
#include <string_view>

#include "hotpack/result.hpp"
#include "label_setup/label_setup.hpp"

namespace hotpack::pipeline {

// Gives every sample of `class_name` its class_id.
[[nodiscard]] Result<LabelSetup> set_up_image_classes(const PackOptions& options, std::span<SampleList* const> splits,
                                                      ProblemLog& problems);

// Gives every mask its class_id, and puts the masks of each sample in the order of class ids.
[[nodiscard]] Result<LabelSetup> set_up_masks(const PackOptions& options, std::span<SampleList* const> splits, ProblemLog& problems);

// Whether a warning of the class table is about classes that no image has.
[[nodiscard]] bool tells_of_missing_images(std::string_view warning);

}  // namespace hotpack::pipeline
