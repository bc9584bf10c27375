// Computes the layout of a sheet before a pixel is drawn: a title, a grid of cells, and the legend
// below.
//
// Pure functions; thread-safe. Failure: code `usage` for a sheet that would be too large; the
// message names the options that make it smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fit.hpp"
#include "hotpack/result.hpp"

namespace hotpack::preview {

// The most pixels of a sheet without its legend: 200 MB of memory.
inline constexpr std::uint64_t kMostSheetPixels = std::uint64_t{1} << 26;
inline constexpr int kLeastCellWidth = 48;
inline constexpr int kMostCellWidth = 8192;
inline constexpr int kLeastKeyText = 13;

struct SheetRequest {
  std::vector<Extent> images;     // sizes of the samples' images; 0x0: the sample has no image
  bool overlays = false;          // two images per cell: one without the label and one with it
  bool second_line = false;       // two lines of text below an image
  std::size_t classes = 0;        // classes in the legend; with more of them, the sheet is wider
  std::optional<Extent> grid;     // columns, rows; absent: chosen from the number of images
  std::optional<int> cell_width;  // in pixels; absent: chosen for a sheet about kUsualWidth wide
};

struct SheetLayout {
  int text = 0;  // size of the legend's text; grows with the sheet, so that it can be read even if
                 // the sheet is shown small
  int key_text = 0;  // size of the text below images: the same, or smaller in narrow cells
  Extent sheet;      // without the legend
  int columns = 1;
  Extent cell;  // includes images and text
  Extent box;   // of one image
  bool overlays = false;
  bool second_line = false;

  [[nodiscard]] int title_text() const { return 3 * text / 2; }
  [[nodiscard]] int margin() const { return 2 * text / 3; }
  [[nodiscard]] int pair_gap() const { return text / 6; }
  [[nodiscard]] int stripe() const {
    return text / 4;
  }  // width of the stripes of ignored pixels, and of pixels with several classes
  [[nodiscard]] int title_height() const;
  // Returns the region of a cell.
  [[nodiscard]] Region cell_at(std::size_t index) const;
  // Returns the box of a cell's image (place 0), or of the overlay next to it (place 1).
  [[nodiscard]] Region box_at(std::size_t index, int place) const;
  // Returns the y coordinate of the top of a cell's text.
  [[nodiscard]] int text_top(std::size_t index) const;
};

// Precondition: the request has at least one image.
[[nodiscard]] Result<SheetLayout> lay_out(const SheetRequest& request);

}  // namespace hotpack::preview
