#include "check/label_signs.hpp"

#include <algorithm>

namespace hotpack::pipeline {

namespace {

// True if part > whole * numerator / denominator, computed without rounding.
bool more_than(std::uint64_t part, std::uint64_t whole, std::uint64_t numerator,
               std::uint64_t denominator) {
  return part * denominator > whole * numerator;
}

// Returns true if more than two fifths of the pixels are in runs of four or more equal pixels. In
// photos, at most one fifth of the pixels are; in labels, even in JPEGs, at least two thirds.
bool is_flat(const LabelInspection& label) {
  return more_than(label.flat_pixels, label.pixels(), 2, 5);
}

// Returns true if many steps, that is, changes of value between neighboring pixels, are ramps;
// LabelInspection defines both. In correct labels, at most one step in ten is a ramp; in
// interpolated labels, one in six to one in two. A thin object whose id lies between the ids on its
// two sides also makes ramps, but ramps with a single value.
bool has_blended_borders(const LabelInspection& label) {
  constexpr std::uint64_t kFewRamps = 24;
  return is_flat(label) && label.kinds >= 4 && label.ramp_kinds >= 3 && label.ramps >= kFewRamps &&
         more_than(label.ramps, label.steps, 14, 100) &&
         !more_than(label.commonest_ramp, label.ramps, 3, 4);
}

// True if the label has JPEG noise, which fills the 8x8 blocks at borders; other blocks stay even.
bool has_jpeg_noise(const LabelInspection& label) {
  constexpr std::uint32_t kManyKinds = 1024;
  const bool in_blocks = 100 * label.uneven_blocks < 85 * label.uneven_between_blocks;
  return in_blocks ||
         (label.kinds >= kManyKinds && !more_than(label.flat_pixels, label.pixels(), 85, 100));
}

constexpr RawValue kIgnoredId = 255;

}  // namespace

bool looks_like_photo(const LabelInspection& label) {
  constexpr std::uint32_t kManyKinds = 64;
  const bool uneven = label.kinds >= kManyKinds && !is_flat(label);
  const bool depths = label.kinds >= LabelInspection::kMostValues && label.bit_depth == 16 &&
                      has_blended_borders(label);
  return uneven || depths;
}

Borders borders_of(const LabelInspection& label) {
  if (!has_blended_borders(label)) return Borders::sharp;
  if (has_jpeg_noise(label)) return Borders::jpeg;
  return more_than(label.third_pixels, label.pixels(), 1, 100) ? Borders::blended
                                                               : Borders::anti_aliased;
}

std::optional<std::vector<ValueCount>> id_values(const LabelInspection& label) {
  if (label.kinds > LabelInspection::kMostValues) return std::nullopt;
  std::vector<ValueCount> ids = label.values;
  if (!label.holds_colors) return ids;
  for (ValueCount& id : ids) {
    const RawValue gray = id.value & 255;
    if (id.value != gray * 0x10101) return std::nullopt;
    id.value = gray;
  }
  return ids;
}

int rescale_factor(const std::vector<ValueCount>& ids, const std::bitset<65536>& known) {
  constexpr RawValue kFourBits = 17, kTwoBits = 85;
  constexpr int kEnoughOfFour = 4,
                kEnoughOfTwo = 2;  // so many different ids are hardly ever all multiples by chance
  bool two_bits = true, unknown = false;
  int found = 0;
  for (const ValueCount& id : ids) {
    if (id.value % kFourBits != 0 || id.value > kIgnoredId) return 1;
    if (id.value == 0 || id.value == kIgnoredId) continue;
    two_bits = two_bits && id.value % kTwoBits == 0;
    unknown = unknown || !known[id.value];
    ++found;
  }
  if (found == 0 || (!unknown && found < (two_bits ? kEnoughOfTwo : kEnoughOfFour))) return 1;
  return static_cast<int>(two_bits ? kTwoBits : kFourBits);
}

std::string values_text(const std::vector<ValueCount>& values) {
  constexpr std::size_t kFirst = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kFirst, values.size()); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(values[i].value);
  if (values.size() > kFirst)
    text += (values.size() > kFirst + 1 ? " … " : ", ") + std::to_string(values.back().value);
  return text;
}

}  // namespace hotpack::pipeline
