// Reading input files the way the promises need it: whole, with bounded retries, and refusing a file that changed since the plan or while
// it was read.
//
// A SourceReader belongs to one worker and reuses its buffer. Failure: code `io`, always fatal for a run: bytes must not depend on the
// weather, so a file that cannot be read is never skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::pipeline {

// What was wrong, without the advice to run the command again: for problems that one command lists.
[[nodiscard]] std::string what_failed(const Error& error);

class SourceReader {
 public:
  // The file's bytes, valid until the next call.
  [[nodiscard]] Result<std::span<const std::byte>> read(const std::string& path, std::uint64_t planned_bytes);

  // What the file's header says, reading no more of it than needed. Errors of code `data`: the header is not usable.
  [[nodiscard]] Result<codecs::ImageInfo> probe(const std::string& path);

  // From now on a file that cannot be read is tried once.
  void stop_retrying() { retries_ = false; }

 private:
  bool retries_ = true;
  std::vector<std::byte> buffer_;
};

}  // namespace hotpack::pipeline
