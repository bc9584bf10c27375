// One record stored as one Zstandard frame.
//
// Pure functions over the caller's memory; thread-safe (each thread keeps a decompression context of its own). Errors have code
// `damaged` and no path.
// A frame may lie in memory that turns out to be unreadable, under a fault guard: then only the functions that give a FrameFault are for
// it, with prepare_decompression() before and renew_decompression() after such a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hotpack/result.hpp"

namespace hotpack::reader {

// What is wrong with a frame, as plain values.
struct FrameFault {
  enum class Kind { none, not_a_frame, no_content_size, other_content_size, dictionary, not_one_frame, too_short, undecodable, cut_short };
  Kind kind = Kind::none;
  std::uint64_t found = 0;
  std::uint64_t wanted = 0;
  const char* reason = nullptr;  // the library's, of `undecodable`

  explicit operator bool() const { return kind != Kind::none; }
  [[nodiscard]] std::string text() const;  // "is not a Zstandard frame"
};

// The content size that a frame names.
[[nodiscard]] Result<std::uint64_t> frame_content_bytes(std::span<const std::byte> frame);

// Refuses anything but exactly one frame, without a dictionary, that names its content size and names `content_bytes`; and a size that so
// short a frame cannot hold, so that nobody allocates what a hostile header asks for.
[[nodiscard]] Status check_frame(std::span<const std::byte> frame, std::uint64_t content_bytes);
// The same without allocating.
[[nodiscard]] FrameFault find_frame_fault(std::span<const std::byte> frame, std::uint64_t content_bytes) noexcept;

// What the first bytes of a frame of `frame_bytes` tell, at most kFrameHead: a content size other than `content_bytes`, or one that it
// cannot hold.
inline constexpr std::size_t kFrameHead = 18;
[[nodiscard]] FrameFault find_size_fault(std::span<const std::byte> head, std::uint64_t frame_bytes, std::uint64_t content_bytes) noexcept;

// Decompresses a frame that check_frame accepts for into.size().
[[nodiscard]] Status decompress_frame(std::span<const std::byte> frame, std::span<std::byte> into);
// Decompresses a frame that was found without fault for into.size(); allocates nothing. Precondition: prepare_decompression() succeeded on
// this thread.
[[nodiscard]] FrameFault unpack_frame(std::span<const std::byte> frame, std::span<std::byte> into) noexcept;

// Makes this thread's context, once. Fails with code `io` where there is no memory for it.
[[nodiscard]] Status prepare_decompression();
// Throws this thread's context away: it was left in the middle of a frame.
void renew_decompression();

}  // namespace hotpack::reader
