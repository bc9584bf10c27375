// Reads whole input files. Tries again if reading fails, but not forever. Fails if a file has
// changed since the plan was made, or changes while it is read.
//
// A SourceReader belongs to one thread and reuses its buffer. Failure: code `io`, which always
// stops a run: a pack must not depend on transient faults, so a file that cannot be read is never
// skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"

namespace hotpack::pipeline {

// The cause of an error without the advice to run the command again, for lists of problems.
[[nodiscard]] std::string what_failed(const Error& error);

class SourceReader {
 public:
  // The file's bytes, valid until the next call.
  [[nodiscard]] Result<std::span<const std::byte>> read(const std::string& path,
                                                        std::uint64_t planned_bytes);

  // Returns the header of an image file; reads no more of the file than needed. Fails with code
  // `data` if the header is not usable.
  [[nodiscard]] Result<codecs::ImageInfo> probe(const std::string& path);

  // Returns the buffer; the bytes of the last call of read() are valid as long as it is. The next
  // call makes a new one.
  [[nodiscard]] std::vector<std::byte> release_buffer() { return std::exchange(buffer_, {}); }

  // The plan came from a file. A file with another size than planned is then an error of code
  // `data`, because running the same command again does not help.
  void keep_to_plan() { keeps_to_plan_ = true; }

  // From now on each file is tried only once.
  void stop_retrying() { retries_ = false; }

 private:
  bool retries_ = true;
  bool keeps_to_plan_ = false;
  std::vector<std::byte> buffer_;
};

}  // namespace hotpack::pipeline
