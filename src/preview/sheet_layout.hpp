// The layout of a sheet, made before a pixel is drawn: a title, a grid of cells, the legend below.
//
// Pure functions; thread-safe. Failure: code `usage` for a sheet that would be too large, with what
// makes it smaller.
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
  std::vector<Extent> images;     // sizes of the samples' images; 0x0 where there is none
  bool overlays = false;          // two images per cell: as it is, and with its label
  bool second_line = false;       // two lines of text below an image
  std::size_t classes = 0;        // that the legend will list: the more, the wider is the sheet
  std::optional<Extent> grid;     // columns, rows; absent: chosen from the number of images
  std::optional<int> cell_width;  // pixels; absent: for a sheet about kUsualWidth wide
};

struct SheetLayout {
  int text = 0;  // size of the legend's text; grows with the sheet, so that it can be read where
                 // the sheet is shown small
  int key_text = 0;  // of the text below images: as large, or less in narrow cells
  Extent sheet;      // without the legend
  int columns = 1;
  Extent cell;  // images and text
  Extent box;   // of one image
  bool overlays = false;
  bool second_line = false;

  [[nodiscard]] int title_text() const { return 3 * text / 2; }
  [[nodiscard]] int margin() const { return 2 * text / 3; }
  [[nodiscard]] int pair_gap() const { return text / 6; }
  [[nodiscard]] int stripe() const {
    return text / 4;
  }  // of several classes in one pixel, and of ignored pixels
  [[nodiscard]] int title_height() const;
  // The upper left corner of a cell, and its size.
  [[nodiscard]] Region cell_at(std::size_t index) const;
  // The box of a cell's image (0), or of the overlay next to it (1).
  [[nodiscard]] Region box_at(std::size_t index, int place) const;
  // The top of a cell's text.
  [[nodiscard]] int text_top(std::size_t index) const;
};

// At least one image.
[[nodiscard]] Result<SheetLayout> lay_out(const SheetRequest& request);

}  // namespace hotpack::preview
