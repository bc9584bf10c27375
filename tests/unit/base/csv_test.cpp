#include "base/csv.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack;

namespace {

using Fields = std::vector<std::vector<std::string>>;

Fields fields_of(std::string_view text) {
  const std::vector<CsvRow> rows = parse_csv(text, "t.csv").value();
  Fields fields;
  for (const CsvRow& row : rows) fields.push_back(row.fields);
  return fields;
}

std::vector<std::size_t> lines_of(std::string_view text) {
  const std::vector<CsvRow> rows = parse_csv(text, "t.csv").value();
  std::vector<std::size_t> lines;
  for (const CsvRow& row : rows) lines.push_back(row.line);
  return lines;
}

}  // namespace

TEST_CASE("CSV: rows end in LF, CRLF, CR or with the text") {
  const Fields wanted{{"a", "b"}, {"c", "d"}};
  CHECK(fields_of("a,b\nc,d\n") == wanted);
  CHECK(fields_of("a,b\r\nc,d\r\n") == wanted);
  CHECK(fields_of("a,b\rc,d\r") == wanted);
  CHECK(fields_of("a,b\nc,d") == wanted);
  CHECK(fields_of("").empty());
}

TEST_CASE("CSV: rows without text are skipped, lines are still counted") {
  CHECK(fields_of("\n\na,b\n , \n,,,\nc,d\n\n") == Fields{{"a", "b"}, {"c", "d"}});
  CHECK(lines_of("\n\na,b\n , \n,,,\nc,d\n\n") == std::vector<std::size_t>{3, 6});
  CHECK(lines_of("a\r\n\r\nb\r\n") == std::vector<std::size_t>{1, 3});
}

TEST_CASE("CSV: blanks around fields are removed, those inside stay") {
  CHECK(fields_of(" a b ,\tc ,  \"d e\"  ,f") == Fields{{"a b", "c", "d e", "f"}});
}

TEST_CASE("CSV: empty fields count, a comma at the end opens one more") {
  CHECK(fields_of("a,,b,\n") == Fields{{"a", "", "b", ""}});
}

TEST_CASE("CSV: quoted fields may have commas, line ends, quotes and blanks") {
  CHECK(fields_of("\"a,b\",\"c\"\"d\",\" e \",\"\"\n") == Fields{{"a,b", "c\"d", " e ", ""}});
  CHECK(fields_of("\"a\r\nb\",c\nd,e") == Fields{{"a\nb", "c"}, {"d", "e"}});
  CHECK(lines_of("\"a\r\nb\",c\nd,e") == std::vector<std::size_t>{1, 3});
}

TEST_CASE("CSV: a quote inside an unquoted field is an ordinary character") {
  CHECK(fields_of("5\" pipe,1") == Fields{{"5\" pipe", "1"}});
}

TEST_CASE("CSV: the fields of one line, also empty ones") {
  using Line = std::vector<std::string>;
  CHECK(parse_csv_line("").value() == Line{""});
  CHECK_FALSE(parse_csv_line("a,b\rc,d").ok());
  CHECK(parse_csv_line(", ,").value() == Line{"", "", ""});
  CHECK(parse_csv_line("a, b c ,\"d,e\"\"f\" ,").value() == Line{"a", "b c", "d,e\"f", ""});
  CHECK(parse_csv_line("a b\tc\t\td", '\t').value() == Line{"a b", "c", "", "d"});
}

TEST_CASE("CSV: words have any number of blanks between them") {
  using Line = std::vector<std::string>;
  CHECK(parse_csv_line(" a.png \t \"with space.png\"  c ", ' ').value() ==
        Line{"a.png", "with space.png", "c"});
  CHECK(parse_csv_line("", ' ').value().empty());
  CHECK_FALSE(parse_csv_line("\"a\"b c", ' ').ok());
  CHECK(parse_csv("a b\n\n c\td\n", "t", ' ').value()[1].fields == Line{"c", "d"});
}

TEST_CASE("CSV: open quotes and text after a quote are errors with their line") {
  const auto open = parse_csv("a,b\nc,\"d\ne,f\n", "t.csv");
  REQUIRE_FALSE(open.ok());
  CHECK(open.error().path == "t.csv");
  CHECK(open.error().code == ErrorCode::data);
  CHECK_THAT(open.error().message,
             ContainsSubstring("line 2") && ContainsSubstring("never closed"));

  const auto after = parse_csv("a,b\n\n\"c\"d,e\n", "t.csv");
  REQUIRE_FALSE(after.ok());
  CHECK_THAT(after.error().message,
             ContainsSubstring("line 3") && ContainsSubstring("closing quote"));
}
