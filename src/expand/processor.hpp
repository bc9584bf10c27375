// Chooses the vector instructions of the kernels, once at run time, and has stores that bypass the
// cache.
//
// Thread-safe. Kernels of all levels produce the same bytes; tests compare them.
#pragma once

#include <cstddef>
#include <string_view>

namespace hotpack::expand {

// avx2: with FMA and F16C; avx512: F, BW, VL, DQ and VBMI
enum class Level { portable, avx2, avx512 };

[[nodiscard]] Level best_level();     // supported by this processor and operating system
[[nodiscard]] Level current_level();  // best_level(), or the level that set_level() chose
// For tests and benchmarks only; do not call it while kernels run. A level above best_level()
// becomes best_level().
void set_level(Level level);
[[nodiscard]] std::string_view level_name(Level level);  // "portable", "avx2", "avx512"

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
