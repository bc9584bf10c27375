#include "base/text.hpp"

#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("numbers and shares are written for people") {
  CHECK(number_text(17302) == "17,302");
  CHECK(number_text(999) == "999");
  CHECK(number_text(1000000) == "1,000,000");
  CHECK(share_text(6, 148, "label", "labels") == "6 of 148 labels");
  CHECK(share_text(1, 148, "label", "labels") == "1 of 148 labels");
  CHECK(share_text(148, 148, "label", "labels") == "all 148 labels");
  CHECK(share_text(1, 1, "label", "labels") == "1 label");
  CHECK(list_text({"a", "b", "c"}, 3) == "a, b, c");
  CHECK(list_text({"a", "b", "c"}, 2) == "a, b, …");
}
