#include "samples/input_folders.hpp"

#include <filesystem>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

using Texts = std::vector<std::string>;

TEST_CASE("the prefix of a folder is its name") {
  CHECK(folder_prefixes({"sets/a", "/other/b/", "c/../d"}).value() == Texts{"a", "b", "d"});
}

TEST_CASE("folders of one name get as many parts as make them different") {
  CHECK(folder_prefixes({"x/1/data", "x/2/data"}).value() == Texts{"1/data", "2/data"});
  CHECK(folder_prefixes({"/data", "/x/data"}).value() == Texts{"data", "x/data"});
}

TEST_CASE("a folder that is given twice or within another is refused") {
  const std::vector<std::pair<Texts, std::string>> bad{
      {{"a", "./a/"}, "'a' and './a/' are the same folder"},
      {{"a/b", "a"}, "'a/b' is within 'a'"},
  };
  for (const auto& [folders, why] : bad) {
    const auto prefixes = folder_prefixes(folders);
    REQUIRE_FALSE(prefixes.ok());
    CHECK(prefixes.error().code == ErrorCode::usage);
    CHECK_THAT(prefixes.error().message, ContainsSubstring(why));
  }
  const TempFolder folder;
  std::filesystem::create_directory(folder / "a");
  std::filesystem::create_directory_symlink(folder / "a", folder / "link");
  CHECK_THAT(folder_prefixes({folder / "a", folder / "link"}).error().message,
             ContainsSubstring("are the same folder"));
}
