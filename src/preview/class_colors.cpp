#include "preview/class_colors.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace hotpack::preview {

namespace {

constexpr int kAlike = 16;  // colors that differ by less in every channel are hard to distinguish
constexpr std::size_t kMapColors = 4096;  // no two of the map's first 4096 colors look alike

bool look_alike(RgbColor a, RgbColor b) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](int x, int y) { return std::abs(x - y) < kAlike; });
}

bool looks_like_one_of(RgbColor color, const std::vector<RgbColor>& others) {
  return std::any_of(others.begin(), others.end(),
                     [color](RgbColor other) { return look_alike(color, other); });
}

// Returns a color for the class that looks unlike all colors in `taken`: its color in the map of
// PASCAL VOC or, if that is taken, the first color of the map from number `next` on that is not.
RgbColor free_color(std::size_t class_id, std::size_t& next, const std::vector<RgbColor>& taken) {
  RgbColor color = voc_color(class_id);
  if (class_id >= kMostCompared) return color;
  while (next < kMapColors && looks_like_one_of(color, taken)) color = voc_color(next++);
  return color;
}

}  // namespace

ClassColors class_colors(std::span<const ClassInfo> classes) {
  ClassColors result{std::vector<RgbColor>(classes.size()), 0};
  std::vector<RgbColor> taken;
  std::vector<std::size_t> without;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::optional<RgbColor>& own = classes[c].color;
    const bool alike = own && c < kMostCompared && looks_like_one_of(*own, taken);
    result.replaced += alike;
    if (own && !alike) {
      result.colors[c] = *own;
      if (c < kMostCompared) taken.push_back(*own);
    } else {
      without.push_back(c);
    }
  }
  std::size_t next = std::min(classes.size(), kMostCompared);
  for (const std::size_t c : without) {
    result.colors[c] = free_color(c, next, taken);
    if (c < kMostCompared) taken.push_back(result.colors[c]);
  }
  return result;
}

}  // namespace hotpack::preview
