// One class id per pixel, whatever the storage of a label.
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

// Writes label.shape.vectors() ids. Takes the lowest of several classes (`multi`).
[[nodiscard]] Status expand_ids(const LabelView& label, std::span<std::uint16_t> out);

}  // namespace hotpack
