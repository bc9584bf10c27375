// Compresses single records into Zstandard frames with content size, but without a dictionary and
// without Zstandard's checksum (the format has its own).
//
// Create one per worker; it keeps its context. Not thread-safe. Failure: code `internal` with
// zstd's text.
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
  // `level`: 1 (fast) … 19; a larger level compresses better and slower.
  explicit FrameCompressor(int level);
  ~FrameCompressor();
  FrameCompressor(FrameCompressor&&) noexcept;
  FrameCompressor& operator=(FrameCompressor&&) noexcept;

  // Replaces the contents of `frame` with the compressed record, reusing its capacity.
  [[nodiscard]] Status compress(std::span<const std::byte> record, std::vector<std::byte>& frame);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  int level_;
};

// The largest frame that a record can need.
[[nodiscard]] std::uint64_t frame_bound(std::uint64_t record_bytes);
[[nodiscard]] bool valid_level(int level);
// What `engines` says about the compressor: "zstd:1.5.4".
[[nodiscard]] std::string compressor_engine();

}  // namespace hotpack::writer
