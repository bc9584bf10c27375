// A contact sheet: samples drawn one by one into the cells of a layout, then the legend below.
//
// Ownership: a Sheet owns its canvas; what a sample refers to is needed during the call only. Not
// thread-safe. Failure: `usage` or `internal` for a label whose bytes do not fit its shape, that of
// geometry::Resampler; std::bad_alloc where there is no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "geometry/resample.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/shard.hpp"
#include "preview/canvas.hpp"
#include "preview/label_classes.hpp"
#include "preview/legend.hpp"
#include "preview/sheet_layout.hpp"

namespace hotpack::preview {

// One sample as a sheet shows it.
struct SheetSample {
  std::string key;
  std::string remark;  // begins the second line of text, for example with the sample's split
  std::optional<ImageView> image;  // absent: `problem` stands in its place
  std::optional<LabelView> label;
  std::string problem;
};

class Sheet {
 public:
  // `classes` and `colors` outlive the sheet; `colors` has one for each class.
  Sheet(const SheetLayout& layout, const std::string& title, const std::vector<ClassInfo>& classes,
        const std::vector<RgbColor>& colors);

  // Draws the next sample and gives what its label holds (no counts without a label).
  [[nodiscard]] Result<ClassCounts> add(const SheetSample& sample);
  // Once, after the last sample.
  void add_legend(const Legend& legend);

  [[nodiscard]] Extent size() const { return canvas_.size(); }
  [[nodiscard]] ConstPixels image() const { return canvas_.image(); }

 private:
  [[nodiscard]] Status draw_image(const ImageView& image);
  [[nodiscard]] Status draw_overlay(const LabelView& label);
  void draw_thumbnail(int place);
  void draw_problem(const std::string& problem);
  void draw_text(const SheetSample& sample, const ClassCounts& counts);
  void draw_second_line(const SheetSample& sample, const ClassCounts& counts, Region line);
  // One line: where it is wider than `line`, in smaller letters, or shortened where the smallest
  // are too large.
  void write(const std::string& text, Region line, RgbColor color, int size);

  SheetLayout layout_;
  const std::vector<ClassInfo>& classes_;
  const std::vector<RgbColor>& colors_;
  Canvas canvas_;
  std::size_t next_ = 0;  // cell
  LabelClasses label_;    // of the sample that is drawn
  std::vector<std::uint8_t> thumbnail_pixels_;
  MutablePixels thumbnail_;
  geometry::Resampler resampler_;
};

}  // namespace hotpack::preview
