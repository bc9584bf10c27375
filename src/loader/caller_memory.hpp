// Checks of the memory that a caller provides for a batch.
//
// A pure function. Failure: `usage`, naming the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hotpack/expand.hpp"
#include "hotpack/result.hpp"

namespace hotpack::loader {

// Checks a buffer for a field of `needed` bytes. An empty buffer is accepted: its field is skipped.
[[nodiscard]] Status check_buffer(const char* name, std::span<const std::byte> into,
                                  std::uint64_t needed, ElementType type);

}  // namespace hotpack::loader
