// Draws a contact sheet: first the samples, one by one, into the cells of a layout, then the legend
// below.
//
// Ownership: a Sheet owns its canvas; it uses a sample's data only during the call. Not
// thread-safe. Failure: `usage` or `internal` for a label whose bytes do not fit its shape; the
// errors of geometry::Resampler; std::bad_alloc.
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

// What a sheet shows of one sample.
struct SheetSample {
  std::string key;
  std::string remark;  // begins the second line of text, for example with the sample's split
  std::optional<ImageView> image;  // absent: `problem` is shown in its place
  std::optional<LabelView> label;
  std::string problem;
};

class Sheet {
 public:
  // `classes` and `colors` must outlive the sheet; `colors` has a color for each class.
  Sheet(const SheetLayout& layout, const std::string& title, const std::vector<ClassInfo>& classes,
        const std::vector<RgbColor>& colors);

  // Draws the next sample. Returns the counts of its label's classes; empty without a label.
  [[nodiscard]] Result<ClassCounts> add(const SheetSample& sample);
  // To call once, after the last sample.
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
  // Writes a text in one line, in the rectangle `line`. If the text is too wide, uses smaller
  // letters; if it is still too wide with the smallest ones, shortens it.
  void write(const std::string& text, Region line, RgbColor color, int size);

  SheetLayout layout_;
  const std::vector<ClassInfo>& classes_;
  const std::vector<RgbColor>& colors_;
  Canvas canvas_;
  std::size_t next_ = 0;  // index of the next cell
  LabelClasses label_;    // classes of the sample that is being drawn
  std::vector<std::uint8_t> thumbnail_pixels_;
  MutablePixels thumbnail_;
  geometry::Resampler resampler_;
};

}  // namespace hotpack::preview
