#include "writer/frame_compressor.hpp"

#include <zstd.h>

#include <new>

#include "base/error.hpp"

namespace hotpack::writer {

struct FrameCompressor::Context {
  Context() : zstd(ZSTD_createCCtx()) {
    if (zstd == nullptr) throw std::bad_alloc();
  }
  ~Context() { ZSTD_freeCCtx(zstd); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ZSTD_CCtx* zstd;
};

FrameCompressor::FrameCompressor(int level)
    : context_(std::make_unique<Context>()), level_(level) {}
FrameCompressor::~FrameCompressor() = default;
FrameCompressor::FrameCompressor(FrameCompressor&&) noexcept = default;
FrameCompressor& FrameCompressor::operator=(FrameCompressor&&) noexcept = default;

Status FrameCompressor::compress(std::span<const std::byte> record, std::vector<std::byte>& frame) {
  frame.resize(ZSTD_compressBound(record.size()));
  const std::size_t size = ZSTD_compressCCtx(context_->zstd, frame.data(), frame.size(),
                                             record.data(), record.size(), level_);
  if (ZSTD_isError(size))
    return internal_error(std::string("zstd cannot compress a record: ") + ZSTD_getErrorName(size));
  frame.resize(size);
  return {};
}

std::uint64_t frame_bound(std::uint64_t record_bytes) { return ZSTD_compressBound(record_bytes); }
bool valid_level(int level) { return level >= 1 && level <= 19; }
std::string compressor_engine() { return std::string("zstd:") + ZSTD_versionString(); }

}  // namespace hotpack::writer
