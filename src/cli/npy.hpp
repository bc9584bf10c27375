// Makes files in NumPy's .npy format, version 1.0, from arrays of bytes or 16-bit numbers.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hotpack/expand.hpp"

namespace hotpack::cli {

// Returns the content of a whole file: the header, padded to a multiple of 64 bytes, then `data` in
// C order. An empty shape means a scalar. Precondition: the type is u8 or u16.
[[nodiscard]] std::string npy_file(ElementType type, std::span<const std::uint64_t> shape,
                                   std::span<const std::uint8_t> data);

}  // namespace hotpack::cli
