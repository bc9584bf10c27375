// Makes the cells of a page. Each has a PNG of the sample's image, a PNG of its label, and the
// counts of its classes.
//
// Not thread-safe. Failure: the errors of LabelClasses, of geometry::Resampler and of the PNG
// writer; `usage` for more samples than a page can hold.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/fit.hpp"
#include "geometry/resample.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "preview/label_classes.hpp"
#include "preview/sheet.hpp"

namespace hotpack::preview {

struct PageCell {
  std::string key;
  std::string remark;
  std::string problem;           // shown in place of images; empty: none
  Extent size;                   // of the record
  Extent shown;                  // of the images
  std::vector<std::byte> image;  // a PNG; empty with a problem
  std::vector<std::byte>
      label;           // a PNG with transparency, over the image; empty without a label of pixels
  ClassCounts counts;  // empty without a label
};

// The most pixels that all images of a page have together; the same limit applies to all labels.
// The more samples a page has, the smaller are its images. But their longest side is never made
// smaller than kLeastPageSide, and never larger than kMostPageSide or than that of the record.
inline constexpr std::size_t kMostPagePixels = std::size_t{1} << 23;
inline constexpr int kLeastPageSide = 64;
inline constexpr int kMostPageSide = 1024;
inline constexpr std::size_t kMostPageCells =
    kMostPagePixels / (std::size_t{kLeastPageSide} * kLeastPageSide);

// Returns the longest side of each image on a page of `samples` samples.
[[nodiscard]] Result<int> page_side(std::size_t samples);

class PageCells {
 public:
  // `colors` are by class id and must outlive the object.
  PageCells(int side, const std::vector<RgbColor>& colors) : side_(side), colors_(colors) {}

  [[nodiscard]] Status add(const SheetSample& sample);
  [[nodiscard]] const std::vector<PageCell>& all() const { return cells_; }

 private:
  [[nodiscard]] Status draw_image(const ImageView& image, PageCell& cell);
  [[nodiscard]] Status draw_label(const LabelView& label, PageCell& cell);

  int side_;
  const std::vector<RgbColor>& colors_;
  std::vector<PageCell> cells_;
  LabelClasses label_;
  std::vector<std::uint8_t> pixels_;
  geometry::Resampler resampler_;
};

}  // namespace hotpack::preview
