// Zstandard frames of single records: content size present, no dictionary, no frame checksum (the format has its own).
//
// One compressor a worker; it keeps its context. Not thread-safe. Failure: code `internal` with zstd's words.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::writer {

class FrameCompressor {
 public:
  // `level`: 1 (fast) … 19; larger is smaller and slower.
  explicit FrameCompressor(int level);
  ~FrameCompressor();
  FrameCompressor(FrameCompressor&&) noexcept;
  FrameCompressor& operator=(FrameCompressor&&) noexcept;

  // Replaces `frame` by the compressed record; its capacity is reused.
  [[nodiscard]] Status compress(std::span<const std::byte> record, std::vector<std::byte>& frame);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  int level_;
};

// The most bytes that the frame of a record can take.
[[nodiscard]] std::uint64_t frame_bound(std::uint64_t record_bytes);
[[nodiscard]] bool valid_level(int level);
// The token of `engines`: "zstd:1.5.4".
[[nodiscard]] std::string compressor_engine();

}  // namespace hotpack::writer
