// Decides which JPEG images are decoded at a fraction of their size (--jpeg-scale).
//
// A JPEG decoder computes 1/2, 1/4 or 1/8 of an image's size directly, and several times as fast.
// The antialiased filter does the rest of the shrinking. It must shrink several times, because the
// decoder weights pixels in another way; docs/packing.md says by how much the results differ.
//
// Pure functions; thread-safe.
#pragma once

#include "base/fit.hpp"
#include "base/words.hpp"
#include "inputs/sample_list.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// True if --jpeg-scale makes a difference: images are resized, the filter may be an antialiased
// one, and the name of at least one image ends like a JPEG's. The schema then records the option,
// so packs without JPEGs do not depend on it. Only files with such names are scaled.
[[nodiscard]] bool may_scale_jpegs(const RecordOptions& options, const SampleList& list);

// The largest of 8, 4 and 2 that divides both sides of `source` and with which the image, resized
// to `target`, has a PSNR of at least 50 dB against a full decode. 1 if there is none, or if the
// filter does not antialias.
[[nodiscard]] int jpeg_denominator(ImageFilter filter, Extent source, Extent target);

}  // namespace hotpack::pipeline
