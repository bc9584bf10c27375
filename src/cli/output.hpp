// Results on stdout: buffered text whose failures are kept until the end and then told.
//
// Ownership: borrows the descriptor. Thread-safety: none, one thread. Failure: the first failed write is remembered, later text is
// discarded, finish() reports it; a command need not look before.
#pragma once

#include <string>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::cli {

class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void line(std::string_view text);
  // False once a write failed: long outputs may stop early.
  [[nodiscard]] bool good() const { return errno_value_ == 0; }
  // Writes what is buffered. An `io` error if anything could not be written since the beginning.
  [[nodiscard]] Status finish();

 private:
  void flush();

  int descriptor_;
  int errno_value_ = 0;
  bool used_ = false;
  std::string buffer_;
};

}  // namespace hotpack::cli
