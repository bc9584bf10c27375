#include "labels/label_map.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

using Names = std::vector<std::string>;
using Values = std::vector<MappedValue>;

LabelMap parse(std::string_view text) { return parse_label_map(text, "map.csv").value(); }

std::string message_of(const Error& error) {
  CHECK(error.code == ErrorCode::data);
  CHECK(error.path == "map.csv");
  return error.message;
}

std::string failure(std::string_view text) {
  const auto map = parse_label_map(text, "map.csv");
  REQUIRE_FALSE(map.ok());
  return message_of(map.error());
}

std::string class_failure(std::string_view text) {
  const auto table = classes_of_map(parse(text));
  REQUIRE_FALSE(table.ok());
  return message_of(table.error());
}

ClassTable table_of(const Names& names) {
  ClassTable table;
  for (const std::string& name : names) table.classes.push_back({name, std::nullopt, {}});
  return table;
}

Names names_of(const ClassTable& table) {
  Names names;
  for (const ClassInfo& info : table.classes) names.push_back(info.name);
  return names;
}

// With the map's own classes.
Values values(std::string_view text) {
  const LabelMap map = parse(text);
  return resolve_map(map, classes_of_map(map).value(), nullptr).value();
}

std::string value_failure(std::string_view text, const ClassTable& table,
                          const OldClasses* old = nullptr) {
  const auto resolved = resolve_map(parse(text), table, old);
  REQUIRE_FALSE(resolved.ok());
  return message_of(resolved.error());
}

}  // namespace

TEST_CASE("a map turns ids into classes or ignored") {
  const Values wanted{{0, kIgnored}, {7, 0}, {8, 1}, {11, 0}, {65535, kIgnored}};
  const std::vector<std::string> variants{
      "old,new\n7,0\n8,1\n11,0\n0,ignore\n65535,Ignore\n",
      "7,0\n8,1\n11,0\n0,ignore\n65535,__ignore__\n",
      "\xEF\xBB\xBFid,class\r\n7, road\r\n8 ,walk\r\n\r\n11,road\r\n0,ignore\r\n65535,ignore",
      "# Cityscapes, in part\n7.0,0.0\n8,1\n11,0,\n#\n\"0\",\"ignore\"\n65535,ignore\n7,0\n",
  };
  for (const std::string& text : variants) {
    INFO(text);
    CHECK(values(text) == wanted);
    CHECK(parse(text).warnings.empty());
  }
}

TEST_CASE("a map turns colors into classes, as #rrggbb or as three numbers") {
  const Values wanted{{0x000000, kIgnored}, {0x800000, 1}, {0x8040ff, 0}};
  CHECK(values("#8040FF,0\n#800000,1\n#000000,ignore\n") == wanted);
  CHECK(values("r,g,b,new\n128,64,255,0\n128.0,0,0,1\n0,0,0,ignore\n") == wanted);
  CHECK(values("128, 64, 255, road\n128,0,0,sky\n0,0,0,ignore\n") == wanted);
}

TEST_CASE("a class file with an extra column is a map of its colors") {
  const Values wanted{{0x000000, kIgnored}, {0x010203, 1}, {0x040506, 0}, {0x070809, 1}};
  CHECK(values("name,r,g,b,to2\nSky,1,2,3,1\nRoad,4,5,6,0\nCloud,7,8,9,1\nVoid,0,0,0,ignore\n") ==
        wanted);
  CHECK(values("Sky,1,2,3,1\nRoad,4,5,6,0\nCloud,7,8,9,1\nVoid,0,0,0,ignore\n") == wanted);
  CHECK(values("name,r,g,b,weight,new_id\nSky,1,2,3,9,1\nRoad,4,5,6,9,0\nCloud,7,8,9,9,1\nVoid,0,0,"
               "0,9,ignore\n") == wanted);
  CHECK(parse("name,r,g,b,to2\nSky,1,2,3,0\n").rows[0].name == "Sky");
}

TEST_CASE("several sources merge, and rows may drop and reorder classes") {
  CHECK(values("3,0\n1,1\n2,1\n0,ignore\n") == Values{{0, kIgnored}, {1, 1}, {2, 1}, {3, 0}});
}

