#include "discovery/class_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack::pipeline;

namespace {

std::string found_in(const TempFolder& folder) {
  const auto found = find_class_file({folder.path()});
  return found ? found->path.substr(folder.path().size() + 1) : "";
}

}  // namespace

TEST_CASE("the class file next to a data set is found, colors before plain names") {
  const TempFolder folder;
  CHECK(found_in(folder).empty());
  folder.write("classes.txt", "a\nb\n");
  CHECK(found_in(folder) == "classes.txt");
  folder.write("class_dict.csv", "name,r,g,b\na,0,0,0\nb,255,255,255\n");
  CHECK(found_in(folder) == "class_dict.csv");
}

TEST_CASE("British names of class files are found, too, and each file once") {
  for (const char* name : {"colour_codes.csv", "colours.csv", "color_codes.csv", "colors.csv"}) {
    const TempFolder folder;
    folder.write(name, "name,r,g,b\na,0,0,0\na,1,1,1\n");  // cannot be used
    CHECK(found_in(folder) == name);
    if (const auto found = find_class_file({folder.path()})) CHECK(found->unreadable.empty());
  }
}

TEST_CASE("an unreadable class file is reported instead of using the next one") {
  const TempFolder folder;
  folder.write("class_dict.csv", "name,r,g,b\na,0,0,0\na,1,1,1\n");
  folder.write("classes.txt", "a\nb\n");
  const auto found = find_class_file({folder.path()});
  REQUIRE(found);
  REQUIRE_FALSE(found->table.ok());
  CHECK(found->table.error().path == folder / "class_dict.csv");
  CHECK_THAT(found->table.error().message, ContainsSubstring("line 3"));
}

TEST_CASE("a second class file that cannot be parsed gives a warning") {
  const TempFolder folder;
  folder.write("class_dict.csv", "name,r,g,b\na,0,0,0\nb,255,255,255\n");
  CHECK(find_class_file({folder.path()})->unreadable.empty());
  folder.write("label_colors.csv", "name,r,g,b\na,0,0,0\na,1,1,1\n");
  const auto found = find_class_file({folder.path()});
  CHECK(found->path == folder / "class_dict.csv");
  REQUIRE(found->unreadable.size() == 1);
  CHECK_THAT(found->unreadable.front(),
             ContainsSubstring("label_colors.csv") && ContainsSubstring("line 3") &&
                 ContainsSubstring("the classes are those of '" + (folder / "class_dict.csv")));
}

TEST_CASE("two class files with different numbering are a question with commands") {
  const TempFolder folder;
  folder.write("class_dict.csv", "id,name\n0,car\n1,road\n");
  folder.write("classes.txt", "road\ncar\n");
  const auto found = find_class_file({folder.path()});
  REQUIRE(found);
  REQUIRE(found->contradiction);
  CHECK_THAT(found->contradiction->message,
             ContainsSubstring("class 0 is 'car' in '" + (folder / "class_dict.csv") +
                               "' and 'road' in '" + (folder / "classes.txt") + "'") &&
                 ContainsSubstring("--classes " + (folder / "class_dict.csv")) &&
                 ContainsSubstring("--classes " + (folder / "classes.txt")));
  folder.write("classes.txt", "car\nroad\n");
  CHECK_FALSE(find_class_file({folder.path()})->contradiction);
}

TEST_CASE("a class file that the folders of splits have in common is found") {
  const TempFolder folder;
  const std::vector<std::string> splits{folder / "train", folder / "val", folder / "none"};
  CHECK_FALSE(find_split_class_file(splits));
  folder.write("train/_classes.csv", "Pixel Value, Class\n0, background\n1, leaf\n");
  folder.write("val/_classes.csv", "Pixel Value, Class\n0, background\n1, leaf\n");
  auto found = find_split_class_file(splits);
  REQUIRE(found);
  CHECK(found->path == folder / "train/_classes.csv");
  CHECK(found->table->classes[1].name == "leaf");
  CHECK_FALSE(found->contradiction);
  folder.write("val/_classes.csv", "Pixel Value, Class\n0, background\n1, stem\n");
  found = find_split_class_file(splits);
  REQUIRE((found && found->contradiction));
  CHECK(found->contradiction->path == folder / "val/_classes.csv");
  CHECK_THAT(found->contradiction->message,
             ContainsSubstring("class 1 is 'leaf' in '" + (folder / "train/_classes.csv") + "'") &&
                 ContainsSubstring("--classes FILE"));
  folder.write("val/_classes.csv", "Pixel Value, Class\n0, background\n1, leaf\n2, stem\n");
  CHECK_THAT(find_split_class_file(splits)->contradiction->message,
             ContainsSubstring("2 classes in '") && ContainsSubstring("and 3 in '"));
  folder.write("val/_classes.csv", "Pixel Value, Class\n0, leaf\n0, stem\n");
  CHECK(find_split_class_file(splits)->table.error().path == folder / "val/_classes.csv");
}

