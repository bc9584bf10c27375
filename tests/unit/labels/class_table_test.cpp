#include "labels/class_table.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

ClassTable parse(std::string_view text) { return parse_class_file(text, "classes.txt").value(); }

std::string failure(std::string_view text) {
  const Result<ClassTable> table = parse_class_file(text, "classes.txt");
  REQUIRE_FALSE(table.ok());
  CHECK(table.error().code == ErrorCode::data);
  CHECK(table.error().path == "classes.txt");
  return table.error().message;
}

std::vector<std::string> names_of(const ClassTable& table) {
  std::vector<std::string> names;
  for (const ClassInfo& info : table.classes) names.push_back(info.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a color table has names, colors and ids in row order") {
  const ClassTable table = parse("name,r,g,b\nSky,128,128,128\nRoad,128,64,128\nVoid,0,0,0\n");
  CHECK(names_of(table) == Names{"Sky", "Road", "Void"});
  CHECK(table.has_colors);
  CHECK(table.classes[1].color == RgbColor{128, 64, 128});
  CHECK(table.warnings.empty());
  CHECK(table.find("Road") == 1);
  CHECK_FALSE(table.find("road"));
}

TEST_CASE("color tables as people write them") {
  const std::vector<std::string> variants{
      "name,r,g,b\nSky,1,2,3\nRoad,4,5,6\n",
      "class_names,r,g,b\r\nSky,1,2,3\r\nRoad,4,5,6\r\n",
      "\xEF\xBB\xBFname,r,g,b\nSky,1,2,3\nRoad,4,5,6",
      "Sky,1,2,3\nRoad,4,5,6\n",
      "name,r,g,b\n\nSky,1, 2,3\n\n\nRoad , 4,5 , 6 \n\n",
      "name,R,G,B\nSky,1.0,2.0,3.0\nRoad,4.,5.0,6e0\n",
      "name, red, green, blue\n\"Sky\",\"1\",2,3\n\"Road\",+4,05,6\n",
      "name,r,g,b,,\nSky,1,2,3,,\nRoad,4,5,6,,\n",
  };
  for (const std::string& text : variants) {
    INFO(text);
    const ClassTable table = parse(text);
    CHECK(names_of(table) == Names{"Sky", "Road"});
    CHECK(table.classes[0].color == RgbColor{1, 2, 3});
    CHECK(table.classes[1].color == RgbColor{4, 5, 6});
    CHECK(table.warnings.empty());
  }
}

TEST_CASE("quoted names keep commas and quotes") {
  CHECK(names_of(parse("name,r,g,b\n\"wall, brick\",1,2,3\n\"5\"\" pipe\",4,5,6\n")) ==
        Names{"wall, brick", "5\" pipe"});
}

TEST_CASE("rows of three numbers become numbered classes with a warning") {
  for (const char* text : {"64,128,64\n192,0,128\n", "r,g,b\n64,128,64\n192,0,128\n"}) {
    const ClassTable table = parse(text);
    CHECK(names_of(table) == Names{"class_0", "class_1"});
    CHECK(table.classes[1].color == RgbColor{192, 0, 128});
    REQUIRE(table.warnings.size() == 1);
    CHECK_THAT(table.warnings[0], ContainsSubstring("no names"));
  }
}

TEST_CASE("colors are int(float(x)), a fraction is dropped with a warning") {
  const ClassTable table = parse("name,r,g,b\na,219.9,1e2,255.99\nb,0.5,-0.5,0\n");
  CHECK(table.classes[0].color == RgbColor{219, 100, 255});
  CHECK(table.classes[1].color == RgbColor{0, 0, 0});
  REQUIRE(table.warnings.size() == 1);
  CHECK_THAT(table.warnings[0], ContainsSubstring("line 2"));
}

TEST_CASE("further columns are ignored with a warning that names them") {
  const ClassTable table = parse("name,r,g,b,weight,note\nbg,0,0,0,0.5,x\nBridge,1,1,1,1,\n");
  CHECK(table.classes.size() == 2);
  REQUIRE(table.warnings.size() == 1);
  CHECK_THAT(table.warnings[0], ContainsSubstring("not used: 'weight', 'note'"));
  CHECK_THAT(parse("bg,0,0,0,9\n").warnings.at(0), ContainsSubstring("not used: '5'"));
}

TEST_CASE("a 0/1 column may mark unused classes, which suggests --ignore") {
  const ClassTable table = parse("name,r,g,b,class_11\nbg,0,0,0,0\nBridge,1,1,1,1\nVoid,2,2,2,0\n");
  CHECK(names_of(table) == Names{"bg", "Bridge", "Void"});
  REQUIRE(table.warnings.size() == 1);
  CHECK_THAT(table.warnings[0], ContainsSubstring("class_11") && ContainsSubstring("--ignore") &&
                                    ContainsSubstring("each class with 0"));
  CHECK_THAT(parse("name,r,g,b,class_11\nbg,0,0,0,1\nBridge,1,1,1,1\n").warnings[0],
             !ContainsSubstring("--ignore"));
}

TEST_CASE("a column of new classes suggests --map") {
  CHECK_THAT(parse("name,r,g,b,to12\nSky,1,2,3,0\nRoad,4,5,6,3\n").warnings[0],
             ContainsSubstring("--map"));
}

TEST_CASE("values outside 0…255 and words for numbers are errors with the line") {
  CHECK_THAT(failure("name,r,g,b\na,0,0,0\nb,0,256,0\n"),
             ContainsSubstring("line 3") && ContainsSubstring("256"));
  CHECK_THAT(failure("name,r,g,b\na,-1,0,0\n"),
             ContainsSubstring("line 2") && ContainsSubstring("-1"));
  CHECK_THAT(failure("name,r,g,b\na,0,x,0\n"),
             ContainsSubstring("line 2") && ContainsSubstring("'x' is not a number"));
  CHECK_THAT(failure("name,r,g,b\na,0,,0\n"), ContainsSubstring("line 2"));
  CHECK_THAT(failure("name,r,g,b\na,0,nan,0\n"), ContainsSubstring("'nan'"));
  CHECK_THAT(failure("name,r,g,b\na,0,1 2,0\n"), ContainsSubstring("'1 2'"));
}

TEST_CASE("a first row with partly numeric colors is an error") {
  CHECK_THAT(failure("a,0,x,0\nb,1,1,1\n"),
             ContainsSubstring("line 1") && ContainsSubstring("'x'"));
}

TEST_CASE("rows with too few or too many columns are errors with the line") {
  CHECK_THAT(failure("name,r,g,b\na,0,0\n"),
             ContainsSubstring("line 2") && ContainsSubstring("has 3 columns"));
  CHECK_THAT(failure("0,road\n1,sky\n"),
             ContainsSubstring("line 1") && ContainsSubstring("id,name"));
  CHECK_THAT(failure("1,2,3\n1,2,3,4\n"),
             ContainsSubstring("line 2") && ContainsSubstring("has 4 columns"));
}

TEST_CASE("a color or name that occurs twice is an error naming both lines") {
  CHECK_THAT(
      failure("name,r,g,b\na,1,2,3\n\nb,4,5,6\nc,1,2,3\n"),
      ContainsSubstring("line 5") && ContainsSubstring("line 2") && ContainsSubstring("#010203"));
  CHECK_THAT(failure("name,r,g,b\na,1,2,3\na,4,5,6\n"), ContainsSubstring("line 3") &&
                                                            ContainsSubstring("line 2") &&
                                                            ContainsSubstring("'a'"));
  CHECK_THAT(failure("sky\nroad\nsky\n"),
             ContainsSubstring("line 3") && ContainsSubstring("line 1"));
}

TEST_CASE("a row that repeats name and color of another is dropped with a warning") {
  const ClassTable table = parse("name,r,g,b\nsky,1,2,3\nroad,4,5,6\nsky,1,2,3\n");
  CHECK(names_of(table) == Names{"sky", "road"});
  REQUIRE(table.warnings.size() == 1);
  CHECK_THAT(table.warnings[0], ContainsSubstring("line 4") && ContainsSubstring("line 2") &&
                                    ContainsSubstring("'sky'"));
}

TEST_CASE("one class with two colors suggests --map") {
  CHECK_THAT(failure("name,r,g,b\nsky,1,2,3\nsky,4,5,6\n"),
             ContainsSubstring("line 3") && ContainsSubstring("--map"));
}

TEST_CASE("a CVAT label map is read") {
  const ClassTable table = parse(
      "# label:color_rgb:parts:actions\nbackground:0,0,0::\r\n\naeroplane:10, 10 ,128::\ntime: "
      "noon:1,2,3::\nunpainted:::\n");
  CHECK(names_of(table) == Names{"background", "aeroplane", "time: noon", "unpainted"});
  CHECK(table.classes[1].color == RgbColor{10, 10, 128});
  CHECK_FALSE(table.classes[3].color);
  CHECK_FALSE(table.has_colors);
  CHECK(table.warnings.empty());
  CHECK(parse("a:0,0,0::\nb:1,1,1::\n").has_colors);
  CHECK_THAT(parse("person:0,0,0:head,hand:walk\n").warnings[0],
             ContainsSubstring("parts and actions"));
}

TEST_CASE("errors in a label map have their line") {
  CHECK_THAT(failure("a:0,0,0::\nb:1,1::\n"),
             ContainsSubstring("line 2") && ContainsSubstring("2 numbers"));
  CHECK_THAT(failure("# x\na:0,0,0::\nb:1,1,256::\n"),
             ContainsSubstring("line 3") && ContainsSubstring("256"));
  CHECK_THAT(failure("a:0,0,0::\nb,1,1,1\n"),
             ContainsSubstring("line 2") && ContainsSubstring("name:r,g,b:parts:actions"));
  CHECK_THAT(failure("a:0,0,0::\nb:0,0,0::\n"),
             ContainsSubstring("line 2") && ContainsSubstring("line 1"));
}

TEST_CASE("a DIGITS list of colors between blanks is read") {
  const ClassTable table = parse("0 0 0\n128  64\t128\n\n 1 2 3 \n");
  CHECK(names_of(table) == Names{"class_0", "class_1", "class_2"});
  CHECK(table.classes[1].color == RgbColor{128, 64, 128});
  CHECK(table.has_colors);
  CHECK_THAT(table.warnings.at(0), ContainsSubstring("no names"));
  CHECK_THAT(failure("0 0 0\n0 0 300\n"), ContainsSubstring("line 2") && ContainsSubstring("300"));
  CHECK_THAT(failure("0 0 0\n0 0 0\n"), ContainsSubstring("line 2") && ContainsSubstring("line 1"));
}

TEST_CASE("a class without a name is an error") {
  CHECK_THAT(failure("name,r,g,b\n,1,2,3\n"),
             ContainsSubstring("line 2") && ContainsSubstring("no name"));
}

TEST_CASE("a table with ids and colors is no classification table") {
  CHECK(names_of(parse("class_id,name,color\n1,sky,#000001\n0,road,#000000\n")) ==
        Names{"road", "sky"});
  CHECK(names_of(parse("name,r,g,b,id\nsky,1,1,1,1\nroad,2,2,2,0\n")) == Names{"road", "sky"});
}

TEST_CASE("a classification table is refused with advice") {
  const std::string message = failure(
      "class_index,class,height,width,scale by,Offset\n0,ABBOTTS BABBLER,150,150,1,0\n1,ABBOTTS "
      "BOOBY,150,150,1,0\n");
  CHECK_THAT(message, ContainsSubstring("whole-image") && ContainsSubstring("--image-folders") &&
                          ContainsSubstring("name,r,g,b"));
}

TEST_CASE("a quote that is never closed is an error with its line") {
  CHECK_THAT(failure("name,r,g,b\n\"a,1,2,3\nb,4,5,6\n"), ContainsSubstring("line 2"));
}

TEST_CASE("a file without classes, or not of text, is an error") {
  CHECK_THAT(failure(""), ContainsSubstring("no class"));
  CHECK_THAT(failure("\n \n"), ContainsSubstring("no class"));
  CHECK_THAT(failure("name,r,g,b\n"), ContainsSubstring("no class"));
  CHECK_THAT(failure("__ignore__\n"), ContainsSubstring("no class"));
  CHECK_THAT(failure(std::string_view("\xFF\xFE"
                                      "a\0b\0",
                                      6)),
             ContainsSubstring("line 1") && ContainsSubstring("UTF-16"));
}

TEST_CASE("a class's name has no invisible character") {
  for (const std::string name :
       {"a\x1B[31m", "a\u202Eb", "a\u0085", "a\u2066b", "\"a\nb\"", "a\x7F"})
    CHECK_THAT(failure("name,r,g,b\n" + name + ",1,2,3\n"),
               ContainsSubstring("line 2") && ContainsSubstring("U+"));
  CHECK_THAT(failure("a\u202Eb\n"), ContainsSubstring("U+202E") && !ContainsSubstring("\u202E"));
  CHECK(names_of(parse("\"<b>\"\n&amp;\n\u05D0\u05D1\n")) == Names{"<b>", "&amp;", "\u05D0\u05D1"});
}

TEST_CASE("names one per line: trimmed, in order, without colors") {
  const ClassTable table = parse("\xEF\xBB\xBF_background_\r\n  sky \r\n\r\nroad way");
  CHECK(names_of(table) == Names{"_background_", "sky", "road way"});
  CHECK_FALSE(table.has_colors);
  CHECK_FALSE(table.classes[0].color);
  CHECK(table.warnings.empty());
}

TEST_CASE("a first line that may be a header is an error with a choice") {
  for (const char* text : {"name\nroad\nsky\n", "\nClass\nroad\n", "label"})
    CHECK_THAT(failure(text),
               ContainsSubstring("header or a class") && ContainsSubstring("in quotes"));
  CHECK(names_of(parse("\"name\"\nroad\n")) == Names{"name", "road"});
  CHECK(names_of(parse("road\nname\n")) == Names{"road", "name"});
}

TEST_CASE("three numbers and a name are read as in CamVid") {
  const ClassTable table =
      parse("64 128 64\tAnimal\n192 0 128\t\tArchway\n0 128  192 Bicyclist 2\n");
  CHECK(names_of(table) == Names{"Animal", "Archway", "Bicyclist 2"});
  CHECK(table.classes[1].color == RgbColor{192, 0, 128});
  CHECK(table.has_colors);
  CHECK(table.warnings.empty());
}

TEST_CASE("text of another encoding is an error with its line") {
  for (const char* text : {"road\nch\xE2teau\n", "road\n\xC3", "road\n\xED\xA0\x80",
                           "road\n\xF5\x80\x80\x80", "road\n\xC0\x80"})
    CHECK_THAT(failure(text), ContainsSubstring("line 2") && ContainsSubstring("UTF-8"));
  CHECK(names_of(parse("ch\u00E2teau\n\u65E5\u672C\n\U0001F6E3\n")).size() == 3);
}

TEST_CASE("names may contain commas") {
  CHECK(names_of(parse("wall\nbuilding, edifice\nsky, heaven, air, blue\n")) ==
        Names{"wall", "building, edifice", "sky, heaven, air, blue"});
}

TEST_CASE("__ignore__ is not a class and is skipped with a warning") {
  const ClassTable table = parse("__ignore__\n_background_\ncat\n");
  CHECK(names_of(table) == Names{"_background_", "cat"});
  REQUIRE(table.warnings.size() == 1);
  CHECK_THAT(table.warnings[0], ContainsSubstring("line 1"));
}

TEST_CASE("more classes than 16-bit ids are an error") {
  std::string text;
  for (std::size_t i = 0; i <= kMaxClasses; ++i) text += "c" + std::to_string(i) + "\n";
  CHECK_THAT(failure(text), ContainsSubstring("65535"));
  text.erase(text.rfind('c'));
  CHECK(parse(text).classes.size() == kMaxClasses);
}

TEST_CASE("class tables can be made without a file") {
  CHECK(names_of(numbered_classes(3)) == Names{"0", "1", "2"});
  CHECK_FALSE(numbered_classes(3).has_colors);
  CHECK(names_of(binary_classes()) == Names{"background", "foreground"});
  const ClassTable folders =
      named_classes({"cat", "Zebra", "ant", "10", "9", "\xC3\xA9t\xC3\xA9", "cat"});
  CHECK(names_of(folders) == Names{"10", "9", "Zebra", "ant", "cat", "\xC3\xA9t\xC3\xA9"});
  CHECK(folders.classes[3].sources == std::vector<LabelSource>{"ant"});
}

TEST_CASE("a name may be separated from its color in any way") {
  for (const std::string text :
       {"Tooth: 0 170 255\nBack ground: 1 2 3\n",
        "name;r;g;b\nTooth;0;170;255\nBack ground;1;2;3\n",
        "Tooth\t0\t170\t255\nBack ground\t1\t2\t3",
        "# legend\nTooth 0 170 255\n\nBack ground 1 2 3\n", "Tooth #00aaff\nBack ground #010203\n",
        "Tooth = 0, 170 255\nBack ground = 1 2 3\n"}) {
    INFO(text);
    const ClassTable table = parse_class_file(text, "legend.txt").value();
    REQUIRE(table.classes.size() == 2);
    CHECK(table.has_colors);
    CHECK(table.classes[0].name == "Tooth");
    CHECK(table.classes[0].color == RgbColor{0, 170, 255});
    CHECK(table.classes[1].name == "Back ground");
    CHECK(table.classes[1].color == RgbColor{1, 2, 3});
  }
}

TEST_CASE("ids before names are not a names file: the order may differ") {
  for (const std::string text :
       {"1: Tooth\n0: Background\n", "3 Caries\n2 Filling\n", "0,Background\n1,Tooth\n"}) {
    INFO(text);
    const auto table = parse_class_file(text, "legend.txt");
    REQUIRE_FALSE(table.ok());
    CHECK(table.error().code == ErrorCode::data);
    CHECK_THAT(table.error().message,
               ContainsSubstring("each line has a number") && ContainsSubstring("id,name"));
  }
  CHECK_THAT(failure("classes\n1: Tooth\n0: Background\n"),
             ContainsSubstring("id,name\n  1,Tooth"));
  CHECK(parse_class_file("2-wheeler\ncar\n", "names.txt").value().classes[0].name == "2-wheeler");
}

TEST_CASE("a comment in a names file is not a class") {
  CHECK(parse_class_file("# classes\nroad\nsky\n", "names.txt").value().classes.size() == 2);
}

TEST_CASE("numbers before every name are an error with a choice") {
  for (const std::string text :
       {"sky: 2\nroad: 0\ncar: 1\n", "sky=2\nroad=0\n", "sky -> 2\nroad -> 0\n",
        "sky (2)\nroad (0)\n", "0. sky\n1. road\n", "(2) sky\n(0) road\n", "#2 sky\n#0 road\n",
        "2) sky\n0) road\n", "# classes\nsky:2\nroad:0\n"}) {
    CAPTURE(text);
    CHECK_THAT(failure(text), ContainsSubstring("id,name") && ContainsSubstring("in quotes"));
  }
  CHECK_THAT(failure("sky: 2\nroad: 0\n"), ContainsSubstring("id,name\n  2,sky"));
  CHECK(names_of(parse("zone 1\nzone 2\n")) == Names{"zone 1", "zone 2"});
  CHECK(names_of(parse("covid-19\nsars-2\n")) == Names{"covid-19", "sars-2"});
  CHECK(names_of(parse("\"gate: 1\"\n\"gate: 2\"\n")) == Names{"gate: 1", "gate: 2"});
}

TEST_CASE("a list of names with an id behind each is an error with a choice") {
  for (const std::string text :
       {"boat 4\nground 0\ntree 1\n", "zone north 1\nzone south 2\n", "ground 0\ntree 1\nboat 2\n",
        "# classes\nriver boat  4\ndirt road  0\n__ignore__\n"}) {
    CAPTURE(text);
    CHECK_THAT(failure(text), ContainsSubstring("id,name") && ContainsSubstring("in quotes"));
  }
  CHECK_THAT(failure("boat 4\nground 0\n"), ContainsSubstring("id,name\n  4,boat"));
}

TEST_CASE("numbers that belong to names are no ids") {
  for (const Names& names :
       {Names{"zone 1", "zone 2"}, Names{"zone 0", "zone 1"}, Names{"zone 7", "zone 3"},
        Names{"car 1", "car 2", "bus 3"}, Names{"car 1", "bus 1"}, Names{"sky", "zone 1", "car 2"},
        Names{"covid19", "sars2"}}) {
    const std::string text = joined_text({names.begin(), names.end()}, "\n");
    CAPTURE(text);
    CHECK(names_of(parse(text + "\n")) == names);
  }
  CHECK(names_of(parse("\"boat 4\"\n\"tree 1\"\n")) == Names{"boat 4", "tree 1"});
}

TEST_CASE("rows with columns between tabs, bars or quotes are not names") {
  for (const std::string text :
       {"sky\tfar\nroad\tnear\n", "road|near\nsky|far\n", "\"0\",\"sky\"\n\"1\",\"road\"\n"}) {
    CAPTURE(text);
    CHECK_THAT(failure(text), ContainsSubstring("columns"));
  }
  CHECK(names_of(parse("\"wall, brick\"\n\"wall, wood\"\n")) == Names{"wall, brick", "wall, wood"});
}

TEST_CASE("a file of another format is refused by name, at any line") {
  const std::vector<std::pair<std::string, std::string>> files{
      {"{\"0\": \"sky\",\n\"1\": \"road\"}\n", "line 1: '{\"0\": \"sky\",' looks like JSON"},
      {"[\"sky\",\n\"road\"]\n", "line 1: '[\"sky\",' looks like JSON"},
      {"item {\n  id: 1\n  name: \"sky\"\n}\n", "line 1: 'item {' looks like JSON"},
      {"- sky\n- road\n", "line 1: '- sky' looks like YAML"},
      {"sky\nroad\n- car\n", "line 3: '- car' looks like YAML"},
      {"train: ../train/images\nnc: 2\n", "line 1: 'train: ../train/images' looks like YAML"},
      {"# mine\nCLASSES = (\n    'sky',\n    'road',\n)\n",
       "line 2: 'CLASSES = (' looks like Python"},
      {"CLASSES = ('sky', 'road')\nPALETTE = [[0, 0, 0], [9, 9, 9]]\n", "looks like Python"},
      {"<labels>\n<label>sky</label>\n</labels>\n", "line 1: '<labels>' looks like XML"},
      {"[classes]\nsky=0\nroad=1\n", "line 1: '[classes]' looks like INI"},
      {"sky\nroad = 2\n", "line 2: 'road = 2' looks like INI"},
      {"* sky\n* road\n", "line 1: '* sky' looks like Markdown"},
  };
  for (const auto& [text, part] : files) {
    CAPTURE(text);
    CHECK_THAT(failure(text), ContainsSubstring(part));
  }
  CHECK(names_of(parse("sky\n\"- car\"\n\"a=b\"\n")) == Names{"sky", "- car", "a=b"});
  CHECK(names_of(parse("path: x\nnames: [sky, road]\nnc: 2\n")) == Names{"sky", "road"});
}

TEST_CASE("a column of possible ids in another order is an error") {
  CHECK_THAT(failure("class,label\nsky,2\nroad,0\ncar,1\n"),
             ContainsSubstring("'label'") && ContainsSubstring("rename the column to 'id'"));
  CHECK_THAT(failure("name,mask value\nsky,255\nroad,0\n"), ContainsSubstring("'mask value'"));
  CHECK_THAT(failure("raw_id,name,train_id\n7,road,0\n11,sky,1\n8,car,2\n"),
             ContainsSubstring("an order other than"));
  CHECK_THAT(failure("id,name,train_id\n0,road,1\n1,sky,0\n"), ContainsSubstring("different ids"));
  CHECK(names_of(parse("class,label\nroad,0\ncar,1\nsky,2\n")) == Names{"road", "car", "sky"});
  CHECK(names_of(parse("name,pixels\nsky,90210\nroad,1200\ncar,77\n")) ==
        Names{"sky", "road", "car"});
}
