#include "cli/preview_files.hpp"

#include <filesystem>

#include "preview/page.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::cli;

TEST_CASE("a sheet may create a file or replace an earlier hotpack page") {
  const TempFolder folder;
  CHECK(check_preview_path(folder / "new.png", sheet_kind(), false).ok());
  CHECK(check_preview_path(folder / "new.PNG", sheet_kind(), false).ok());
  folder.write("old.html", std::string(preview::kPageMark) + "…");
  CHECK(check_preview_path(folder / "old.html", page_kind(), false).ok());
}

TEST_CASE("somebody's image is not replaced unasked") {
  const TempFolder folder;
  folder.write("photo.png", "\x89PNG somebody's photo");
  const Status refused = check_preview_path(folder / "photo.png", sheet_kind(), false);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK_THAT(refused.error().message, ContainsSubstring("--force"));
  CHECK(check_preview_path(folder / "photo.png", sheet_kind(), true).ok());
}

TEST_CASE("folders and other kinds of file are refused, even with --force") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "sheets.png");
  for (const bool force : {false, true}) {
    CHECK(check_preview_path(folder / "sheets.png", sheet_kind(), force).error().code ==
          ErrorCode::usage);
    CHECK_THAT(check_preview_path(folder / "sheet.jpg", sheet_kind(), force).error().message,
               ContainsSubstring(".png"));
  }
}
