// Class files as people write them: a first row that names columns, in any order, separator and
// spelling.

#include <string>
#include <vector>

#include "base/text.hpp"
#include "labels/class_table.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

// "Sky #808080, Road #804080", "Sky, Road", or the error.
std::string read(const std::string& text) {
  const Result<ClassTable> table = parse_class_file(text, "classes.csv");
  if (!table.ok()) return table.error().describe();
  std::string result;
  for (const ClassInfo& info : table->classes)
    result += (result.empty() ? "" : ", ") + info.name +
              (info.color ? " " + color_text(*info.color) : "");
  return result;
}

std::vector<std::string> warnings_of(const std::string& text) {
  const Result<ClassTable> table = parse_class_file(text, "classes.csv");
  REQUIRE(table.ok());
  return table->warnings;
}

}  // namespace

TEST_CASE("a row with a name and a color heading is a header, hex colors are read") {
  const std::string wanted = "Sky #808080, Road #804080";
  for (const std::string header :
       {"name,color", "name,hex", "Name , Colour", "class,hex_color", "Class Name,rgb",
        "label_name,HEX", "class_name,class_color", "\xEF\xBB\xBFname,color"})
    CHECK(read(header + "\nSky,#808080\nRoad,#804080\n") == wanted);
  CHECK(read("class_name,class_color\nSky,128 128 128\nRoad,128 64 128\n") == wanted);
  CHECK(read("label;color\nSky;#808080\nRoad;#804080\n") == wanted);
  CHECK(read("Nom\tcouleur\nSky\t#808080\nRoad\t#804080\n") == wanted);
  CHECK(read("color,name\r\n#808080,Sky\r\n#804080,Road\r\n") == wanted);
}

TEST_CASE("columns r, g and b are found by name in any order, with or without ids") {
  CHECK(read("name,b,g,r\nSky,1,2,3\nRoad,4,5,6\n") == "Sky #030201, Road #060504");
  CHECK(read("id,name,r,g,b\n0,Sky,1,2,3\n1,Road,4,5,6\n") == "Sky #010203, Road #040506");
  CHECK(read("name;red;green;blue\nSky;1;2;3\nRoad;4;5;6\n") == "Sky #010203, Road #040506");
  CHECK_THAT(read("name,r,b,note\nSky,1,2,x\n"), ContainsSubstring("expected all three"));
}

TEST_CASE("an id column sets the ids of the classes") {
  CHECK(read("id,name\n0,Sky\n1,Road\n") == "Sky, Road");
  CHECK(read("id,name\n1,Road\n0,Sky\n") == "Sky, Road");
  CHECK(read("Pixel Value, Class\n0, background\n1, cat\n") == "background, cat");
  CHECK(read("label,name\n0,Sky\n1,Road\n") == "Sky, Road");
  CHECK(read("name;id\nSky;0\nRoad;1\n") == "Sky, Road");
}

TEST_CASE("ids that are not 0 to N-1 are refused with line and advice") {
  CHECK_THAT(read("id,name\n0,Sky\n10,Road\n"),
             ContainsSubstring("line 3") && ContainsSubstring("--map"));
  CHECK_THAT(read("id,name\n1,Sky\n2,Road\n"), ContainsSubstring("line 2"));
  CHECK_THAT(read("id,name\n0,Sky\n0,Road\n"), ContainsSubstring("line 3: id 0 is also in line 2"));
  CHECK_THAT(read("id,name\nx,Sky\n"), ContainsSubstring("line 2: 'x' is not a class id"));
}

TEST_CASE("a row of ignored labels is not a class, and odd columns are reported") {
  const std::string text = "id,name\n0,Sky\n1,Road\n255,void\n";
  CHECK(read(text) == "Sky, Road");
  REQUIRE(warnings_of(text).size() == 1);
  CHECK_THAT(warnings_of(text)[0], ContainsSubstring("'void' with id 255"));
  REQUIRE(warnings_of("class,description\nSky,above\nRoad,below\n").size() == 1);
  CHECK_THAT(warnings_of("class,description\nSky,above\nRoad,below\n")[0],
             ContainsSubstring("'description'"));
}

TEST_CASE("rows of a table without column names are not names") {
  CHECK_THAT(read("Sky, blue\nRoad, gray\n"),
             ContainsSubstring("line 1: 'Sky, blue' is a row of a table"));
  CHECK_THAT(read("Art;Farbe\nSky;blau\nRoad;grau\n"),
             ContainsSubstring("line 1: 'Art;Farbe' is a row of a table"));
  CHECK_THAT(read("name,color\nSky\nRoad\n"),
             ContainsSubstring("line 2: has 1 column, expected 2"));
  CHECK(read("\"Sky, blue\"\n\"Road, gray\"\n") == "Sky, blue, Road, gray");
  CHECK_THAT(read("name,color\nSky,#80808\n"),
             ContainsSubstring("line 2: '#80808' is not a color"));
}

TEST_CASE("the first line of one column is a header, in quotes a class") {
  for (const std::string header : {"cls", "name", "Class Name", "label_name", "Nom", "category"}) {
    CAPTURE(header);
    CHECK(read(header + "\nSky\nRoad\n") == "Sky, Road");
    CHECK(warnings_of(header + "\nSky\nRoad\n").empty());
    CHECK(read("\"" + header + "\"\nSky\n") == header + ", Sky");
    CHECK_THAT(parse_class_file(header + "\nSky\n", "classes.txt").error().message,
               ContainsSubstring("may be a header or a class"));
  }
  CHECK(read("Objekt\nSky\n") == "Objekt, Sky");
  REQUIRE(warnings_of("\nObjekt\nSky\n").size() == 1);
  CHECK_THAT(
      warnings_of("\nObjekt\nSky\n")[0],
      ContainsSubstring("line 2 of the class file, 'Objekt', is class 0; if it is a header"));
  CHECK(warnings_of("\"Objekt\"\nSky\n").empty());
  CHECK(parse_class_file("Objekt\nSky\n", "classes.txt").value().warnings.empty());
}

TEST_CASE("the error for too few columns counts them") {
  CHECK_THAT(read("name,color\nSky\n"), ContainsSubstring("line 2: has 1 column, expected 2"));
}

TEST_CASE("a column that counts classes from 1 is reported, one from 0 agrees") {
  const auto counted = [](const std::string& text) {
    return parse_class_file(text, "classes.csv").value().counted_from_one;
  };
  CHECK(counted("label,Nr\nground,1\ntree,2\nboat,3\n") == "Nr");
  CHECK(counted("Nr;label;color\n1;ground;#000000\n2;tree;#00ff00\n") == "Nr");
  for (const std::string text :
       {"label,Nr\nground,0\ntree,1\n", "label,area\nground,1\ntree,3\n", "label,area\nground,1\n",
        "id,label,Nr\n0,ground,0\n1,tree,1\n", "ground\ntree\n"}) {
    CAPTURE(text);
    CHECK(counted(text).empty());
  }
}
