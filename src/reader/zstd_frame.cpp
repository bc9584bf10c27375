#include "reader/zstd_frame.hpp"

#include <zstd.h>

#include <memory>
#include <string>
#include <utility>

#include "base/endian.hpp"
#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::reader {

namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

using Context = std::unique_ptr<ZSTD_DCtx, FreeContext>;

Context& thread_context() {
  thread_local Context context;
  return context;
}

// Returns the largest number of bytes that a frame of `frame_bytes` bytes can decompress to: each
// block has a header of 3 bytes and contains at most 128 KiB.
std::uint64_t max_content_bytes(std::uint64_t frame_bytes) {
  return (frame_bytes / 3 + 1) * (std::uint64_t{128} << 10);
}

// Returns true if the bytes start like a frame of Zstandard 1.0 or later. The library may also
// accept skippable frames and older formats, and allocate memory for them; here they are refused.
bool has_magic(std::span<const std::byte> frame) {
  return frame.size() >= sizeof(std::uint32_t) &&
         load_le<std::uint32_t>(frame.data()) == ZSTD_MAGICNUMBER;
}

FrameFault find_content_bytes(std::span<const std::byte> frame, std::uint64_t& bytes) {
  if (!has_magic(frame)) return {FrameFault::Kind::not_a_frame};
  const unsigned long long stated = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (stated == ZSTD_CONTENTSIZE_ERROR) return {FrameFault::Kind::not_a_frame};
  if (stated == ZSTD_CONTENTSIZE_UNKNOWN) return {FrameFault::Kind::no_content_size};
  bytes = stated;
  return {};
}

Status status_of(const FrameFault& fault) {
  if (fault) return damaged_error(fault.text());
  return {};
}

}  // namespace

std::string FrameFault::text() const {
  switch (kind) {
    case Kind::none:
      return "is a valid Zstandard frame";
    case Kind::not_a_frame:
      return "is not a Zstandard frame";
    case Kind::no_content_size:
      return "is a Zstandard frame without its content size";
    case Kind::other_content_size:
      return "is a Zstandard frame of " + std::to_string(found) +
             " bytes of content; the record has " + std::to_string(wanted);
    case Kind::dictionary:
      return "is a Zstandard frame that needs a dictionary";
    case Kind::not_one_frame:
      return "is not exactly one Zstandard frame of " + std::to_string(wanted) + " bytes";
    case Kind::too_short:
      return "is a Zstandard frame too short for its content";
    case Kind::undecodable:
      return std::string("cannot be decompressed: ") + reason;
    case Kind::cut_short:
      break;
  }
  return "decompresses to " + std::to_string(found) + " bytes";
}

Result<std::uint64_t> frame_content_bytes(std::span<const std::byte> frame) {
  std::uint64_t stated = 0;
  HOTPACK_TRY(status_of(find_content_bytes(frame, stated)));
  return stated;
}

FrameFault find_frame_fault(std::span<const std::byte> frame,
                            std::uint64_t content_bytes) noexcept {
  std::uint64_t stated = 0;
  if (const FrameFault fault = find_content_bytes(frame, stated)) return fault;
  if (stated != content_bytes) return {FrameFault::Kind::other_content_size, stated, content_bytes};
  if (ZSTD_getDictID_fromFrame(frame.data(), frame.size()) != 0)
    return {FrameFault::Kind::dictionary};
  const std::size_t size = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (size != frame.size()) return {FrameFault::Kind::not_one_frame, size, frame.size()};
  if (content_bytes > max_content_bytes(frame.size())) return {FrameFault::Kind::too_short};
  return {};
}

FrameFault find_size_fault(std::span<const std::byte> head, std::uint64_t frame_bytes,
                           std::uint64_t content_bytes) noexcept {
  std::uint64_t stated = 0;
  if (const FrameFault fault = find_content_bytes(head, stated)) return fault;
  if (stated != content_bytes) return {FrameFault::Kind::other_content_size, stated, content_bytes};
  if (content_bytes > max_content_bytes(frame_bytes)) return {FrameFault::Kind::too_short};
  return {};
}

Status check_frame(std::span<const std::byte> frame, std::uint64_t content_bytes) {
  return status_of(find_frame_fault(frame, content_bytes));
}

FrameFault unpack_frame(std::span<const std::byte> frame, std::span<std::byte> into) noexcept {
  const std::size_t written = ZSTD_decompressDCtx(thread_context().get(), into.data(), into.size(),
                                                  frame.data(), frame.size());
  if (ZSTD_isError(written))
    return {FrameFault::Kind::undecodable, 0, into.size(), ZSTD_getErrorName(written)};
  if (written != into.size()) return {FrameFault::Kind::cut_short, written, into.size()};
  return {};
}

Status decompress_frame(std::span<const std::byte> frame, std::span<std::byte> into) {
  HOTPACK_TRY(check_frame(frame, into.size()));
  HOTPACK_TRY(prepare_decompression());
  return status_of(unpack_frame(frame, into));
}

Status prepare_decompression() {
  Context& context = thread_context();
  if (context == nullptr) context.reset(ZSTD_createDCtx());
  if (context == nullptr)
    return Error{ErrorCode::io, "there is not enough memory to decompress a record", {}, {}};
  return {};
}

void renew_decompression() { thread_context().reset(); }

}  // namespace hotpack::reader
