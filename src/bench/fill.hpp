// The fastest way to write memory once: stores that go past the cache. A limit for whatever writes
// as many bytes.
//
// Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::bench {

// Writes `bytes` bytes at `out`, by the widest non-temporal stores of this processor; memset where
// it has none. With its fence. Precondition: `out` is 64-byte aligned.
void stream_fill(std::byte* out, std::size_t bytes, std::uint8_t value);

}  // namespace hotpack::bench
