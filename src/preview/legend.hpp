// The legend of a sheet: a swatch, number, name and share of every class, in as few lines as fit.
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

// The part of the labels that each class has, from 0 to 1.
struct ClassShares {
  std::string of;                 // the whole: "labeled pixels of the data set"
  std::vector<double> classes;    // by class id
  std::optional<double> ignored;  // of all pixels; absent: not shown
};

// The share of each count in their sum; all 0 where there is nothing. `ignored` is not among the
// counts.
[[nodiscard]] ClassShares shares_of_counts(const std::vector<std::uint64_t>& counts,
                                           std::uint64_t ignored, std::string of);

struct LegendEntry {
  std::optional<std::size_t> class_id;  // absent: ignored
  std::string name;
  RgbColor color{};
  double share = 0;
};

struct Legend {
  std::string heading;
  std::vector<LegendEntry> entries;
  std::size_t left_out = 0;  // classes that are not listed
};

// More classes than this are not listed: those with the largest shares stay.
inline constexpr std::size_t kMostLegendClasses = 360;

[[nodiscard]] Legend make_legend(const std::vector<ClassInfo>& classes,
                                 const std::vector<RgbColor>& colors, const ClassShares& shares);

// "12 more classes with smaller shares"
[[nodiscard]] std::string left_out_text(std::size_t classes);

// "25.91 %", "< 0.01 %", "0 %".
[[nodiscard]] std::string class_share_text(double share);

// Grows the canvas by the legend's height and draws it there, in text of `size` pixels, or less
// where the legend of very many classes would be higher than a third of the canvas. `margin` pixels
// stay free at both sides.
void draw_legend(const Legend& legend, int margin, int size, Canvas& canvas);

// A small square of a class's color in a line of text, with an outline, so that white and black
// ones show; hatched without a color.
void draw_swatch(std::optional<RgbColor> color, int x, int y, int size, Canvas& canvas);
[[nodiscard]] constexpr int swatch_side(int size) { return size * 4 / 5; }

}  // namespace hotpack::preview
