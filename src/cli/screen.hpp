// Prints lines on a terminal above its last line, which shows the progress and is redrawn.
//
// Ownership: borrows the descriptor. Not thread-safe; Terminal guards it with a mutex. Failure:
// failed writes are ignored.
#pragma once

#include <string>
#include <string_view>

namespace hotpack::cli {

class Screen {
 public:
  explicit Screen(int descriptor) : descriptor_(descriptor) {}

  // Prints `text` and a newline above the redrawn line.
  void print(std::string_view text);
  // Prints "PREFIX TEXT" without allocating memory, because memory may be exhausted.
  void print_plainly(std::string_view prefix, std::string_view text) const;
  // Replaces the redrawn line; it must fit the terminal's width.
  void redraw(std::string text);
  void erase_line();
  [[nodiscard]] bool has_line() const { return !line_.empty(); }

 private:
  int descriptor_;
  std::string line_;
};

}  // namespace hotpack::cli
