#include "format/canonical_scan.hpp"

#include <string>

#include "format/json.hpp"
#include "format/json_node.hpp"
#include "support/catch.hpp"

using namespace hotpack::format;

namespace {

std::string digest() { return "xxh3-128:" + std::string(32, 'a'); }

bool is_number(std::string_view text) {
  CanonicalScan scan(text);
  std::uint64_t number = 0;
  return scan.take_number(number) && scan.rest().empty();
}

bool is_string(std::string_view text) {
  CanonicalScan scan(text);
  std::string found;
  return scan.take_string(found) && scan.rest().empty();
}

bool is_digest(std::string_view text) {
  CanonicalScan scan(text);
  std::string found;
  return scan.take_digest(found) && scan.rest().empty();
}

}  // namespace

TEST_CASE("a scan takes pieces one after the other") {
  CanonicalScan scan(R"({"a":12,"b":"x"})");
  std::uint64_t number = 0;
  std::string text;
  CHECK(scan.take("{\"a\":"));
  CHECK_FALSE(scan.take("{"));
  CHECK((scan.take_number(number) && number == 12));
  CHECK(scan.take(",\"b\":"));
  CHECK((scan.take_string(text) && text == "x"));
  CHECK(scan.rest() == "}");
}

TEST_CASE("a scan takes numbers in plain digits only") {
  for (const char* const good : {"0", "7", "10", "4611686018427387904"}) CHECK(is_number(good));
  CHECK(kMaxCount == 4611686018427387904);
  for (const char* const bad : {"", "-1", "+1", "01", "00", "1.0", "1e3", " 1", "x",
                                "4611686018427387905", "99999999999999999999"})
    CHECK_FALSE(is_number(bad));
}

TEST_CASE("a scan takes strings as the general parser reads them") {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c < 0x80 ? c : 'x');
  for (const std::string& text : {std::string(), all.substr(31), std::string("\"\\\b\t\n\f\r/"),
                                  std::string("größe"), std::string("a\"")}) {
    const std::string quoted = canonical_string(text);
    CanonicalScan scan(quoted);
    std::string found;
    CHECK((scan.take_string(found) && found == text && scan.rest().empty()));
    CHECK(parse_json(quoted)->get<std::string>() == text);
  }
  // valid JSON or not: the general parser decides
  for (const char* const other :
       {"", "\"", "\"a", "a\"", "\"\\\"", "\"\\", "\"\\u0041\"", "\"\\/\"", "\"\n\"", "\"\\x\""})
    CHECK_FALSE(is_string(other));
}

TEST_CASE("a scan takes digests of the format only") {
  CHECK(is_digest("\"" + digest() + "\""));
  CHECK_FALSE(is_digest(digest()));
  CHECK_FALSE(is_digest("\"" + digest()));
  CHECK_FALSE(is_digest("\"" + digest() + "a\""));
  CHECK_FALSE(is_digest("\"" + digest().substr(1) + "\""));
  CHECK_FALSE(is_digest("\"" + digest().substr(0, 40) + "g\""));
  CHECK_FALSE(is_digest("\"" + digest().substr(0, 40) + "A\""));
  CHECK_FALSE(is_digest("\"xxh3-064:" + std::string(32, 'a') + "\""));
}
