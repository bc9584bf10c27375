#include "pipeline/class_file.hpp"

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack::pipeline;

namespace {

std::string found_in(const TempFolder& folder, std::vector<std::string>& remarks) {
  const auto found = find_class_file({folder.path()}, remarks);
  return found ? found->path.substr(folder.path().size() + 1) : "";
}

}  // namespace

TEST_CASE("L1: the class file beside a data set is found, with colours before names alone") {
  const TempFolder folder;
  std::vector<std::string> remarks;
  CHECK(found_in(folder, remarks).empty());
  folder.write("classes.txt", "a\nb\n");
  CHECK(found_in(folder, remarks) == "classes.txt");
  folder.write("class_dict.csv", "name,r,g,b\na,0,0,0\nb,255,255,255\n");
  CHECK(found_in(folder, remarks) == "class_dict.csv");
  CHECK(remarks.empty());
}

TEST_CASE("L1: a table of classification with the name of a colour table is not taken, and told") {
  const TempFolder folder;
  folder.write("class_dict.csv", "class_index,class,height,width,scale by\n0,ABBOTTS BABBLER,150,150,1\n");
  std::vector<std::string> remarks;
  CHECK(found_in(folder, remarks).empty());
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks[0], ContainsSubstring("not used as class table: " + folder / "class_dict.csv"));
}
