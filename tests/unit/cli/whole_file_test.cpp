#include "cli/whole_file.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;

TEST_CASE("a file appears whole, replaces another, and leaves nothing next to it") {
  const TempFolder folder;
  REQUIRE(cli::write_whole_file(folder / "a", "first, longer").ok());
  REQUIRE(cli::write_whole_file(folder / "a", "second").ok());
  CHECK(read_text_file(folder / "a").value() == "second");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an error of a new file names it, not its temporary name") {
  const TempFolder folder;
  const Status missing = cli::write_new_file(folder / "no/folder", "x");
  CHECK(missing.error().code == ErrorCode::io);
  CHECK(missing.error().path == folder / "no/folder");
  folder.write("there", "kept");
  const Status exists = cli::write_new_file(folder / "there", "x");
  CHECK(exists.error().code == ErrorCode::usage);
  CHECK(read_text_file(folder / "there").value() == "kept");
}

TEST_CASE("a file that cannot be written is an I/O error and leaves nothing") {
  const TempFolder folder;
  const Status missing = cli::write_whole_file(folder / "no/such/folder", "x");
  CHECK(missing.error().code == ErrorCode::io);
  CHECK(missing.error().path == folder / "no/such/folder");
  folder.write("a/b", "a folder with a file");
  CHECK(cli::write_whole_file(folder / "a", "x").error().code == ErrorCode::io);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}
