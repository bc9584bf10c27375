// The nearest of some colors, by Euclidean distance in RGB. Inside this room only.
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

  // `max_distance`: up to which entry() takes the nearest color's id, itself included.
  explicit NearestColors(int max_distance = 0) : limit_(max_distance * max_distance) {}

  // Of colors equally near the one that was added first wins.
  void add(RgbColor color, std::uint16_t id) { colors_.push_back({color[0], color[1], color[2], id}); }
  [[nodiscard]] bool empty() const { return colors_.empty(); }

  // There must be a color.
  [[nodiscard]] Match find(RgbColor color) const;
  // The entry of 0xRRGGBB: an id alone, with kNearest, or unknown_id with kUnknown.
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
