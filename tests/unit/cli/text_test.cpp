#include "cli/text.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack::cli;

TEST_CASE("bytes are shown in powers of 1024 with one decimal") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.0 KiB");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes(256ULL << 20) == "256.0 MiB");
  CHECK(human_bytes(1288490189) == "1.2 GiB");
  CHECK(human_bytes((1ULL << 20) - 1) == "1.0 MiB");
  CHECK(human_bytes(std::numeric_limits<std::uint64_t>::max()) == "16.0 EiB");
}

TEST_CASE("durations have two units at most") {
  CHECK(human_duration(0) == "0 s");
  CHECK(human_duration(-3) == "0 s");
  CHECK(human_duration(std::numeric_limits<double>::quiet_NaN()) == "0 s");
  CHECK(human_duration(0.25) == "0.25 s");
  CHECK(human_duration(7.34) == "7.3 s");
  CHECK(human_duration(9.97) == "10 s");
  CHECK(human_duration(42.4) == "42 s");
  CHECK(human_duration(59.6) == "1 min 00 s");
  CHECK(human_duration(65) == "1 min 05 s");
  CHECK(human_duration(2 * 3600 + 3 * 60 + 59) == "2 h 03 min");
  CHECK(human_duration(3 * 86400 + 4 * 3600) == "3 d 04 h");
  CHECK(human_duration(1e300) == "1000000 d 00 h");
}

TEST_CASE("rates keep two figures when slow") {
  CHECK(human_rate(0) == "0");
  CHECK(human_rate(0.254) == "0.25");
  CHECK(human_rate(7.34) == "7.3");
  CHECK(human_rate(1234.4) == "1,234");
}

TEST_CASE("control characters cannot reach the terminal") {
  CHECK(printable("a\x1b[31mb\r\x7f") == "a\\x1b[31mb\\x0d\\u007f");
  CHECK(printable("two\nlines\tand tab") == "two\nlines\tand tab");
  CHECK(printable("Zürich") == "Zürich");
}

TEST_CASE("text that drives a terminal or is not UTF-8 is shown escaped") {
  CHECK(printable("a\xc2\x9b"
                  "31mb") == "a\\u009b31mb");  // C1
  CHECK(printable("gnp.\xe2\x80\xae"
                  "exe") == "gnp.\\u202eexe");                         // right-to-left override
  CHECK(printable("\xe2\x81\xa6x\xe2\x81\xa9") == "\\u2066x\\u2069");  // isolates
  CHECK(printable("a\xe2\x80\xa8"
                  "b\xef\xbb\xbf") == "a\\u2028b\\ufeff");
  CHECK(printable("\xff\xc3(\xed\xa0\x80") == "\\xff\\xc3(\\xed\\xa0\\x80");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("日本語 שלום 👩‍🔬") == "日本語 שלום 👩‍🔬");
}

TEST_CASE("a name is always one line") {
  CHECK(printable_name("a\nerror: b\tc\x1b") == "a\\nerror: b\\tc\\x1b");
}

TEST_CASE("text is as wide as a terminal shows it") {
  CHECK(text_width("日本") == 4);
  CHECK(text_width("e\xcc\x81") == 1);  // combining acute accent
  CHECK(text_width("ｱ한🚗") == 5);
  CHECK(truncated("日本語", 5) == "日本…");
  CHECK(truncated("日本語", 4) == "日…");
  CHECK(truncated("e\xcc\x81xyz", 3) == "e\xcc\x81x…");
}

TEST_CASE("lines are fitted below their text, commands stay whole") {
  CHECK(fitted("short\nlines", 80) == "short\nlines");
  CHECK(fitted("name   one two three\nend\n", 15) == "name   one two\n       three\nend\n");
  CHECK(fitted("  one two three four", 12) == "  one two\n    three\n    four");
  CHECK(fitted("next   hotpack pack a b c d e f g", 15) == "next   hotpack pack a b c d e f g");
  CHECK(fitted("日本 日本 日本", 11) == "日本 日本\n  日本");
  CHECK(fitted("never broken without columns", 0) == "never broken without columns");
  CHECK(with_spaces(wrapped(unbroken("a b/c d") + " e", 8, 0)) == "a b/c d\ne");
  CHECK(laid_out(unbroken("a b/c d") + " e\x1b", 8) == "a b/c d\n  e\\x1b");
}

TEST_CASE("text is truncated at characters, not bytes") {
  CHECK(text_width("Zürich") == 6);
  CHECK(truncated("Zürich", 6) == "Zürich");
  CHECK(truncated("Zürich", 5) == "Züri…");
  CHECK(truncated("Zürich", 3) == "Zü…");
  CHECK(truncated("Zürich", 1) == "…");
  CHECK(truncated("Zürich", 0).empty());
}

TEST_CASE("wrapped text stays within its width and is indented") {
  CHECK(wrapped("one two three", 80, 4) == "one two three");
  CHECK(wrapped("one two three four", 9, 2) == "one two\n  three\n  four");
  CHECK(wrapped("aaa bbb ccc ddd", 7, 1) == "aaa bbb\n ccc ddd");
  CHECK(wrapped("a-word-longer-than-the-width b", 5, 0) == "a-word-longer-than-the-width\nb");
  CHECK(wrapped("kept\nline", 80, 2) == "kept\n  line");
  CHECK(wrapped("one  two", 4, 0) == "one\ntwo");
  CHECK(wrapped("", 10, 2).empty());
}
