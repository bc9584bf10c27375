#include "preview/sheet.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "expand/class_ids.hpp"
#include "preview/font.hpp"
#include "preview/ink.hpp"
#include "preview/overlay.hpp"
#include "preview/thumbnail.hpp"

namespace hotpack::preview {

namespace {

constexpr int kStripe = 4;  // pixels of a stripe at scale 1
constexpr int kTextGap = 4;

bool has_pixels(const SheetSample& sample) { return sample.label && sample.label->shape.scope == LabelScope::pixel; }

// The classes of a whole image.
std::string class_names(const std::vector<ClassInfo>& classes, const ClassCounts& counts) {
  std::string names;
  for (std::size_t c = 0; c < counts.pixels.size(); ++c) {
    if (counts.pixels[c] > 0) names += (names.empty() ? "" : ", ") + classes[c].name;
  }
  return names.empty() ? "no class" : names;
}

}  // namespace

Sheet::Sheet(const SheetLayout& layout, const std::string& title, const std::vector<ClassInfo>& classes,
             const std::vector<RgbColor>& colors)
    : layout_(layout), classes_(classes), colors_(colors), canvas_(layout.sheet, kPaper) {
  const int scale = 2 * layout.scale;
  const int room = (layout.sheet.width - 2 * layout.margin()) / scale;
  canvas_.write(shortened(drawn_text(title), room), layout.margin(), layout.margin() / 2, kInk, scale);
}

Result<ClassCounts> Sheet::add(const SheetSample& sample) {
  ClassCounts counts;
  if (sample.label) {
    HOTPACK_TRY(label_.read(*sample.label));
    counts.pixels.resize(sample.label->shape.class_count);
    label_.add_to(counts);
  }
  if (sample.image) {
    draw_image(*sample.image);
    if (has_pixels(sample)) draw_overlay(*sample.label);
  } else {
    draw_problem(sample.problem);
  }
  draw_text(sample, counts);
  ++next_;
  return counts;
}

void Sheet::draw_image(const ImageView& image) {
  const Extent size{static_cast<int>(image.shape.width), static_cast<int>(image.shape.height)};
  const Extent shown = thumbnail_extent(size, {layout_.box.width, layout_.box.height});
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(shown.width);
  thumbnail_pixels_.resize(row_bytes * static_cast<std::size_t>(shown.height));
  thumbnail_ = {thumbnail_pixels_.data(), shown.width, shown.height, 3, row_bytes};
  shrink_image(image, thumbnail_);
  draw_thumbnail(0);
}

void Sheet::draw_overlay(const LabelView& label) {
  paint_classes(label.shape, label_, colors_, kStripe * layout_.scale, thumbnail_);
  draw_thumbnail(1);
}

void Sheet::draw_thumbnail(int place) {
  const Region box = layout_.box_at(next_, place);
  canvas_.fill(box, kEmptyBox);
  canvas_.place(thumbnail_, box.x + (box.width - thumbnail_.width) / 2, box.y + (box.height - thumbnail_.height) / 2);
}

void Sheet::draw_problem(const std::string& problem) {
  const Region cell = layout_.cell_at(next_);
  const Region box{cell.x, cell.y, cell.width, layout_.box.height};
  canvas_.fill(box, kFaultyBox);
  canvas_.frame(box, kFaultyInk, layout_.scale);
  const int border = 6 * layout_.scale, line = kLineHeight * layout_.scale;
  const int most = std::max((box.height - 2 * border) / line, 1);
  int y = box.y + border;
  for (const std::u32string& text :
       broken_into_lines(drawn_text(problem), (box.width - 2 * border) / layout_.scale, static_cast<std::size_t>(most))) {
    canvas_.write(text, box.x + border, y, kFaultyInk, layout_.scale);
    y += line;
  }
}

void Sheet::draw_text(const SheetSample& sample, const ClassCounts& counts) {
  const Region cell = layout_.cell_at(next_);
  canvas_.write(shortened(drawn_text(sample.key), cell.width / layout_.scale), cell.x, layout_.text_top(next_), kInk, layout_.scale);
  if (layout_.second_line) draw_second_line(sample, counts);
}

void Sheet::draw_second_line(const SheetSample& sample, const ClassCounts& counts) {
  const Region cell = layout_.cell_at(next_);
  const int y = layout_.text_top(next_) + kLineHeight * layout_.scale;
  const bool whole = sample.label && !has_pixels(sample);
  std::string text = sample.remark;
  int x = cell.x;
  if (whole) {
    const std::uint16_t id = label_.at(0);
    draw_swatch(id == kIgnoredId ? std::nullopt : std::optional(colors_[id]), x, y + (kLineHeight - kSwatchSide) / 2 * layout_.scale,
                layout_.scale, canvas_);
    x += (kSwatchSide + kTextGap) * layout_.scale;
    text = class_names(classes_, counts) + (text.empty() ? "" : " · " + text);
  }
  canvas_.write(shortened(drawn_text(text), (cell.x + cell.width - x) / layout_.scale), x, y, kFaintInk, layout_.scale);
}

void Sheet::add_legend(const Legend& legend) { draw_legend(legend, layout_.margin(), layout_.scale, canvas_); }

}  // namespace hotpack::preview
