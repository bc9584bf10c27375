// Buffers the results of a command and writes them to stdout. Control characters in the text are
// escaped (printable()), so that it cannot harm terminals.
//
// Ownership: borrows the descriptor. Not thread-safe. Failure: after the first failed write, later
// text is discarded; finish() returns the error, so commands need not check earlier.
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
  // Writes text that has already passed printable() and may contain color codes.
  void write_painted(std::string_view text);
  // From now on, breaks lines to fit this many columns; 0, the default, leaves them as they are.
  void fit(std::size_t columns) { columns_ = columns; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  // From now on, also keeps the first 64 KiB of the text; kept() returns them.
  void keep() { keeps_ = true; }
  [[nodiscard]] const std::string& kept() const { return kept_; }
  [[nodiscard]] bool used() const { return used_; }
  // False after a failed write: a command with a long output may then stop early.
  [[nodiscard]] bool good() const { return errno_value_ == 0; }
  // True if the reader closed the pipe, as `| head` does.
  [[nodiscard]] bool abandoned() const;
  // Writes the rest of the buffer. Returns an `io` error if any write has failed.
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
