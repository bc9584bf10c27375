#include "format/json.hpp"

#include <ctime>
#include <string>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::format;

namespace {

std::string refusal(std::string_view text) {
  const auto parsed = parse_json(text);
  if (parsed.ok()) return "accepted";
  CHECK(parsed.error().code == ErrorCode::damaged);
  return parsed.error().message;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

// Processor seconds to refuse an object of so many keys, whose last key is a duplicate.
double seconds_to_refuse(int keys) {
  std::string text = "{";
  for (int i = 0; i < keys; ++i) text += "\"key" + std::to_string(i) + "\":0,";
  text += "\"key77\":1}";
  const std::clock_t start = std::clock();
  CHECK_THAT(refusal(text), ContainsSubstring("\"key77\" occurs twice"));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("valid JSON is parsed with its keys in order") {
  const auto json =
      parse_json(" {\"b\": [1, -2, 2.5, true, null], \"a\": {\"x\": \"\\u00e9\\n\"}} \n");
  REQUIRE(json.ok());
  CHECK(canonical_json(*json) == "{\"b\":[1,-2,2.5,true,null],\"a\":{\"x\":\"é\\n\"}}");
  CHECK(parse_json("18446744073709551615")->get<std::uint64_t>() == 18446744073709551615u);
}

TEST_CASE("text that RFC 8259 forbids is refused") {
  for (const std::string text :
       {"",     " ",       "{",       "[1,]",        "{\"a\":1,}",   "{a:1}",    "'a'",
        "01",   "+1",      ".5",      "1.",          "NaN",          "Infinity", "-",
        "tru",  "\"\n\"",  "\"\\x\"", "\"\\ud800\"", "\"\\udc00x\"", "1e999",    "[1] 2",
        "{}{}", "// c\n1", "/*c*/1"}) {
    INFO(text);
    CHECK_THAT(refusal(text), ContainsSubstring("not valid JSON"));
  }
}

TEST_CASE("byte order marks, NUL bytes and invalid UTF-8 are refused") {
  CHECK_THAT(refusal("\xEF\xBB\xBF{}"), ContainsSubstring("byte order mark"));
  CHECK_THAT(refusal(std::string_view("{}\0 ", 4)), ContainsSubstring("NUL"));
  CHECK_THAT(refusal("\"\xC3\""), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal("\"\xED\xA0\x80\""), ContainsSubstring("not valid JSON"));
  CHECK(parse_json(std::string_view("{}\0", 3)).error().offset == 2u);
}

TEST_CASE("a duplicate key is refused at any depth, with its place") {
  CHECK_THAT(refusal("{\"a\":1,\"b\":2,\"a\":3}"), ContainsSubstring("\"a\" occurs twice"));
  CHECK_THAT(refusal("[{\"x\":{\"k\":1,\"\\u006b\":1}}]"), ContainsSubstring("\"k\" occurs twice"));
  CHECK(parse_json("{\"a\":1,\"a\":2}").error().offset == 10u);
  CHECK(parse_json("{\"a\":{\"a\":1},\"b\":{\"a\":1}}").ok());
}

TEST_CASE("nesting is limited") {
  CHECK(parse_json(nested(64)).ok());
  CHECK_THAT(refusal(nested(65)), ContainsSubstring("deeper than 64"));
  CHECK_THAT(refusal(std::string(100000, '[')), ContainsSubstring("deeper than 64"));
}

TEST_CASE("an object of many keys costs no quadratic time") {
  const double few = seconds_to_refuse(10'000);
  CHECK(seconds_to_refuse(200'000) <
        100 * few);  // 20 times the keys; a quadratic search takes 400 times as long
}

TEST_CASE("canonical strings escape only what they must") {
  CHECK(canonical_string("a/b é \x7f \"\\\b\t\n\f\r") == "\"a/b é \x7f \\\"\\\\\\b\\t\\n\\f\\r\"");
  CHECK(canonical_string(std::string("\0\x01\x1f", 3)) == "\"\\u0000\\u0001\\u001f\"");
}

TEST_CASE("canonical doubles are the shortest that read back equal") {
  CHECK(canonical_double(0.1) == "0.1");
  CHECK(canonical_double(1.0) == "1");
  CHECK(canonical_double(100000.0) == "1e+05");
  CHECK(canonical_double(100001.0) == "100001");
  CHECK(canonical_double(1.0 / 3.0) == "0.3333333333333333");
  CHECK(canonical_double(0.0001) == "1e-04");
}

TEST_CASE("canonical JSON of a parsed text is stable") {
  const std::string text =
      "{\"z\":[],\"a\":{},\"n\":[0,-7,18446744073709551615,0.25,null,false],\"s\":\"\\u0001 \\\" "
      "ü\"}";
  CHECK(canonical_json(*parse_json(text)) == text);
}

TEST_CASE("raw members keep the text of each value") {
  const std::string text =
      "{\n\"a\" : {\"x\": \"},]\\\"\"} ,\"b\":[1, 2]\n, \"c\":null, \"d\" : \"q\\\\\"}";
  REQUIRE(parse_json(text).ok());
  const auto members = raw_members(text);
  REQUIRE(members.size() == 4);
  CHECK(members[0] == std::pair<std::string_view, std::string_view>("a", "{\"x\": \"},]\\\"\"}"));
  CHECK(members[1] == std::pair<std::string_view, std::string_view>("b", "[1, 2]"));
  CHECK(members[2] == std::pair<std::string_view, std::string_view>("c", "null"));
  CHECK(members[3] == std::pair<std::string_view, std::string_view>("d", "\"q\\\\\""));
  CHECK(raw_members("{ }").empty());
}

TEST_CASE("bytes that are not UTF-8 are replaced one by one") {
  CHECK(with_valid_utf8("plain é") == "plain é");
  CHECK(with_valid_utf8("bad\xFF.txt") == "bad\uFFFD.txt");
  CHECK(with_valid_utf8("\xE2\x82") == "\uFFFD\uFFFD");
}