TEST_CASE("maps handle values of medical masks and ids from 1") {
  CHECK(values("0,cup\n128,disc\n255,background\n") == Values{{0, 0}, {128, 1}, {255, 2}});
  CHECK(values("1,0\n2,1\n3,ignore\n") == Values{{1, 0}, {2, 1}, {3, kIgnored}});
}

TEST_CASE("new names become classes in order of appearance, new ids number them") {
  CHECK(names_of(classes_of_map(parse("5,road\n1,sky\n6,road\n0,ignore\n")).value()) ==
        Names{"road", "sky"});
  CHECK(names_of(classes_of_map(parse("5,1\n1,0\n6,2\n")).value()) == Names{"0", "1", "2"});
}

TEST_CASE("mapped ids must have no gaps unless the classes are given") {
  CHECK_THAT(class_failure("1,0\n2,3\n4,1\n"), ContainsSubstring("up to 3") &&
                                                   ContainsSubstring("becomes 2") &&
                                                   ContainsSubstring("--num-classes"));
  CHECK_THAT(class_failure("1,0\n2,255\n"), ContainsSubstring("write ignore in place of 255"));
  CHECK_THAT(class_failure("1,0\n2,-1\n"),
             ContainsSubstring("line 2") && ContainsSubstring("write ignore"));
  CHECK_THAT(class_failure("1,sky\n2,3\n"), ContainsSubstring("'sky'") &&
                                                ContainsSubstring("'3'") &&
                                                ContainsSubstring("--classes"));
  CHECK_THAT(class_failure("1,ignore\n"), ContainsSubstring("no class is left"));
  CHECK(resolve_map(parse("1,0\n2,3\n"), numbered_classes(4), nullptr).value() ==
        Values{{1, 0}, {2, 3}});
}

TEST_CASE("new classes are named by name or id of given classes") {
  const ClassTable table = table_of({"sky", "road"});
  CHECK(resolve_map(parse("7,road\n8,0\n"), table, nullptr).value() == Values{{7, 1}, {8, 0}});
  CHECK_THAT(value_failure("7,road\n8,Road\n", table),
             ContainsSubstring("line 2") && ContainsSubstring("'Road' is neither a class"));
  CHECK_THAT(value_failure("7,2\n", table),
             ContainsSubstring("line 1") && ContainsSubstring("below 2"));
  CHECK_THAT(value_failure("7,255\n", table), ContainsSubstring("write ignore"));
  CHECK_THAT(value_failure("7,1\n", table_of({"1", "0"})),
             ContainsSubstring("is both an id and the name of class 0"));
}

TEST_CASE("an old class name stands for all its sources, ignored stays ignored") {
  const OldClasses old{table_of({"road", "lane", "sky"}),
                       {{3, 0}, {4, 0}, {5, 1}, {6, 2}, {9, kIgnored}, {10, kIgnored}}};
  const LabelMap map = parse("road,way\nlane,way\n10,other\n");
  const ClassTable table = classes_of_map(map).value();
  CHECK(names_of(table) == Names{"way", "other"});
  CHECK(resolve_map(map, table, &old).value() ==
        Values{{3, 0}, {4, 0}, {5, 0}, {9, kIgnored}, {10, 1}});
  CHECK_THAT(value_failure("rode,0\n", table, &old),
             ContainsSubstring("line 1") && ContainsSubstring("'rode' is not a class"));
  CHECK_THAT(value_failure("road,0\n", table), ContainsSubstring("--classes"));
}

TEST_CASE("a value with two meanings is an error, repeating one meaning is not") {
  CHECK_THAT(
      value_failure("7,0\n8,1\n7,1\n", numbered_classes(2)),
      ContainsSubstring("line 3") && ContainsSubstring("line 1") && ContainsSubstring("'7'"));
  CHECK(values("#0a0b0c,x\n#0A0B0C,x\n") == Values{{0x0a0b0c, 0}});
}

