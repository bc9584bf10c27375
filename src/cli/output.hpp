// Results on stdout: buffered text whose failures are kept until the end and then told. What reaches it has gone through printable(),
// whoever wrote it: no result drives a terminal.
//
// Ownership: borrows the descriptor. Thread-safety: none, one thread. Failure: the first failed write is remembered, later text is
// discarded, finish() reports it; a command need not look before.
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
  // Text that is printable() already and may hold colors.
  void write_painted(std::string_view text);
  // Lines are broken to fit so many columns; 0, the default: they stay as they are.
  void fit(std::size_t columns) { columns_ = columns; }
  // What is written is kept too, for kept(): the first 64 KiB.
  void keep() { keeps_ = true; }
  [[nodiscard]] const std::string& kept() const { return kept_; }
  [[nodiscard]] bool used() const { return used_; }
  // False once a write failed: long outputs may stop early.
  [[nodiscard]] bool good() const { return errno_value_ == 0; }
  // Nobody reads any more: `| head` has what it wanted.
  [[nodiscard]] bool abandoned() const;
  // Writes what is buffered. An `io` error if anything could not be written since the beginning.
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
  std::string line_;  // not ended yet
  std::string buffer_;
  std::string kept_;
};

}  // namespace hotpack::cli
