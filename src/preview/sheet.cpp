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

bool has_pixels(const SheetSample& sample) {
  return sample.label && sample.label->shape.scope == LabelScope::pixel;
}

// Returns the names of the classes of a whole image, or "no class".
std::string class_names(const std::vector<ClassInfo>& classes, const ClassCounts& counts) {
  std::string names;
  for (std::size_t c = 0; c < counts.pixels.size(); ++c) {
    if (counts.pixels[c] > 0) names += (names.empty() ? "" : ", ") + classes[c].name;
  }
  return names.empty() ? "no class" : names;
}

}  // namespace

Sheet::Sheet(const SheetLayout& layout, const std::string& title,
             const std::vector<ClassInfo>& classes, const std::vector<RgbColor>& colors)
    : layout_(layout), classes_(classes), colors_(colors), canvas_(layout.sheet, kPaper) {
  write(title, {layout.margin(), layout.margin() / 2, layout.sheet.width - 2 * layout.margin(), 0},
        kInk, layout.title_text());
}

void Sheet::write(const std::string& text, Region line, RgbColor color, int size) {
  const std::u32string letters = drawn_text(text);
  Font& font = canvas_.font();
  int fitting = size;
  while (fitting > kLeastKeyText && font.width(letters, fitting) > line.width) --fitting;
  const int top = line.y + baseline(size) - baseline(fitting);
  canvas_.write(font.shortened(letters, fitting, line.width), line.x, top, color, fitting);
}

Result<ClassCounts> Sheet::add(const SheetSample& sample) {
  ClassCounts counts;
  if (sample.label) {
    HOTPACK_TRY(label_.read(*sample.label));
    counts.pixels.resize(sample.label->shape.class_count);
    label_.add_to(counts);
  }
  if (sample.image) {
    HOTPACK_TRY(draw_image(*sample.image));
    if (has_pixels(sample)) HOTPACK_TRY(draw_overlay(*sample.label));
  } else {
    draw_problem(sample.problem);
  }
  draw_text(sample, counts);
  ++next_;
  return counts;
}

Status Sheet::draw_image(const ImageView& image) {
  const Extent size{static_cast<int>(image.shape.width), static_cast<int>(image.shape.height)};
  const Extent shown = thumbnail_extent(size, {layout_.box.width, layout_.box.height});
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(shown.width);
  thumbnail_pixels_.resize(row_bytes * static_cast<std::size_t>(shown.height));
  thumbnail_ = {thumbnail_pixels_.data(), shown.width, shown.height, 3, row_bytes};
  HOTPACK_TRY(shrink_image(image, resampler_, thumbnail_));
  draw_thumbnail(0);
  return {};
}

Status Sheet::draw_overlay(const LabelView& label) {
  HOTPACK_TRY(
      paint_classes(label.shape, label_, colors_, layout_.stripe(), resampler_, thumbnail_));
  draw_thumbnail(1);
  return {};
}

void Sheet::draw_thumbnail(int place) {
  const Region box = layout_.box_at(next_, place);
  canvas_.fill(box, kEmptyBox);
  canvas_.place(thumbnail_, box.x + (box.width - thumbnail_.width) / 2,
                box.y + (box.height - thumbnail_.height) / 2);
}

void Sheet::draw_problem(const std::string& problem) {
  const Region cell = layout_.cell_at(next_);
  const Region box{cell.x, cell.y, cell.width, layout_.box.height};
  canvas_.fill(box, kFaultyBox);
  canvas_.frame(box, kFaultyInk);
  const int size = layout_.key_text, border = size / 2, line = line_height(size);
  const int most = std::max((box.height - 2 * border) / line, 1);
  int y = box.y + border;
  for (const std::u32string& text : canvas_.font().broken_into_lines(
           drawn_text(problem), size, box.width - 2 * border, static_cast<std::size_t>(most))) {
    canvas_.write(text, box.x + border, y, kFaultyInk, size);
    y += line;
  }
}

void Sheet::draw_text(const SheetSample& sample, const ClassCounts& counts) {
  Region line = layout_.cell_at(next_);
  line.y = layout_.text_top(next_);
  write(sample.key, line, kInk, layout_.key_text);
  line.y += line_height(layout_.key_text);
  if (layout_.second_line) draw_second_line(sample, counts, line);
}

void Sheet::draw_second_line(const SheetSample& sample, const ClassCounts& counts, Region line) {
  const bool whole = sample.label && !has_pixels(sample);
  const int size = layout_.key_text;
  std::string text = sample.remark;
  if (whole) {
    const std::uint16_t id = label_.at(0);
    draw_swatch(id == kIgnoredId ? std::nullopt : std::optional(colors_[id]), line.x, line.y, size,
                canvas_);
    const int indent = swatch_side(size) + size / 3;
    line.x += indent;
    line.width -= indent;
    text = class_names(classes_, counts) + (text.empty() ? "" : " · " + text);
  }
  write(text, line, kFaintInk, size);
}

void Sheet::add_legend(const Legend& legend) {
  draw_legend(legend, layout_.margin(), layout_.text, canvas_);
}

}  // namespace hotpack::preview
