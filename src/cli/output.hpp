// Results on stdout: buffered text, made harmless for terminals by printable().
//
// Ownership: borrows the descriptor. Thread-safety: none, one thread. Failure: the first failed
// write is remembered, later text is discarded, finish() reports it, so that commands need not
// check before.
#pragma once

#include <cstddef>
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
  // Text that is printable() already and may have colors.
  void write_painted(std::string_view text);
  // Breaks lines to fit this many columns; 0, the default, leaves them as they are.
  void fit(std::size_t columns) { columns_ = columns; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  // Also keeps the first 64 KiB, for kept().
  void keep() { keeps_ = true; }
  [[nodiscard]] const std::string& kept() const { return kept_; }
  [[nodiscard]] bool used() const { return used_; }
  // False after a failed write: long outputs may stop early.
  [[nodiscard]] bool good() const { return errno_value_ == 0; }
  // The reader closed the pipe, as `| head` does.
  [[nodiscard]] bool abandoned() const;
  // Writes the buffer. An `io` error if any write has failed.
  [[nodiscard]] Status finish();

 private:
  void put(std::string_view printable_text);
  void put_lines(bool all);
  void flush();

  int descriptor_;
  int errno_value_ = 0;
  bool used_ = false;
  bool keeps_ = false;
  std::size_t columns_ = 0;
  std::string line_;  // not complete yet
  std::string buffer_;
  std::string kept_;
};

}  // namespace hotpack::cli
