#include "labels/markup.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

std::vector<std::string> names(std::string_view text) {
  const auto table = parse_yaml_names(text, "data.yaml");
  REQUIRE(table);
  std::vector<std::string> names;
  for (const ClassInfo& info : table->value().classes) names.push_back(info.name);
  return names;
}

std::string failure(std::string_view text) {
  const auto table = parse_yaml_names(text, "data.yaml");
  REQUIRE(table);
  REQUIRE_FALSE(table->ok());
  CHECK(table->error().path == "data.yaml");
  return table->error().message;
}

}  // namespace

TEST_CASE("lists of images and sentences are no class files") {
  for (const std::string text :
       {"masks/a.png\nmasks/b.png\n", "0001.png\n0002.png\n", "images/a.png cat\nb.JPG dog\n",
        "my photo.jpeg\n", "image,class\na.png,cat\nb.png,dog\n", "a.tif;1\nb.tif;2\n",
        "sky\nroad\nroad.png\n", "The data set has\nthese three classes: a, b and c.\n",
        "Legend of the data:\nsky\nroad\n", "Made in 2019. See the paper\n"}) {
    INFO(text);
    bool no_list = false;
    const auto table = parse_class_file(text, "labels.txt", &no_list);
    REQUIRE_FALSE(table.ok());
    CHECK(no_list);
    CHECK_THAT(
        table.error().message,
        ContainsSubstring("looks like the name of an image: write one class name per line") ||
            ContainsSubstring("looks like a sentence: write one class name per line"));
  }
}

TEST_CASE("names of several words, tables and quoted lines stay class files") {
  for (const std::string text :
       {"door, double door\ntelevision, television receiver, tv set\n", "St. Bernard\nNo. 5\n",
        "person (adult)\nnothing of the above\n", "\"a.png\"\n\"This is a class.\"\n",
        "name,icon\nsky,sky.png\nroad,road.png\n",
        "class,description\nsky,The sky above us.\nroad,What cars use. Also bikes.\n"}) {
    INFO(text);
    bool no_list = false;
    const auto table = parse_class_file(text, "labels.txt", &no_list);
    REQUIRE(table.ok());
    CHECK(table->classes.size() == 2);
    CHECK_FALSE(no_list);
  }
  bool no_list = false;
  CHECK_FALSE(parse_class_file("sky\nsky\n", "labels.txt", &no_list).ok());
  CHECK_FALSE(no_list);
}

TEST_CASE("lines of other formats are recognized, names are not") {
  const std::vector<std::pair<std::string, std::string>> lines{
      {"train: ../train/images", "YAML"},
      {"names:", "YAML"},
      {"- sky", "YAML"},
      {"---", "YAML"},
      {"CLASSES = (", "Python"},
      {"CLASSES = ['sky',", "Python"},
      {"'sky',", "Python"},
      {")", "Python"},
      {"import torch", "Python"},
      {"[classes]", "INI"},
      {"sky=0", "INI"},
      {"{", "JSON"},
      {"\"sky\": 0,", "JSON"},
      {"\"sky\",", "JSON"},
      {"[\"sky\", \"road\"]", "JSON"},
      {"item {", "JSON"},
      {"<label>sky</label>", "XML"},
      {"* sky", "Markdown"},
      {"```", "Markdown"},
  };
  for (const auto& [line, format] : lines) {
    INFO(line);
    CHECK(markup_of(line) == format);
  }
  for (const std::string line :
       {"", "sky", "traffic light", "traffic light: red", "it's a boat", "wall-brick", "a - b",
        "person (adult)", "__ignore__", "10 m", "\"sky\"", "C++", "-", "Straße"}) {
    INFO(line);
    CHECK(markup_of(line).empty());
  }
}

TEST_CASE("names: of a YAML file are read in all its forms") {
  const std::vector<std::string> three{"void", "a road", "car"};
  for (const std::string text :
       {"nc: 3\nnames: ['void', \"a road\", car]\n", "names: [void, a road, car]  # all\nnc: 3\n",
        "names: [void,\n  'a road',  # gray\n  car,\n]\nval: x\n",
        "names: {0: void, 1: a road, 2: car}", "names:\n- void\n- 'a road'\n- car\nnc: 3",
        "names:\r\n  - void\r\n\r\n  - a road\r\n  - car\r\n",
        "train: a\nnames:\n  0: void\n  1: a road # gray\n  2: \"car\"\nroboflow:\n  version: "
        "1\n"}) {
    INFO(text);
    CHECK(names(text) == three);
  }
  const std::vector<std::string> seats{"driver's seat", "passenger's seat"};
  CHECK(names("names: [driver's seat, passenger's seat]  # two\n") == seats);
  CHECK(names("names:\n- driver's seat # left\n- passenger's seat\n") == seats);
  CHECK(names("names: ['a, b', \"c]\", d#e]\n") == std::vector<std::string>{"a, b", "c]", "d#e"});
}

TEST_CASE("a text without the key names: is no YAML list of names") {
  for (const std::string text :
       {"", "names\nsky\n", "names:sky\n", "  names: [a]\n", "my names: a\n"})
    CHECK_FALSE(parse_yaml_names(text, "data.yaml"));
}

TEST_CASE("other values of names: are refused with the line") {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"names:\n", "no class in this file"},
      {"names: [a, , c]\n", "line 1: has an entry without text"},
      {"names:\n- a\n-\n- c\n", "line 3: '' is not a name"},
      {"names: [a, ~]\n", "line 1: '~' is not a name"},
      {"names: sky\n", "line 1: 'sky' is not a list"},
      {"names: names.txt\n", "line 1: 'names.txt' is not a list"},
      {"a: b\nnames: [sky\n", "line 2: ends inside an entry"},
      {"names: [sky,\n", "line 1: begins a list that has no end"},
      {"names: [sky] road\n", "line 1: has text after the list"},
      {"names: [a]\nnames: [b]\n", "line 2: has the key names: again"},
      {"names: [[a, b], c]\n", "line 1: has text after the list"},
      {"names: [[a, b]]\n", "line 1: has text after the list"},
      {"names: [{a: b}, c]\n", "line 1: '{a: b}' is not a name"},
      {"names: [&x a, b]\n", "line 1: '&x a' is not a name"},
      {"names: ['a\\n', b]\n", "is not a name"},
      {"names:\n- name: sky\n- name: road\n", "line 2: 'name: sky' is not a name"},
      {"names:\n  sky: 0\n  road: 1\n", "line 2: 'sky: 0' is not of the form '0: name'"},
      {"names:\n  0: sky\n  - road\n", "line 3: '- road' is not of the form '0: name'"},
      {"names:\n  - sky\n  1: road\n", "line 3: '1: road' is not of the form '- name'"},
      {"names:\n  1: sky\n  2: road\n", "line 2: '1: sky'; expected the id 0"},
      {"names:\n  0: sky\n  2: road\n", "line 3: '2: road'; expected the id 1"},
      {"names: [a, b]\nnc: 3\n", "line 2: nc: is 3, and names: has 2 classes"},
      {"names: [a, a]\n", "line 1: name 'a' is also in line 1"},
  };
  for (const auto& [text, part] : faults) {
    INFO(text);
    CHECK_THAT(failure(text), ContainsSubstring(part));
  }
}
