#include "settings/accepted_skips.hpp"

#include <string>

#include "support/catch.hpp"

using namespace hotpack::pipeline;

namespace {

std::uint64_t most(const std::string& text, std::uint64_t samples) {
  const auto accepted = parse_accepted_skips(text);
  REQUIRE(accepted);
  return most_accepted(*accepted, samples);
}

}  // namespace

TEST_CASE("a number of accepted skips does not depend on the samples") {
  CHECK(most("0", 100) == 0);
  CHECK(most("7", 3) == 7);
  CHECK(most("18446744073709551615", 3) == ~std::uint64_t{0});
}

TEST_CASE("a percentage of accepted skips is rounded down, exactly") {
  CHECK(most("1%", 100) == 1);
  CHECK(most("1%", 99) == 0);
  CHECK(most("1%", 199) == 1);
  CHECK(most("0%", 1000) == 0);
  CHECK(most("100%", 1000) == 1000);
  CHECK(most("0.1%", 1000) == 1);
  CHECK(most("0.29%", 10'000) == 29);  // 28.999… in binary floating point
  CHECK(most("0.000001%", 100'000'000) == 1);
  CHECK(most("0.000001%", 99'999'999) == 0);
  CHECK(most("33.333333%", 10'000'000'000) == 3'333'333'300);
  CHECK(most("50%", 3'000'000'000'000'000'000) == 1'500'000'000'000'000'000);
}

TEST_CASE("other texts are not accepted skips") {
  for (const char* text : {"", "%", "-1", "+1", "1.5", "1 %", "one", "101%", "100.1%", "0.0000001%",
                           "1.%", ".5%", "1e2%", "-1%", "nan%", "5%%", "18446744073709551616"}) {
    INFO(text);
    CHECK_FALSE(parse_accepted_skips(text));
  }
}
