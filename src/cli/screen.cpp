#include "cli/screen.hpp"

#include <utility>

#include "cli/descriptor.hpp"

namespace hotpack::cli {

namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

// Writes the text and ignores errors: a terminal that is closed or full must not stop the work.
void write_all(int descriptor, std::string_view text) {
  static_cast<void>(write_fully(descriptor, text));
}

}  // namespace

// Uses a single write(), so that no other output on the terminal can come in between.
void Screen::print(std::string_view text) {
  std::string all;
  if (has_line()) all += kClearLine;
  all.append(text).append("\n").append(line_);
  write_all(descriptor_, all);
}

void Screen::print_plainly(std::string_view prefix, std::string_view text) const {
  if (has_line()) write_all(descriptor_, "\n");
  for (const std::string_view part : {prefix, std::string_view(" "), text, std::string_view("\n")})
    write_all(descriptor_, part);
}

void Screen::redraw(std::string text) {
  line_ = std::move(text);
  write_all(descriptor_, std::string(kClearLine) + line_);
}

void Screen::erase_line() {
  if (!has_line()) return;
  line_.clear();
  write_all(descriptor_, kClearLine);
}

}  // namespace hotpack::cli
