// Counts the values of one label that belong to no class. Only src/labels uses this; not
// thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/pixels.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::labels {

// A value as it is in the file: an id, a color 0xRRGGBB, or a palette index that has no color.
struct FoundValue {
  enum class Kind : std::uint32_t { id, color, palette_index } kind = Kind::id;
  std::uint32_t value = 0;
};

class UnknownCounter {
 public:
  // Counts a pixel. Call it row by row: the first call with a value sets its reported position.
  void add(FoundValue found, int x, int y);

  // Counts a pixel that got the class of the nearest color.
  void add_nearest() { ++nearest_pixels_; }

  // Writes the unknown_* members, `unknown` and `nearest_pixels` of the report.
  void finish(DecodeReport& report) const;

 private:
  struct Seen {
    std::uint64_t count = 0;
    int x = 0, y = 0;
  };
  std::unordered_map<std::uint32_t, Seen> seen_;  // by kind and value
  std::uint64_t pixels_ = 0;
  std::uint64_t nearest_pixels_ = 0;
};

}  // namespace hotpack::labels
