// Labels that are given by names: whole-image classes by folder or table, and masks of one class
// each.
//
// Reads only the files of --classes and --map. Sets class ids in the lists, and reports a name
// without a class as a Problem. Failure: as for resolve_labels().
#pragma once

#include <span>
#include <string_view>

#include "hotpack/result.hpp"
#include "label_setup/label_setup.hpp"

namespace hotpack::pipeline {

// Sets the class_id of every sample with a class_name.
[[nodiscard]] Result<LabelSetup> set_up_image_classes(const PackOptions& options,
                                                      std::span<SampleList* const> splits,
                                                      ProblemLog& problems);

// Sets the class_id of every mask, and sorts the masks of each sample by it.
[[nodiscard]] Result<LabelSetup> set_up_masks(const PackOptions& options,
                                              std::span<SampleList* const> splits,
                                              ProblemLog& problems);

// True if a warning of the class table is about classes without images.
[[nodiscard]] bool tells_of_missing_images(std::string_view warning);

}  // namespace hotpack::pipeline