TEST_CASE("rows without a new class and impossible ids are dropped with a warning") {
  const LabelMap map = parse("name,r,g,b,to1\nSky,1,2,3,0\nTrain,4,5,6,\nTunnel,7,8,9\n");
  CHECK(map.rows.size() == 1);
  REQUIRE(map.warnings.size() == 2);
  CHECK_THAT(map.warnings[0], ContainsSubstring("line 3") && ContainsSubstring("'Train'") &&
                                  ContainsSubstring("unknown"));
  CHECK_THAT(map.warnings[1], ContainsSubstring("line 4"));
  CHECK_THAT(parse("0,0\n-1,ignore\n").warnings.at(0), ContainsSubstring("-1"));
}

TEST_CASE("errors in a map have the line and the expected value") {
  CHECK_THAT(failure("0,0\n70000,1\n"),
             ContainsSubstring("line 2") && ContainsSubstring("0…65535"));
  CHECK_THAT(failure("#80408,0\n"), ContainsSubstring("line 1") && ContainsSubstring("#rrggbb"));
  CHECK_THAT(failure("0,0\n#804080,0\n"),
             ContainsSubstring("line 2") && ContainsSubstring("ids and colors"));
  CHECK_THAT(failure("r,g,b,new\n1,2,x,0\n"),
             ContainsSubstring("line 2") && ContainsSubstring("'x' is not a number"));
  CHECK_THAT(failure("r,g,b,new\n1,2,300,0\n"),
             ContainsSubstring("line 2") && ContainsSubstring("300"));
  CHECK_THAT(failure("0,0\n1,building, edifice\n"), ContainsSubstring("line 2") &&
                                                        ContainsSubstring("3 fields") &&
                                                        ContainsSubstring("quote"));
  CHECK_THAT(failure("1,2,3\n"), ContainsSubstring("3 fields") && ContainsSubstring("r,g,b,new"));
  CHECK_THAT(failure("name,r,g,b\nSky,1,2,3\n"),
             ContainsSubstring("line 1") && ContainsSubstring("what happens to each class"));
  CHECK_THAT(failure("name,r,g,b,x,y\nSky,1,2,3,4,5\n"),
             ContainsSubstring("2 columns after name,r,g,b"));
  CHECK_THAT(failure("name,b,g,r,to\nSky,1,2,3,4\n"), ContainsSubstring("blue, green, red"));
  CHECK_THAT(failure(",0\n1,1\n"), ContainsSubstring("line 1") && ContainsSubstring("missing"));
  CHECK_THAT(failure(""), ContainsSubstring("empty"));
  CHECK_THAT(failure("old,new\n"), ContainsSubstring("no row"));
  CHECK_THAT(failure("0,\"a\n"), ContainsSubstring("line 1"));
  CHECK_THAT(failure(std::string_view("\xFF\xFE\0,", 4)), ContainsSubstring("UTF-8"));
}

TEST_CASE("a map of all ids is read and resolved") {
  std::string text;
  for (int id = 0; id < 65536; ++id)
    text += std::to_string(id) + "," + std::to_string(id / 2) + "\n";
  const Values all = values(text);
  CHECK(all.size() == 65536);
  CHECK(all.back() == MappedValue{65535, 32767});
}

TEST_CASE("whole-image classes are mapped by name, also if names are numbers") {
  using Pairs = std::vector<std::pair<std::string, std::uint16_t>>;
  const LabelMap map = parse("old,new\nbees,insect\nants,insect\n10,digit\nants,insect\n");
  CHECK(resolve_class_names(map, classes_of_map(map).value()).value() ==
        Pairs{{"10", 1}, {"ants", 0}, {"bees", 0}});
  const auto refused = [&](std::string_view text) {
    const auto names = resolve_class_names(parse(text), table_of({"a", "b"}));
    REQUIRE_FALSE(names.ok());
    return message_of(names.error());
  };
  CHECK_THAT(refused("x,ignore\n"), ContainsSubstring("cannot be ignored"));
  CHECK_THAT(refused("x,a\nx,b\n"), ContainsSubstring("line 2") && ContainsSubstring("line 1"));
  CHECK_THAT(refused("x,c\n"), ContainsSubstring("'c' is neither a class"));
}
