#include "format/version.hpp"

#include "support/catch.hpp"

using namespace hotpack::format;

TEST_CASE("versions 1.x are read, others refused") {
  CHECK(parse_version(kVersion).value() == 0);
  CHECK(parse_version("1.1").value() == 1);
  CHECK(parse_version("1.27").value() == 27);
  for (const auto* later : {"2.0", "0.9", "10.0"})
    CHECK_THAT(parse_version(later).error().message, ContainsSubstring("reads 1.x"));
  for (const auto* none :
       {"", "1", "1.", ".0", "1.00", "01.0", "1.0.0", " 1.0", "1.0 ", "1.-1", "1.x", "1.9999999"}) {
    INFO(none);
    CHECK_THAT(parse_version(none).error().message, ContainsSubstring("1.<minor>"));
  }
}
