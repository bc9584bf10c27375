#include "base/folder.hpp"

#include <dirent.h>
#include <dlfcn.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;

namespace {

bool listing_fails = false;

}  // namespace

// Replaces the function of the system in this test program.
extern "C" dirent* readdir(DIR* folder) {
  static auto* const next = reinterpret_cast<dirent* (*)(DIR*)>(::dlsym(RTLD_NEXT, "readdir"));
  if (!listing_fails) return next(folder);
  errno = EIO;
  return nullptr;
}

TEST_CASE("a folder's names are sorted, with folders apart") {
  const TempFolder folder;
  for (const char* name : {"b", "a", "c.d"}) std::filesystem::create_directory(folder / name);
  std::ofstream(folder / "file") << "x";
  std::filesystem::create_directory_symlink("a", folder / "to_folder");
  std::filesystem::create_symlink("file", folder / "to_file");
  std::filesystem::create_symlink("nowhere", folder / "to_nowhere");
  const auto names = names_by_kind(folder.path());
  REQUIRE(names.ok());
  CHECK(names->folders == std::vector<std::string>{"a", "b", "c.d", "to_folder"});
  CHECK(names->others == std::vector<std::string>{"file", "to_file", "to_nowhere"});
  CHECK(names_in_folder(folder.path()).value() ==
        std::vector<std::string>{"a", "b", "c.d", "file", "to_file", "to_folder", "to_nowhere"});
}

TEST_CASE("a folder that cannot be listed is an error with its path") {
  const TempFolder folder;
  const std::string missing = folder / "missing";
  CHECK(names_by_kind(missing).error().code == ErrorCode::io);
  CHECK(names_in_folder(missing).error().path == missing);
  listing_fails = true;
  CHECK_THAT(names_in_folder(folder.path()).error().message, ContainsSubstring("cannot list"));
  listing_fails = false;
}
