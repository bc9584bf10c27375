#include "expand/processor.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace hotpack::expand {
namespace {

#if defined(__x86_64__)

// stream_groups() copies several pages side by side. With one page alone, memory would idle
// whenever the prefetcher stops at the end of the page.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPages = 4;
constexpr std::size_t kGroupBytes = kPages * kPageBytes;

// True if the processor has F16C. Uses cpuid, because clang 14 does not know this feature by name.
bool supports_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

Level detect_level() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !supports_f16c())
    return Level::portable;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vbmi");
  return wide ? Level::avx512 : Level::avx2;
}

inline void stream_line(std::byte* out, const std::byte* in) {
  for (std::size_t i = 0; i < kLineBytes; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
  }
}

__attribute__((target("avx2"))) inline void stream_line_avx2(std::byte* out, const std::byte* in) {
  for (std::size_t i = 0; i < kLineBytes; i += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i)));
  }
}

// Copies whole groups of pages; returns the number of bytes copied. `out` is aligned to a cache
// line.
std::size_t stream_groups(std::byte* out, const std::byte* in, std::size_t bytes) {
  std::size_t done = 0;
  for (; bytes - done >= kGroupBytes; done += kGroupBytes) {
    for (std::size_t line = done; line < done + kPageBytes; line += kLineBytes) {
      for (std::size_t at = line; at < line + kGroupBytes; at += kPageBytes)
        stream_line(out + at, in + at);
    }
  }
  return done;
}

__attribute__((target("avx2"))) std::size_t stream_groups_avx2(std::byte* out, const std::byte* in,
                                                               std::size_t bytes) {
  std::size_t done = 0;
  for (; bytes - done >= kGroupBytes; done += kGroupBytes) {
    for (std::size_t line = done; line < done + kPageBytes; line += kLineBytes) {
      for (std::size_t at = line; at < line + kGroupBytes; at += kPageBytes)
        stream_line_avx2(out + at, in + at);
    }
  }
  return done;
}

#else

Level detect_level() { return Level::portable; }

#endif

std::atomic<Level>& chosen_level() {
  static std::atomic<Level> level{best_level()};
  return level;
}

}  // namespace

Level best_level() {
  static const Level level = detect_level();
  return level;
}

Level current_level() { return chosen_level().load(std::memory_order_relaxed); }

void set_level(Level level) {
  chosen_level().store(std::min(level, best_level()), std::memory_order_relaxed);
}

std::string_view level_name(Level level) {
  switch (level) {
    case Level::portable:
      return "portable";
    case Level::avx2:
      return "avx2";
    case Level::avx512:
      break;
  }
  return "avx512";
}

std::size_t bytes_to_line(const void* address) {
  return (kLineBytes - reinterpret_cast<std::uintptr_t>(address) % kLineBytes) % kLineBytes;
}

#if defined(__x86_64__)

void store_fence() { _mm_sfence(); }

void stream_copy(void* out, const void* in, std::size_t bytes) {
  auto* to = static_cast<std::byte*>(out);
  const auto* from = static_cast<const std::byte*>(in);
  const std::size_t head = std::min(bytes_to_line(to), bytes);
  if (head > 0) std::memcpy(to, from, head);
  std::size_t done = head;
  done += current_level() == Level::portable
              ? stream_groups(to + done, from + done, bytes - done)
              : stream_groups_avx2(to + done, from + done, bytes - done);
  for (; bytes - done >= kLineBytes; done += kLineBytes) stream_line(to + done, from + done);
  if (done < bytes) std::memcpy(to + done, from + done, bytes - done);
}

#else

void store_fence() { std::atomic_thread_fence(std::memory_order_release); }

void stream_copy(void* out, const void* in, std::size_t bytes) {
  if (bytes > 0) std::memcpy(out, in, bytes);
}

#endif

}  // namespace hotpack::expand
