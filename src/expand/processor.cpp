#include "expand/processor.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

// Highway compiles the rest of this file once per vector instruction set.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expand/processor.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expand/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hotpack::expand::HWY_NAMESPACE {

std::string_view name_of_instructions() {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  return "portable";
#elif HWY_ARCH_X86
  return HWY_TARGET <= HWY_AVX3    ? "avx512"
         : HWY_TARGET == HWY_AVX2  ? "avx2"
         : HWY_TARGET == HWY_SSE4  ? "sse4"
         : HWY_TARGET == HWY_SSSE3 ? "ssse3"
                                   : "other";
#elif HWY_ARCH_ARM
  return HWY_TARGET >= HWY_NEON ? "neon" : "sve";
#else
  return "other";
#endif
}

#if HWY_TARGET != HWY_SCALAR && HWY_ARCH_X86

// stream_lines() copies from several pages of memory in turn. When the prefetcher stops at the end
// of one page, memory would otherwise be idle.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPages = 4;
constexpr std::size_t kGroupBytes = kPages * kPageBytes;

HWY_INLINE void stream_line(std::uint8_t* out, const std::uint8_t* in) {
  for (std::size_t i = 0; i < kLineBytes; i += kVector)
    hw::Stream(hw::LoadU(Bytes(), in + i), Bytes(), out + i);
}

// Copies whole cache lines; returns the number of bytes copied. `out` is aligned to a cache line.
std::size_t stream_lines(std::uint8_t* out, const std::uint8_t* in, std::size_t bytes) {
  std::size_t done = 0;
  for (; bytes - done >= kGroupBytes; done += kGroupBytes) {
    for (std::size_t line = done; line < done + kPageBytes; line += kLineBytes) {
      for (std::size_t at = line; at < line + kGroupBytes; at += kPageBytes)
        stream_line(out + at, in + at);
    }
  }
  for (; bytes - done >= kLineBytes; done += kLineBytes) stream_line(out + done, in + done);
  return done;
}

#else

std::size_t stream_lines(std::uint8_t* /*out*/, const std::uint8_t* /*in*/, std::size_t) {
  return 0;
}

#endif

}  // namespace hotpack::expand::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hotpack::expand {

HWY_EXPORT(name_of_instructions);
HWY_EXPORT(stream_lines);

std::string_view vector_instructions() { return HWY_DYNAMIC_DISPATCH(name_of_instructions)(); }

std::size_t bytes_to_line(const void* address) {
  return (kLineBytes - reinterpret_cast<std::uintptr_t>(address) % kLineBytes) % kLineBytes;
}

void store_fence() {
  hwy::FlushStream();  // does nothing where it is not needed
  std::atomic_thread_fence(std::memory_order_release);
}

void stream_copy(void* out, const void* in, std::size_t bytes) {
  auto* const to = static_cast<std::uint8_t*>(out);
  const auto* const from = static_cast<const std::uint8_t*>(in);
  std::size_t done = std::min(bytes_to_line(to), bytes);
  if (done > 0) std::memcpy(to, from, done);
  done += HWY_DYNAMIC_DISPATCH(stream_lines)(to + done, from + done, bytes - done);
  if (done < bytes) std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace hotpack::expand
#endif
