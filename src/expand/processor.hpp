// The vector instructions of the kernels, chosen once at run time, and stores that bypass the
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
// For tests and benchmarks only; not while kernels run. Lowers a level above best_level() to it.
void set_level(Level level);
[[nodiscard]] std::string_view level_name(Level level);  // "portable", "avx2", "avx512"

// Says if written rows should stay in the cache. `streaming` stores bypass it; the caller calls
// store_fence() before it publishes the rows.
enum class Stores { cached, streaming };

// Bytes per cache line: the unit of streaming stores, and the alignment they need.
inline constexpr std::size_t kLineBytes = 64;
// Bytes from `address` to the next cache line.
[[nodiscard]] std::size_t bytes_to_line(const void* address);

// Makes streaming stores of this thread visible before its later stores.
void store_fence();

// memcpy with stores that bypass the cache, for records from 64 KiB on. Regions must not overlap.
// Uses memcpy if the instructions are missing. Ends without a fence.
void stream_copy(void* out, const void* in, std::size_t bytes);

}  // namespace hotpack::expand
