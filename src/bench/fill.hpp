// The fastest way to write memory once: stores that bypass the cache. Its rate is a limit for all
// code that writes as many bytes.
//
// Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::bench {

// Fills `bytes` bytes at `out` with the widest non-temporal stores of this processor, followed by a
// store fence. On a processor without such stores, uses memset. Precondition: `out` is aligned to
// 64 bytes.
void stream_fill(std::byte* out, std::size_t bytes, std::uint8_t value);

}  // namespace hotpack::bench