TEST_CASE("the longest label_names.txt of samples is found, unless ids differ") {
  const TempFolder folder;
  const std::vector<std::string> samples{folder / "a_json", folder / "b_json", folder / "c_json"};
  CHECK_FALSE(find_sample_class_file(samples));
  folder.write("a_json/label_names.txt", "_background_\napple\n");
  folder.write("b_json/label_names.txt", "_background_\napple\npea\n");
  folder.write("c_json/label_names.txt", "_background_\n");
  const auto found = find_sample_class_file(samples);
  CHECK(found->path == folder / "b_json/label_names.txt");
  CHECK_FALSE(found->contradiction);
  folder.write("c_json/label_names.txt", "_background_\npea\n");
  CHECK_THAT(
      find_sample_class_file(samples)->contradiction->message,
      ContainsSubstring("class 'pea' has the id 2 in '" + (folder / "b_json/label_names.txt") +
                        "' and 1 in '" + (folder / "c_json/label_names.txt") + "'"));
  folder.write("c_json/label_names.txt", "_background_\nbean\n");
  CHECK_THAT(find_sample_class_file(samples)->contradiction->message,
             ContainsSubstring("class 1 is 'apple'") && ContainsSubstring("'bean'"));
}

TEST_CASE("a data.yaml is a class file if it names classes") {
  const TempFolder folder;
  folder.write("data.yaml", "train: images/train\n");
  CHECK(!find_class_file({folder.path()}));
  folder.write("data.yaml", "names: [soil, road]\n");
  const auto found = find_class_file({folder.path()});
  REQUIRE(found);
  CHECK(found->table.value().classes.size() == 2);
}

TEST_CASE("a data.yaml next to files of objects is no class file") {
  for (const char* place : {"labels/", "labels/train/", "train/labels/"}) {
    INFO(place);
    const TempFolder folder;
    folder.write("data.yaml", "names: [soil, road]\n");
    folder.write(std::string(place) + "0.png", "a label");
    folder.write(std::string(place) + "a.txt", "");
    folder.write(std::string(place) + "classes.txt", "soil\nroad\n");
    CHECK(find_class_file({folder.path()})->table.ok());
    folder.write(std::string(place) + "b.txt", "0 0.5 0.5 0.2 0.2\n1 0.5 0.25 1e-3 0.2\n");
    const auto found = find_class_file({folder.path()});
    REQUIRE(found);
    CHECK(found->no_list);
    CHECK_THAT(found->table.error().message,
               ContainsSubstring("names the objects of '" + (folder / place) + "b.txt'") &&
                   ContainsSubstring("--classes " + (folder / "data.yaml")));
  }
}

TEST_CASE("a file that is no list of classes gives way to any other file") {
  const TempFolder folder;
  folder.write("labels.txt", "a.png\nb.png\n");
  auto found = find_class_file({folder.path()});
  REQUIRE(found);
  CHECK(found->no_list);
  for (const char* name : {"class_names.txt", "data.yaml"}) {  // one before, one after labels.txt
    folder.write(name, name[0] == 'd' ? "names: [soil, road]\n" : "soil\nroad\n");
    found = find_class_file({folder.path()});
    CHECK(found->path == folder / name);
    REQUIRE(found->table.ok());
    REQUIRE(found->unreadable.size() == 1);
    CHECK_THAT(found->unreadable[0], ContainsSubstring("labels.txt: line 1: 'a.png'"));
    std::filesystem::remove(folder / name);
  }
  folder.write("train/labels.txt", "a.png\n");
  folder.write("val/_classes.csv", "Pixel Value, Class\n0, background\n1, leaf\n");
  CHECK(find_split_class_file({folder / "train"})->no_list);
  CHECK(find_split_class_file({folder / "train", folder / "val"})->table.ok());
}

TEST_CASE("class files of Darwin, PaddleSeg and others are found by name") {
  for (const char* name :
       {"class_mapping.csv", "labelmap.csv", "label_class_dict.csv", "labels.txt", "labelmap.txt"})
    CHECK(is_class_file_name(name));
}
