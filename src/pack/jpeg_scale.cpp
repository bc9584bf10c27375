#include "pack/jpeg_scale.hpp"

#include <algorithm>

#include "inputs/file_kind.hpp"

namespace hotpack::pipeline {

namespace {

bool may_antialias(ImageFilter filter) {
  return filter != ImageFilter::linear && filter != ImageFilter::nearest;
}

}  // namespace

bool scales_jpegs(const RecordOptions& options, const SampleList& list) {
  const Fit fit = options.resolved_fit();
  const bool resizes = fit != Fit::none && fit != Fit::crop_or_pad;
  if (options.jpeg_scale == JpegScale::off || !resizes || !may_antialias(options.image_filter))
    return false;
  return std::any_of(list.samples.begin(), list.samples.end(), [&](const Sample& sample) {
    return describe_name(list.images.text(sample.image)).is_jpeg;
  });
}

int jpeg_denominator(ImageFilter filter, Extent source, Extent target) {
  if (!may_antialias(filter)) return 1;
  for (const int denominator : {8, 4, 2})
    if (source.width / denominator >= 2 * target.width &&
        source.height / denominator >= 2 * target.height)
      return denominator;
  return 1;
}

}  // namespace hotpack::pipeline
