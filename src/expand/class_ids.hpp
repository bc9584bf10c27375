// Gives one class id per pixel, for labels of any storage.
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

// Writes label.shape.vectors() ids to `out`. If a pixel has several classes (`multi`), writes the
// lowest.
[[nodiscard]] Status expand_ids(const LabelView& label, std::span<std::uint16_t> out);

}  // namespace hotpack
