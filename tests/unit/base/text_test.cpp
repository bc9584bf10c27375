#include "base/text.hpp"

#include <limits>

#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("numbers and shares are written for people") {
  CHECK(number_text(17302) == "17,302");
  CHECK(number_text(999) == "999");
  CHECK(number_text(0) == "0");
  CHECK(number_text(1000) == "1,000");
  CHECK(number_text(1000000) == "1,000,000");
  CHECK(number_text(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
  CHECK(share_text(6, 148, "label", "labels") == "6 of 148 labels");
  CHECK(share_text(1, 148, "label", "labels") == "1 of 148 labels");
  CHECK(share_text(148, 148, "label", "labels") == "all 148 labels");
  CHECK(share_text(1, 1, "label", "labels") == "1 label");
  CHECK(list_text({"a", "b", "c"}, 3) == "a, b, c");
  CHECK(list_text({"a", "b", "c"}, 2) == "a, b, …");
  CHECK(joined_text({}, " or ").empty());
  CHECK(joined_text({"a", "", "c"}, "/") == "a//c");
}

TEST_CASE("a noun follows its number") {
  CHECK(counted_text(0, "image") == "0 images");
  CHECK(counted_text(1, "image") == "1 image");
  CHECK(counted_text(17302, "image") == "17,302 images");
  CHECK(counted_text(2, "class", "classes") == "2 classes");
}

TEST_CASE("fractions have the digits asked for") {
  CHECK(fixed_text(7.304, 2) == "7.30");
  CHECK(fixed_text(0.125, 0) == "0");
  CHECK(fixed_text(-1.5, 1) == "-1.5");
  CHECK(fixed_text(1e300, 0).size() == 301);
  CHECK(percent_text(0.073) == "7.30 %");
  CHECK(percent_text(1, 0) == "100 %");
}

TEST_CASE("colors are written as #rrggbb") {
  CHECK(color_text({0, 0, 0}) == "#000000");
  CHECK(color_text({255, 10, 160}) == "#ff0aa0");
}

TEST_CASE("a newline ends a line and does not begin one") {
  using Lines = std::vector<std::string_view>;
  CHECK(lines_of("").empty());
  CHECK(lines_of("a") == Lines{"a"});
  CHECK(lines_of("a\n\nb\n") == Lines{"a", "", "b"});
  CHECK(lines_of("\n") == Lines{""});
}
