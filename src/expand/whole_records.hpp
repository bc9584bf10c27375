// What the public functions that expand one record share: limits of its size, checks of the
// caller's buffer, and the choice of stores.
//
// Pure functions; thread-safe. Failure: code `usage`; the text names the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"
#include "expand/processor.hpp"
#include "hotpack/expand.hpp"

namespace hotpack::expand {

inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 30;  // along one axis

[[nodiscard]] inline bool has_possible_size(std::int64_t width, std::int64_t height) {
  return height >= 1 && width >= 1 && height <= kMostPixels && width <= kMostPixels;
}

// Returns the error for a size beyond the limits. `what` is "an image" or "a label".
[[nodiscard]] inline Error impossible_size(const std::string& what, std::int64_t width,
                                           std::int64_t height) {
  return usage_error(what + " of " + std::to_string(width) + "x" + std::to_string(height) +
                     " pixels cannot be expanded: width and height must be from 1 to " +
                     std::to_string(kMostPixels));
}

[[nodiscard]] inline Status check_record_bytes(const std::string& what, std::uint64_t given,
                                               std::uint64_t needed) {
  if (given >= needed) return {};
  return usage_error("the " + what + " has " + std::to_string(given) +
                     " bytes, but its shape needs " + std::to_string(needed));
}

[[nodiscard]] inline Status check_buffer(const std::string& what, std::span<std::byte> out,
                                         std::uint64_t needed, ElementType type) {
  if (out.size() < needed) {
    return usage_error("the buffer has " + std::to_string(out.size()) +
                       " bytes, but the expanded " + what + " needs " + std::to_string(needed));
  }
  if (reinterpret_cast<std::uintptr_t>(out.data()) % element_bytes(type) == 0) return {};
  return usage_error("the buffer is not aligned to elements of type " +
                     std::string(element_name(type)));
}

// Chooses streaming stores from 1 MiB on, because a core's caches cannot hold so large an output.
[[nodiscard]] inline Stores stores_for(std::uint64_t bytes) {
  return bytes >= std::uint64_t{1} << 20 ? Stores::streaming : Stores::cached;
}

}  // namespace hotpack::expand
