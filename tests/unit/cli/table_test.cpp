#include "cli/table.hpp"

#include "support/catch.hpp"

using namespace hotpack::cli;

TEST_CASE("columns of a table are as wide as their widest cell") {
  CHECK(table_text(
            {{"class", "share", "samples"}, {"Sky", "7.5 %", "in 24"}, {"日本", "100.0 %", ""}},
            {.align = "lrl"}) ==
        "  class    share  samples\n"
        "  Sky      7.5 %  in 24\n"
        "  日本   100.0 %\n");
}

TEST_CASE("the last letter of a table's alignment stands for later columns") {
  CHECK(table_text({{"a", "bb", "cc"}, {"aa", "b", "c"}}, {.align = "lr", .indent = 0}) ==
        "a   bb  cc\naa   b   c\n");
}

TEST_CASE("a row with one cell is a title and widens no column") {
  CHECK(table_text({{"a title longer than the table"}, {"a", "1"}}, {}) ==
        "  a title longer than the table\n  a  1\n");
  CHECK(table_text({{"a"}, {"b"}}, {}) == "  a\n  b\n");
  CHECK(table_text({}, {}).empty());
}

TEST_CASE("a table that is too wide truncates a single column") {
  const std::vector<Cells> rows = {{"a name that is long", "1234567890"}, {"short", "1"}};
  CHECK(table_text(rows, {.align = "lr", .columns = 26}) ==
        "  a name that…  1234567890\n  short                  1\n");
  CHECK(table_text({{"id", "a name that is long"}, {"1", "short"}},
                   {.columns = 16, .shrinking = 1}) == "  id  a name th…\n  1   short\n");
  CHECK(table_text(rows, {.align = "lr", .columns = 4}) ==
        "  a name …  1234567890\n  short              1\n");
}
