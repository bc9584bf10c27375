#include "pack/jpeg_scale.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "files/file_kind.hpp"

namespace hotpack::pipeline {

namespace {

// How much larger than its target an image must be to be decoded at a fraction of its size. The
// factors, in halves, are for `area` (and `auto`), and for the sharper triangle, cubic and lanczos;
// they apply to width and height. Measured on 14 camera photos: about the least factor at which the
// result has a PSNR of at least 50 dB against that of a full decode. The filter must still shrink
// the fraction several times.
struct Fraction {
  int denominator;
  std::int64_t area_halves, sharp_halves;
};
constexpr std::array<Fraction, 3> kFractions{{{8, 144, 112}, {4, 56, 40}, {2, 18, 11}}};

// Returns true if the pixels that a JPEG decoder returns at this fraction cover the image exactly.
// Otherwise they would also cover a margin, and the result would be shifted.
bool divides(int denominator, Extent size) {
  return size.width % denominator == 0 && size.height % denominator == 0;
}

bool may_antialias(ImageFilter filter) {
  return filter != ImageFilter::linear && filter != ImageFilter::nearest;
}

}  // namespace

bool may_scale_jpegs(const RecordOptions& options, const SampleList& list) {
  const Fit fit = options.resolved_fit();
  const bool resizes = fit != Fit::none && fit != Fit::crop_or_pad;
  if (!resizes || !may_antialias(options.image_filter)) return false;
  return std::any_of(list.samples.begin(), list.samples.end(), [&](const Sample& sample) {
    return describe_name(list.images.text(sample.image)).is_jpeg;
  });
}

int jpeg_denominator(ImageFilter filter, Extent source, Extent target) {
  if (!may_antialias(filter)) return 1;
  const bool is_sharp = filter != ImageFilter::area && filter != ImageFilter::automatic;
  for (const Fraction& fraction : kFractions) {
    const std::int64_t halves = is_sharp ? fraction.sharp_halves : fraction.area_halves;
    if (divides(fraction.denominator, source) &&
        2 * std::int64_t{source.width} >= halves * target.width &&
        2 * std::int64_t{source.height} >= halves * target.height)
      return fraction.denominator;
  }
  return 1;
}

}  // namespace hotpack::pipeline
