#include "cli/screen.hpp"

#include "captured.hpp"
#include "support/catch.hpp"

using namespace hotpack::cli;

TEST_CASE("without a redrawn line nothing but text is written") {
  const Captured file;
  Screen screen(file.descriptor());
  screen.print("one");
  screen.erase_line();
  screen.print("two");
  CHECK(file.text() == "one\ntwo\n");
}

TEST_CASE("text goes above the redrawn line, which comes back whole") {
  const Captured file;
  Screen screen(file.descriptor());
  screen.redraw("10 %");
  CHECK(screen.has_line());
  screen.print("warning");
  screen.redraw("20 %");
  screen.erase_line();
  CHECK_FALSE(screen.has_line());
  CHECK(file.text() == "\r\x1b[K10 %\r\x1b[Kwarning\n10 %\r\x1b[K20 %\r\x1b[K");
}

TEST_CASE("a screen that is gone does no harm") {
  Screen screen(-1);
  screen.redraw("x");
  screen.print("y");
  screen.erase_line();
  CHECK_FALSE(screen.has_line());
}

TEST_CASE("out of memory, a message goes below the progress line unchanged") {
  const Captured file;
  Screen screen(file.descriptor());
  screen.print_plainly("error:", "one");
  screen.redraw("10 %");
  screen.print_plainly("error:", "two");
  CHECK(file.text() == "error: one\n\r\x1b[K10 %\nerror: two\n");
}
