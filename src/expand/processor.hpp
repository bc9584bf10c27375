// Which vector instructions the kernels use, chosen once at run time, and stores that go past the cache.
//
// Thread-safe. Kernels of every level give the same bytes; tests compare them all.
#pragma once

#include <cstddef>
#include <string_view>

namespace hotpack::expand {

enum class Level { portable, avx2, avx512 };  // avx2: with FMA and F16C; avx512: F, BW, VL, DQ and VBMI besides

[[nodiscard]] Level best_level();     // what this processor (and operating system) can do
[[nodiscard]] Level current_level();  // best_level(), or what set_level said
// For tests and benchmarks only; not while kernels run. A level above best_level() is cut down to it.
void set_level(Level level);
[[nodiscard]] std::string_view level_name(Level level);  // "portable", "avx2", "avx512"

// Whether written rows are expected back in the cache. `streaming` stores go past it; the caller issues store_fence() before it publishes
// them.
enum class Stores { cached, streaming };

// Bytes in a cache line: what streaming stores write at once, and the alignment they need.
inline constexpr std::size_t kLineBytes = 64;
// Bytes from `address` to the next line.
[[nodiscard]] std::size_t bytes_to_line(const void* address);

// Makes streaming stores of this thread visible before what it stores next.
void store_fence();

// memcpy whose stores go past the cache; for records from 64 KiB on. Regions must not overlap. Falls back to memcpy where there are no such
// instructions. No fence.
void stream_copy(void* out, const void* in, std::size_t bytes);

}  // namespace hotpack::expand
