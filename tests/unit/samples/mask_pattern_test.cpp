#include "samples/mask_pattern.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

std::string ways(const std::string& pattern, const std::string& stem) {
  const MaskPattern parsed = MaskPattern::parse(pattern).value();
  std::string text;
  for (const MaskPattern::Match& match : parsed.matches(stem))
    text += (text.empty() ? "" : " | ") + std::string(match.key) + ": " + std::string(match.name);
  return text;
}

}  // namespace

TEST_CASE("the pattern says where key and class are") {
  CHECK(ways("{key}_{class}", "town/1_car") == "town/1: car");
  CHECK(ways("{class}/{key}", "car/town/1") == "town/1: car");
  CHECK(ways("{key}/{class}", "town/1/car") == "town/1: car");
  CHECK(ways("masks/{key}-{class}_m", "masks/1-car_m") == "1: car");
  CHECK(ways("masks/{key}-{class}_m", "other/1-car_m").empty());
  CHECK(ways("{key}_{class}", "nothing").empty());
  CHECK(ways("{key}_{class}", "_car").empty());
  CHECK(ways("{key}_{class}", "1_").empty());
}

TEST_CASE("several matches are tried, the longest key first") {
  CHECK(ways("{key}_{class}", "a_b_c") == "a_b: c | a: b_c");
  CHECK(ways("{class}_{key}", "a_b_c") == "b_c: a | c: a_b");
}

TEST_CASE("a pattern needs both words once with text between them") {
  for (const std::string bad :
       {"{key}", "{class}", "x", "{key}{class}", "{key}_{key}_{class}", "{class}_{key}_{class}"}) {
    const auto pattern = MaskPattern::parse(bad);
    REQUIRE_FALSE(pattern.ok());
    CHECK(pattern.error().code == ErrorCode::usage);
    CHECK_THAT(pattern.error().message, ContainsSubstring("--mask-per-class '" + bad + "'"));
  }
}
