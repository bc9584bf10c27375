// The vector instructions that the kernels use, and stores that bypass the cache.
//
// Highway chooses the instructions once, at run time. Thread-safe. Kernels give the same bytes with
// all instructions; tests compare them.
#pragma once

#include <cstddef>
#include <string_view>

namespace hotpack::expand {

// The vector instructions in use: "avx512", "avx2", "sse4", "ssse3", "neon", "portable" for none,
// or "other".
[[nodiscard]] std::string_view vector_instructions();

// `cached` rows may stay in the cache. `streaming` stores bypass it; the caller then calls
// store_fence() before it publishes the rows.
enum class Stores { cached, streaming };

// The bytes of a cache line. Streaming stores write whole lines, and must be aligned to them.
inline constexpr std::size_t kLineBytes = 64;
// The number of bytes from `address` to the next cache line.
[[nodiscard]] std::size_t bytes_to_line(const void* address);

// Makes streaming stores of this thread visible before its later stores.
void store_fence();

// Copies like memcpy, with stores that bypass the cache. For records of 64 KiB or more. Regions
// must not overlap. Calls memcpy if the instructions are missing. Does not call store_fence().
void stream_copy(void* out, const void* in, std::size_t bytes);

}  // namespace hotpack::expand
