// Features that a build with sanitizers lacks, or that are so slow there that tests only sample
// them.
#pragma once

#include <cstddef>

// clang and gcc announce their sanitizers in different ways.
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
// With either, a request for too much memory ends the program, and freed memory is kept.
#if HOTPACK_THREAD_SANITIZER || defined(__SANITIZE_ADDRESS__) || \
    HOTPACK_HAS_FEATURE(address_sanitizer)
#define HOTPACK_SANITIZED 1
#else
#define HOTPACK_SANITIZED 0
#endif

namespace hotpack::test {

inline constexpr bool kSanitized = HOTPACK_SANITIZED != 0;
// Their own allocators hold locks across a fork.
inline constexpr bool kForksAtAnyMoment = !kSanitized;
// The thread sanitizer does not allow these.
inline constexpr bool kThreadsAfterFork = HOTPACK_THREAD_SANITIZER == 0;

// All of them without a sanitizer, every n-th with one: for loops over every bit, which the
// normal build runs completely.
inline constexpr std::size_t every(std::size_t n) { return kSanitized ? n : 1; }

}  // namespace hotpack::test
