#include "cli/report.hpp"

#include "base/error.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::cli;

TEST_CASE("lines of a report have their texts in one column") {
  Report report;
  report.line("samples", "24");
  report.line("left out", "first\nsecond");
  report.line("a longer name", "text");
  report.lines("as it is\n");
  CHECK(report.text() ==
        "samples   24\nleft out  first\n          second\na longer name text\nas it is\n");
}

TEST_CASE("members of a report keep their order") {
  Report report;
  report.member("b", 1);
  report.member("a", nullptr);
  CHECK(format::canonical_json(report.json()) == R"({"b":1,"a":null})");
  CHECK(format::canonical_json(Report().json()) == "{}");
}

TEST_CASE("a pack that cannot be opened is a report with the error") {
  const Report report =
      failed_pack("a\xFF", Error{ErrorCode::damaged, "cut short", "a/dataset.json", 12});
  CHECK(report.text().empty());
  CHECK(format::canonical_json(report.json()) ==
        "{\"pack\":\"a\uFFFD\",\"error\":{\"type\":\"error\",\"code\":\"damaged\",\"exit\":4,"
        "\"message\":\"cut short\",\"path\":\"a/dataset.json\",\"offset\":12,\"option\":null,"
        "\"problems\":[]}}");
}
