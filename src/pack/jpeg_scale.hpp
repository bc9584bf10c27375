// Decides which JPEG images are decoded at a fraction of their size (--jpeg-scale).
//
// A JPEG decoder can return an image at 1/2, 1/4 or 1/8 of its size directly, which is several
// times as fast. The antialiased filter then does the rest of the shrinking. It must shrink several
// times, because the decoder weights pixels in another way; docs/packing.md says by how much the
// results differ.
//
// Pure functions; thread-safe.
#pragma once

#include "base/fit.hpp"
#include "base/words.hpp"
#include "samples/sample_list.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Returns true if --jpeg-scale may change a record: images are resized, the filter may be an
// antialiased one, and the name of at least one image has a JPEG extension. Only then does the
// schema record the option, so packs without JPEGs do not depend on it. Only files with such an
// extension are decoded at a fraction.
[[nodiscard]] bool may_scale_jpegs(const RecordOptions& options, const SampleList& list);

// Returns 8, 4 or 2 if the image can be decoded at 1/8, 1/4 or 1/2 of its size, the largest that is
// possible: it must divide both sides of `source`, and the image resized to `target` must have a
// PSNR of at least 50 dB against a full decode. Returns 1 if none is possible, or if the filter
// does not antialias.
[[nodiscard]] int jpeg_denominator(ImageFilter filter, Extent source, Extent target);

}  // namespace hotpack::pipeline
