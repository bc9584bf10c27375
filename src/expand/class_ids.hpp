// Converts a label of any storage to one class id per pixel.
//
// Pure functions; thread-safe. Failure: as expand_label().
#pragma once

#include <cstdint>
#include <span>

#include "hotpack/result.hpp"
#include "hotpack/shard.hpp"

namespace hotpack {

// The value that expand_ids() writes for pixels without a class.
inline constexpr std::uint16_t kIgnoredId = 65535;

// Writes the class ids of label.shape.vectors() pixels to `out`. If a pixel has several classes
// (`multi`), writes the lowest id.
[[nodiscard]] Status expand_ids(const LabelView& label, std::span<std::uint16_t> out);

}  // namespace hotpack
