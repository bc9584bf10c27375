// What a build with sanitizers cannot do, or does so slowly that a test takes a sample there.
#pragma once

#include <cstddef>

// clang describes its sanitizers in another way than gcc.
#if defined(__has_feature)
#define HOTPACK_HAS_FEATURE(name) __has_feature(name)
#else
#define HOTPACK_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || HOTPACK_HAS_FEATURE(thread_sanitizer)
#define HOTPACK_THREAD_SANITIZER 1
#else
#define HOTPACK_THREAD_SANITIZER 0
#endif
// With either, a request for more memory than there is ends the program, and freed memory is kept.
#if HOTPACK_THREAD_SANITIZER || defined(__SANITIZE_ADDRESS__) || HOTPACK_HAS_FEATURE(address_sanitizer)
#define HOTPACK_SANITIZED 1
#else
#define HOTPACK_SANITIZED 0
#endif

namespace hotpack::test {

inline constexpr bool kSanitized = HOTPACK_SANITIZED != 0;
// Their own allocators hold locks across a fork.
inline constexpr bool kForksAtAnyMoment = !kSanitized;
// Which the thread sanitizer does not allow.
inline constexpr bool kThreadsAfterFork = HOTPACK_THREAD_SANITIZER == 0;

// All of them without a sanitizer, every n-th with one: for loops over every bit, which the build without one runs whole.
inline constexpr std::size_t every(std::size_t n) { return kSanitized ? n : 1; }

}  // namespace hotpack::test
