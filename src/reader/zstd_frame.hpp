// Reads a record that is stored as one Zstandard frame.
//
// Pure functions over the caller's memory; thread-safe (each thread has its own decompression
// context). Errors have code `damaged` and no path. The bytes of a frame in a mapped file may be
// unreadable, so code that reads them runs under the fault guard (base/fault_guard.hpp), which may
// leave a function at any point. Under the guard, use only the functions that return a FrameFault.
// Call prepare_decompression() before entering the guard, and renew_decompression() after the guard
// has left a function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hotpack/result.hpp"

namespace hotpack::reader {

// The fault of a frame, as plain values.
struct FrameFault {
  enum class Kind {
    none,
    not_a_frame,
    no_content_size,
    other_content_size,
    dictionary,
    not_one_frame,
    too_short,
    undecodable,
    cut_short
  };
  Kind kind = Kind::none;
  std::uint64_t found = 0;
  std::uint64_t wanted = 0;
  const char* reason = nullptr;  // the library's reason for `undecodable`

  explicit operator bool() const { return kind != Kind::none; }
  [[nodiscard]] std::string text() const;  // "is not a Zstandard frame"
};

// Returns the content size that a frame declares.
[[nodiscard]] Result<std::uint64_t> frame_content_bytes(std::span<const std::byte> frame);

// Accepts exactly one frame, without a dictionary, that says that its content has `content_bytes`
// bytes. Fails if a frame of this length cannot have so much content; otherwise a hostile file
// could make the reader allocate much memory.
[[nodiscard]] Status check_frame(std::span<const std::byte> frame, std::uint64_t content_bytes);
// The same without allocating.
[[nodiscard]] FrameFault find_frame_fault(std::span<const std::byte> frame,
                                          std::uint64_t content_bytes) noexcept;

// find_size_fault() needs at most this many of a frame's first bytes (`head`). It checks that a
// frame of `frame_bytes` bytes declares `content_bytes` bytes of content and can contain them.
inline constexpr std::size_t kFrameHead = 18;
[[nodiscard]] FrameFault find_size_fault(std::span<const std::byte> head, std::uint64_t frame_bytes,
                                         std::uint64_t content_bytes) noexcept;

// Decompresses a frame that check_frame(frame, into.size()) accepts.
[[nodiscard]] Status decompress_frame(std::span<const std::byte> frame, std::span<std::byte> into);
// Decompresses a frame into `into`; allocates nothing. Preconditions: find_frame_fault(frame,
// into.size()) has found no fault; prepare_decompression() succeeded on this thread.
[[nodiscard]] FrameFault unpack_frame(std::span<const std::byte> frame,
                                      std::span<std::byte> into) noexcept;

// Creates this thread's context, once. Fails with code `io` if there is no memory for it.
[[nodiscard]] Status prepare_decompression();
// Discards this thread's context, which may be in the middle of a frame.
void renew_decompression();

}  // namespace hotpack::reader
