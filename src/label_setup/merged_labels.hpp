// Labels that are merged from several masks of an image: the union of their foregrounds, or ids of
// objects.
//
// Reads no file of the data set. Failure: as for resolve_labels().
#pragma once

#include <span>

#include "hotpack/result.hpp"
#include "label_setup/label_setup.hpp"

namespace hotpack::pipeline {

// With --label-kind binary, the classes are background and foreground. With --label-kind instances,
// class i is the i-th mask of an image, and class 0 is background; there are as many classes as an
// image has masks at most, plus one, or --num-classes.
[[nodiscard]] Result<LabelSetup> set_up_merged(const PackOptions& options,
                                               std::span<SampleList* const> splits);

}  // namespace hotpack::pipeline
