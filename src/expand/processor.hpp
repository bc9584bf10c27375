// Which vector instructions the kernels use, and stores that bypass the cache.
//
// Highway chooses the instructions once, at run time. Thread-safe. Kernels give the same bytes with
// all instructions; tests compare them.
#pragma once

#include <cstddef>
#include <string_view>

namespace hotpack::expand {

// Returns the name of the vector instructions in use: "avx512", "avx2", "sse4", "ssse3", "neon",
// "other", or "portable" if none are used.
[[nodiscard]] std::string_view vector_instructions();

// How rows of a batch are written. `cached`: they may stay in the cache. `streaming`: stores bypass
// the cache; before the row is made visible to other threads, the caller must call store_fence().
enum class Stores { cached, streaming };

// The bytes of a cache line. Streaming stores write whole lines, and must be aligned to them.
inline constexpr std::size_t kLineBytes = 64;
// The number of bytes from `address` to the next cache line.
[[nodiscard]] std::size_t bytes_to_line(const void* address);

// Makes streaming stores of this thread visible before its later stores.
void store_fence();

// Copies `bytes` bytes like memcpy, but with stores that bypass the cache (with memcpy if the
// processor has no such stores). Faster for 64 KiB or more. Regions must not overlap. The caller
// must call store_fence() before other threads read the copy.
void stream_copy(void* out, const void* in, std::size_t bytes);

}  // namespace hotpack::expand
