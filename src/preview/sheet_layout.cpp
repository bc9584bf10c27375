#include "preview/sheet_layout.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/try.hpp"
#include "preview/font.hpp"
#include "preview/thumbnail.hpp"

namespace hotpack::preview {

namespace {

constexpr int kUsualWidth = 1600;     // width of a sheet if no cell width is requested
constexpr int kMostImageWidth = 640;  // the most width of an image if no cell width is requested
constexpr int kWidthInEm = 56;  // width of a sheet in em: if it is shown 400 pixels wide, its text
                                // is 7 pixels high and can still be read
constexpr int kCellInEm = 13;   // in cells of at least this width, text is as large as the legend's
constexpr int kLeastText = 14, kMostText = 96;

// Returns the largest height of an image in a box of this width. Portraits may be higher than wide.
int most_height(int width) { return width + width / 2; }

// Returns the smallest box that holds every image, each drawn as large as `width` allows.
Extent box_for(const std::vector<Extent>& images, int width) {
  Extent box{0, 0};
  for (const Extent& image : images) {
    if (image.width < 1) continue;
    const Extent shown = thumbnail_extent(image, {width, most_height(width)});
    box = {std::max(box.width, shown.width), std::max(box.height, shown.height)};
  }
  return box.width > 0 ? box : Extent{width, width / 2};  // no image, only messages about problems
}

// Returns the width of a cell if a sheet of the usual width has `columns` columns.
int usual_cell_width(const SheetLayout& layout, int columns) {
  const int most = layout.overlays ? 2 * kMostImageWidth + layout.pair_gap() : kMostImageWidth;
  return std::clamp((kUsualWidth - layout.margin() * (columns + 1)) / columns, kLeastCellWidth,
                    most);
}

void set_cell(SheetLayout& layout, const std::vector<Extent>& images, int width) {
  const int images_a_cell = layout.overlays ? 2 : 1;
  layout.box = box_for(
      images, std::max(1, (width - (images_a_cell - 1) * layout.pair_gap()) / images_a_cell));
  layout.cell.width = std::max(
      kLeastCellWidth, images_a_cell * layout.box.width + (images_a_cell - 1) * layout.pair_gap());
  layout.key_text = std::clamp(layout.cell.width / kCellInEm, kLeastKeyText, layout.text);
  layout.cell.height =
      layout.box.height + (layout.second_line ? 2 : 1) * line_height(layout.key_text);
}

int rows_of(std::size_t samples, int columns) {
  return static_cast<int>((samples + static_cast<std::size_t>(columns) - 1) /
                          static_cast<std::size_t>(columns));
}

// Returns the least width of a sheet on which the title has room and the legend is not too high:
// 520 pixels without classes, up to the usual width with 60 classes.
int least_sheet_width(std::size_t classes) {
  return 520 + 18 * static_cast<int>(std::min<std::size_t>(classes, 60));
}

Extent sheet_size(const SheetLayout& layout, const SheetRequest& request) {
  const std::int64_t rows = rows_of(request.images.size(), layout.columns);
  const std::int64_t width =
      layout.margin() + std::int64_t{layout.columns} * (layout.cell.width + layout.margin());
  const std::int64_t height = layout.title_height() + rows * (layout.cell.height + layout.margin());
  constexpr std::int64_t kMost = 1 << 30;  // larger than any sheet that is drawn
  return {static_cast<int>(
              std::min(std::max<std::int64_t>(width, least_sheet_width(request.classes)), kMost)),
          static_cast<int>(std::min(height, kMost))};
}

// Returns how unsuitable a layout is; 0 is best. A good sheet has the shape 3:2, which is that of a
// screen with room for the legend, and no empty cells.
double oddness(const SheetLayout& layout, std::size_t samples) {
  const double room = static_cast<double>(rows_of(samples, layout.columns)) *
                      (layout.sheet.width - layout.margin());
  const double used = static_cast<double>(samples) * (layout.cell.width + layout.margin()) / room;
  const double shape = std::abs(std::log(2.0 * layout.sheet.width / (3.0 * layout.sheet.height)));
  return shape + 2 * (1 - used);
}

void set_text(SheetLayout& layout, const SheetRequest& request, int text) {
  layout.text = text;
  set_cell(layout, request.images,
           request.cell_width.value_or(usual_cell_width(layout, layout.columns)));
  layout.sheet = sheet_size(layout, request);
}

// Sets the number of columns and everything that follows from it. The size of text depends on the
// sheet's width, the width on the margins, and the margins on the size of text. Therefore the
// layout is computed twice, which is accurate enough.
void set_columns(SheetLayout& layout, const SheetRequest& request, int columns) {
  layout.columns = columns;
  set_text(layout, request, kLeastText);
  set_text(layout, request, std::clamp(layout.sheet.width / kWidthInEm, kLeastText, kMostText));
}

// Returns the number of columns that gives the best sheet; of equally good ones, the smallest.
int best_columns(SheetLayout layout, const SheetRequest& request) {
  constexpr std::size_t kMostTried = 40;
  int best = 1;
  double least = 0;
  for (int columns = 1; columns <= static_cast<int>(std::min(request.images.size(), kMostTried));
       ++columns) {
    set_columns(layout, request, columns);
    const double odd = oddness(layout, request.images.size());
    if (columns > 1 && odd >= least) continue;
    best = columns;
    least = odd;
  }
  return best;
}

Status check_size(Extent sheet) {
  if (std::uint64_t(sheet.width) * std::uint64_t(sheet.height) <= kMostSheetPixels) return {};
  return usage_error(
      "the sheet would have " + std::to_string(sheet.width) + "x" + std::to_string(sheet.height) +
      " pixels; at most " + std::to_string(kMostSheetPixels) +
      " pixels in all are possible. Show fewer samples (--grid) or smaller cells (--width)");
}

}  // namespace

int SheetLayout::title_height() const { return line_height(title_text()) + margin(); }

Region SheetLayout::cell_at(std::size_t index) const {
  const auto column = static_cast<int>(index % static_cast<std::size_t>(columns)),
             row = static_cast<int>(index / static_cast<std::size_t>(columns));
  return {margin() + column * (cell.width + margin()),
          title_height() + row * (cell.height + margin()), cell.width, cell.height};
}

Region SheetLayout::box_at(std::size_t index, int place) const {
  const Region at = cell_at(index);
  return {at.x + place * (box.width + pair_gap()), at.y, box.width, box.height};
}

int SheetLayout::text_top(std::size_t index) const { return cell_at(index).y + box.height; }

Result<SheetLayout> lay_out(const SheetRequest& request) {
  SheetLayout layout;
  layout.overlays = request.overlays;
  layout.second_line = request.second_line;
  const auto samples = static_cast<int>(std::min<std::size_t>(request.images.size(), 1 << 30));
  const int columns =
      request.grid ? std::min(request.grid->width, samples) : best_columns(layout, request);
  set_columns(layout, request, columns);
  HOTPACK_TRY(check_size(layout.sheet));
  return layout;
}

}  // namespace hotpack::preview
