// One record stored as one Zstandard frame.
//
// Pure functions over the caller's memory; thread-safe (each thread has its own decompression
// context). Errors have code `damaged` and no path.
// A frame may lie in memory that cannot be read, under a fault guard. Such frames need the
// functions that return a FrameFault, with prepare_decompression() before and
// renew_decompression() after such a fault.
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

// The content size that a frame declares.
[[nodiscard]] Result<std::uint64_t> frame_content_bytes(std::span<const std::byte> frame);

// Accepts exactly one frame, without a dictionary, that declares `content_bytes`. Refuses a size
// that such a short frame cannot hold, so that a hostile header cannot make the reader allocate
// memory.
[[nodiscard]] Status check_frame(std::span<const std::byte> frame, std::uint64_t content_bytes);
// The same without allocating.
[[nodiscard]] FrameFault find_frame_fault(std::span<const std::byte> frame,
                                          std::uint64_t content_bytes) noexcept;

// Checks the first bytes, at most kFrameHead, of a frame of `frame_bytes`: it must declare
// `content_bytes` and be able to hold them.
inline constexpr std::size_t kFrameHead = 18;
[[nodiscard]] FrameFault find_size_fault(std::span<const std::byte> head, std::uint64_t frame_bytes,
                                         std::uint64_t content_bytes) noexcept;

// Decompresses a frame that check_frame accepts for into.size().
[[nodiscard]] Status decompress_frame(std::span<const std::byte> frame, std::span<std::byte> into);
// Decompresses a frame that has no fault for into.size(); allocates nothing. Precondition:
// prepare_decompression() succeeded on this thread.
[[nodiscard]] FrameFault unpack_frame(std::span<const std::byte> frame,
                                      std::span<std::byte> into) noexcept;

// Creates this thread's context, once. Fails with code `io` if there is no memory for it.
[[nodiscard]] Status prepare_decompression();
// Discards this thread's context, which was left in the middle of a frame.
void renew_decompression();

}  // namespace hotpack::reader
