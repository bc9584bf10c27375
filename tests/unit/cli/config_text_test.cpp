#include "cli/config_text.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::cli;

namespace {

using Values = std::vector<std::string>;

Values values_of(std::string_view line) {
  auto entries = parse_config(line);
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 1);
  return entries->front().values;
}

std::string refusal_of(std::string_view text) {
  auto entries = parse_config(text);
  REQUIRE_FALSE(entries.ok());
  CHECK(entries.error().code == ErrorCode::usage);
  return entries.error().message;
}

}  // namespace

TEST_CASE("keys, values, remarks and empty lines") {
  auto entries = parse_config("# remark\r\n; another\n\n  size = 512x512  # why\r\njobs=2\n");
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 2);
  CHECK(entries->at(0).key == "size");
  CHECK(entries->at(0).values == Values{"512x512"});
  CHECK(entries->at(0).line == 4);
  CHECK(entries->at(1).key == "jobs");
  CHECK(entries->at(1).values == Values{"2"});
  CHECK(parse_config("")->empty());
}

TEST_CASE("bare values keep commas, blanks and marks inside words") {
  CHECK(values_of("pad-color = 0,0,0") == Values{"0,0,0"});
  CHECK(values_of("classes = my file.csv") == Values{"my file.csv"});
  CHECK(values_of("images = /a#1/b") == Values{"/a#1/b"});
  CHECK(values_of("a = b=c") == Values{"b=c"});
}

TEST_CASE("quoted values keep everything") {
  CHECK(values_of(R"(a = "x # y, z" # remark)") == Values{"x # y, z"});
  CHECK(values_of(R"(a = "q\"b\\n\n\t.")") == Values{"q\"b\\n\n\t."});
  CHECK(values_of(R"(a = 'C:\x')") == Values{R"(C:\x)"});
  CHECK(values_of(R"(a = "")") == Values{""});
}

TEST_CASE("lists hold several values") {
  CHECK(values_of("ignore = [void, 255]") == Values{"void", "255"});
  CHECK(values_of(R"(images = [ "a, b" , 'c', d e, ] # remark)") == Values{"a, b", "c", "d e"});
  CHECK(values_of("ignore = []").empty());
}

TEST_CASE("what cannot be read is refused with its line") {
  CHECK(refusal_of("a=1\n\nnonsense\n") == "line 3: expected `key = value`");
  CHECK(refusal_of("[pack]\n") ==
        "line 1: sections such as [name] are not supported; remove the line");
  CHECK(refusal_of("= 3") == "line 1: a key is missing before '='");
  CHECK(refusal_of("a =") == "line 1: a value is missing");
  CHECK(refusal_of("a = # remark") == "line 1: a value is missing");
  CHECK(refusal_of("a = \"open") == "line 1: a quoted value has no closing quote");
  CHECK(refusal_of("a = \"x\" y") == "line 1: unexpected 'y' after the value");
  CHECK_THAT(refusal_of("a = \"\\q\""), ContainsSubstring("unknown escape"));
  CHECK_THAT(refusal_of("a = [1, 2"), ContainsSubstring("must end with ']'"));
  CHECK_THAT(refusal_of("a = [1,,2]"), ContainsSubstring("a value is missing"));
}
