// Arithmetic with overflow checks, for sizes that come from files or users. If a result does not
// fit into 64 bits, the functions return an empty optional.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace hotpack {

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return std::nullopt;
  return a * b;
}

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  if (b > std::numeric_limits<std::uint64_t>::max() - a) return std::nullopt;
  return a + b;
}

// True when [offset, offset + size) lies inside [0, limit).
[[nodiscard]] constexpr bool range_fits(std::uint64_t offset, std::uint64_t size,
                                        std::uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

// The number of bytes from `offset` to the next multiple of `step`: 0 … step − 1.
[[nodiscard]] constexpr std::uint64_t padding_to(std::uint64_t offset, std::uint64_t step) {
  return (step - offset % step) % step;
}

}  // namespace hotpack
