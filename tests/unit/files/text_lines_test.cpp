#include "files/text_lines.hpp"

#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "files/scan_scope.hpp"
#include "support/catch.hpp"
#include "support/inputs.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

using Fields = std::vector<std::string>;

std::string lines_of(std::string_view text) {
  TextLines lines(text);
  std::string all;
  while (const auto line = lines.next())
    all += std::to_string(line->number) + "=" + std::string(line->text) + ";";
  return all;
}

}  // namespace

TEST_CASE("lines lose BOM, CR, blanks and comments, and keep their numbers") {
  CHECK(lines_of("\xEF\xBB\xBF"
                 "a\r\n\r\n  b c \t\n# no\n\n d") == "1=a;3=b c;6=d;");
  CHECK(lines_of("").empty());
  CHECK(lines_of("\n \r\n").empty());
}

TEST_CASE("a list that is no UTF-8 text is refused by name") {
  const TempFolder folder;
  folder.write("utf16.txt", std::string("\xFF\xFE"
                                        "a\0\n\0",
                                        6));
  folder.write("binary.txt", std::string("a\0b", 3));
  CHECK_THAT(read_list_text(folder / "utf16.txt").error().describe(),
             ContainsSubstring("utf16.txt: is UTF-16"));
  CHECK_THAT(read_list_text(folder / "binary.txt").error().describe(), ContainsSubstring("NUL"));
  CHECK(read_list_text(folder / "missing.txt").error().code == ErrorCode::io);
}

TEST_CASE("'#' begins a comment only alone or before a blank") {
  CHECK(lines_of("#1\n# 2\n#\n#\t3\n4") == "1=#1;5=4;");
}

TEST_CASE("a pipe is read to its end, unless a stop is requested") {
  const TempFolder folder;
  const std::string pipe = folder / "list";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << std::string(100'000, 'x') << "\n"; });
  const Result<std::string> text = read_list_text(pipe);
  writer.join();
  CHECK(text.value() == std::string(100'000, 'x') + "\n");
  test::Recorder recorder;
  recorder.stopped = true;
  const ScanScope scope(1, &recorder);
  CHECK_THAT(read_list_text(pipe).error().message, ContainsSubstring("was stopped"));
}
