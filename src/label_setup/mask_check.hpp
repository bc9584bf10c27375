// Finds files that are hardly masks among the several masks of an image: JPEGs and photographs,
// such as previews, whose names look like those of masks.
//
// Uses the threads of the caller's arena. Failure: `data`, with the path of such a file.
#pragma once

#include <span>

#include "hotpack/result.hpp"
#include "label_setup/header_probe.hpp"
#include "samples/sample_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Fails for a mask that is a JPEG. If `pixels_too` is true, reads a few masks of each class, and
// fails for a photograph, or for a gray mask of more than 100 levels whose pixels are not nearly
// all black or white. Accepts all if --threshold or --label-kind binary says that the files are
// masks per class, or if --threshold says that they are masks to merge.
[[nodiscard]] Status check_mask_files(const PackOptions& options,
                                      std::span<SampleList* const> splits, const LabelForms& forms,
                                      Observer& observer, bool pixels_too);

}  // namespace hotpack::pipeline
