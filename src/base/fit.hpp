// How a source picture is laid into a record: the rectangle of `source.region`. Integers only, so every platform agrees.
//
// Pure functions; thread-safe. FORMAT.md ("Geometry") states the formulas.
#pragma once

#include <optional>
#include <string_view>

namespace hotpack {

enum class Fit { stretch, crop_or_pad, contain, cover, none };
enum class Anchor { centre, top_left };

// x, y, width, height in the record of the rectangle that the whole source is mapped to; may lie partly outside.
struct Region {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Region&) const = default;
};

struct Extent {
  int width = 0, height = 0;
  bool operator==(const Extent&) const = default;
};

// `target` is the record's size; ignored with Fit::none. Sizes must be at least 1. A product never overflows 64 bits.
[[nodiscard]] Region fit_region(Fit fit, Anchor anchor, Extent source, Extent target);

[[nodiscard]] std::string_view fit_name(Fit fit);  // "stretch", "crop-or-pad", …
[[nodiscard]] std::optional<Fit> fit_from_name(std::string_view name);
[[nodiscard]] std::string_view anchor_name(Anchor anchor);  // "centre", "top-left"
[[nodiscard]] std::optional<Anchor> anchor_from_name(std::string_view name);

}  // namespace hotpack
