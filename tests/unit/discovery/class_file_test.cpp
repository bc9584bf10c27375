#include "discovery/class_file.hpp"

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
