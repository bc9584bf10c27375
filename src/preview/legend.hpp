// Draws the legend of a sheet: the color, id, name and share of every class, in as few lines as
// possible.
//
// Plain values and pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/schema.hpp"
#include "preview/canvas.hpp"

namespace hotpack::preview {

// The share of each class in the labels, from 0 to 1.
struct ClassShares {
  std::string of;                 // what the shares are of: "labeled pixels of the data set"
  std::vector<double> classes;    // by class id
  std::optional<double> ignored;  // share of ignored pixels in all pixels; absent: not shown
};

// Returns the share of each count in the sum of all counts; 0 if the sum is 0. `ignored` is not
// part of that sum. `of` says of what these are shares.
[[nodiscard]] ClassShares shares_of_counts(const std::vector<std::uint64_t>& counts,
                                           std::uint64_t ignored, std::string of);

struct LegendEntry {
  std::optional<std::size_t> class_id;  // absent: the entry of the ignored pixels
  std::string name;
  RgbColor color{};
  double share = 0;
};

struct Legend {
  std::string heading;
  std::vector<LegendEntry> entries;
  std::size_t left_out = 0;  // classes that are not listed
};

// At most so many classes are listed: those with the largest shares.
inline constexpr std::size_t kMostLegendClasses = 360;

[[nodiscard]] Legend make_legend(const std::vector<ClassInfo>& classes,
                                 const std::vector<RgbColor>& colors, const ClassShares& shares);

// Returns a text such as "12 more classes with smaller shares".
[[nodiscard]] std::string left_out_text(std::size_t classes);

// Returns a text such as "25.91 %", "< 0.01 %", "0 %".
[[nodiscard]] std::string class_share_text(double share);

// Makes the canvas higher by the height of the legend and draws the legend there. `margin` pixels
// stay free on the left and on the right. The height of the text is `size` pixels; it is smaller if
// the legend of very many classes would otherwise be higher than a third of the canvas.
void draw_legend(const Legend& legend, int margin, int size, Canvas& canvas);

// Draws a small square in a line of text, to show the color of a class; hatched if there is no
// color. An outline makes the square visible on any background.
void draw_swatch(std::optional<RgbColor> color, int x, int y, int size, Canvas& canvas);
[[nodiscard]] constexpr int swatch_side(int size) { return size * 4 / 5; }

}  // namespace hotpack::preview
