#include "check/image_diagnostics.hpp"

#include "base/text.hpp"

namespace hotpack::pipeline {

namespace {

constexpr double kLeastFilled = 0.05;

void report(const char* kind, const Occurrences& found, std::uint64_t images,
            const std::string& one, const std::string& many, const char* advice,
            Diagnostics& diagnostics) {
  if (found.count == 0) return;
  const bool most = found.count * 2 > images;
  diagnostics.add(make_diagnostic(
      kind, most ? Severity::note : Severity::warning,
      share_text(found.count, images, "image ", "images ") + (found.count == 1 ? one : many), found,
      images, most ? "" : advice));
}

}  // namespace

void ImageDiagnostics::add(const std::string& path, const ImageDefects& defects) {
  if (defects.transparent) {
    transparent_.add({path, "alpha is 0 everywhere"});
  } else if (defects.one_color) {
    one_color_.add({path, "all pixels are equal"});
  } else if (defects.filled >= kLeastFilled) {
    filled_.add({path, "the lower " + percent_text(defects.filled, 0) + " is one gray"});
  }
}

void ImageDiagnostics::finish(std::uint64_t images, Diagnostics& diagnostics) const {
  report("one-color-image", one_color_, images, "is of one color throughout",
         "are of one color throughout",
         "such an image shows nothing: replace it, or leave the sample out", diagnostics);
  report("transparent-image", transparent_, images, "is transparent throughout",
         "are transparent throughout",
         "its colors are packed, and no viewer shows them: compare them with the original, or give "
         "a color for transparent pixels with --alpha blend=R,G,B",
         diagnostics);
  report("filled-image", filled_, images, "ends in rows of one gray", "end in rows of one gray",
         "decoders fill in so what a truncated JPEG lacks: replace such an image by the whole "
         "original",
         diagnostics);
}

}  // namespace hotpack::pipeline
