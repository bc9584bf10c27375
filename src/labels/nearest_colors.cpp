#include "labels/nearest_colors.hpp"

#include <limits>

#include "labels/packed_color.hpp"

namespace hotpack::labels {

NearestColors::Match NearestColors::find(RgbColor color) const {
  Match best{0, std::numeric_limits<int>::max()};
  for (const Color& other : colors_) {
    const int red = color[0] - other.red, green = color[1] - other.green,
              blue = color[2] - other.blue;
    const int distance_squared = red * red + green * green + blue * blue;
    if (distance_squared < best.distance_squared) best = {other.id, distance_squared};
  }
  return best;
}

Entry NearestColors::entry(std::uint32_t color, std::uint16_t unknown_id) const {
  const Match match = find(unpacked_color(color));
  if (match.distance_squared > limit_) return kUnknown | unknown_id;
  return match.distance_squared == 0 ? match.id : kNearest | match.id;
}

}  // namespace hotpack::labels
