#include "reader/zstd_frame.hpp"

#include <zstd.h>

#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::reader {

namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

ZSTD_DCtx* thread_context() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

// The most that `frame_bytes` can hold: a block has a header of 3 bytes and at most 128 KiB of content.
std::uint64_t max_content_bytes(std::uint64_t frame_bytes) { return (frame_bytes / 3 + 1) * (std::uint64_t{128} << 10); }

}  // namespace

Result<std::uint64_t> frame_content_bytes(std::span<const std::byte> frame) {
  const unsigned long long told = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (told == ZSTD_CONTENTSIZE_ERROR) return damaged_error("is not a Zstandard frame");
  if (told == ZSTD_CONTENTSIZE_UNKNOWN) return damaged_error("is a Zstandard frame without its content size");
  return std::uint64_t{told};
}

Status check_frame(std::span<const std::byte> frame, std::uint64_t content_bytes) {
  HOTPACK_ASSIGN(const std::uint64_t told, frame_content_bytes(frame));
  if (told != content_bytes) {
    return damaged_error("is a Zstandard frame of " + std::to_string(told) + " bytes of content; the record has " +
                         std::to_string(content_bytes));
  }
  if (ZSTD_getDictID_fromFrame(frame.data(), frame.size()) != 0) return damaged_error("is a Zstandard frame that needs a dictionary");
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return damaged_error("is not exactly one Zstandard frame of " + std::to_string(frame.size()) + " bytes");
  }
  if (content_bytes > max_content_bytes(frame.size())) return damaged_error("is a Zstandard frame too short for its content");
  return {};
}

Status decompress_frame(std::span<const std::byte> frame, std::span<std::byte> into) {
  HOTPACK_TRY(check_frame(frame, into.size()));
  ZSTD_DCtx* const context = thread_context();
  if (context == nullptr) return Error{ErrorCode::io, "no memory for decompression", {}, {}};
  const std::size_t written = ZSTD_decompressDCtx(context, into.data(), into.size(), frame.data(), frame.size());
  if (ZSTD_isError(written)) return damaged_error(std::string("cannot be decompressed: ") + ZSTD_getErrorName(written));
  if (written != into.size()) return damaged_error("decompresses to " + std::to_string(written) + " bytes");
  return {};
}

}  // namespace hotpack::reader
