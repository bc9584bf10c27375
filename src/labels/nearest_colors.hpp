// Finds the nearest of a few colors, by Euclidean distance in RGB. Only src/labels uses this.
//
// Built once, then read by any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "hotpack/schema.hpp"
#include "labels/entry.hpp"

namespace hotpack::labels {

class NearestColors {
 public:
  struct Match {
    std::uint16_t id = 0;
    int distance_squared = 0;
  };

  // entry() uses the id of the nearest color if its distance is at most `max_distance`.
  explicit NearestColors(int max_distance = 0) : limit_(max_distance * max_distance) {}

  // Of several nearest colors, the one that was added first wins.
  void add(RgbColor color, std::uint16_t id) {
    colors_.push_back({color[0], color[1], color[2], id});
  }
  [[nodiscard]] bool empty() const { return colors_.empty(); }

  // Precondition: there is at least one color.
  [[nodiscard]] Match find(RgbColor color) const;
  // Returns the entry for a color (0xRRGGBB): its id if the color was added; else the id of the
  // nearest added color with the flag kNearest; or, if all are too far, unknown_id with the flag
  // kUnknown.
  [[nodiscard]] Entry entry(std::uint32_t color, std::uint16_t unknown_id) const;

 private:
  struct Color {
    int red, green, blue;
    std::uint16_t id;
  };
  std::vector<Color> colors_;
  int limit_;
};

}  // namespace hotpack::labels
