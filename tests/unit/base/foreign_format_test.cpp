#include "base/foreign_format.hpp"

#include "base/checksum.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace std::string_view_literals;

TEST_CASE("an extension after a stem indicates a format") {
  const auto found = foreign_extension("scan.nii.gz");
  REQUIRE(found);
  CHECK(found->format.name == "NIfTI");
  CHECK(found->length == 6);
  CHECK(foreign_extension("a.tiff")->format.name == "TIFF");
  CHECK_FALSE(foreign_extension(".tiff"));
  CHECK_FALSE(foreign_extension("a.png"));
  CHECK_FALSE(foreign_extension("atiff"));
  CHECK_FALSE(foreign_extension(""));
}

TEST_CASE("first bytes identify a format whatever the name says") {
  const auto name_of = [](std::string_view content) {
    const auto found = foreign_format(bytes_of(content));
    return found ? std::string(found->name) : std::string("none");
  };
  CHECK(name_of("BM6") == "BMP");
  CHECK(name_of("RIFF\0\0\0\0WEBPVP8 "sv) == "WebP");
  CHECK(name_of("MM\0*"sv) == "TIFF");
  CHECK(name_of("\0\0\0\x1c"
                "ftypavif"sv) == "AVIF");
  CHECK(name_of("\0\0\0\x1c"
                "ftypisom"sv) == "MP4 or QuickTime");
  CHECK(name_of("P5 640 480 255 ") == "Netpbm");
  CHECK(name_of("NRRD0004\n") == "NRRD");
  CHECK(name_of(" {\"images\": []}") == "JSON");
  CHECK(name_of("\x89PNG\r\n\x1a\n") == "none");
  CHECK(name_of("") == "none");
  CHECK(name_of(std::string(128, '\0') + "DICM") == "DICOM");
  CHECK(name_of(std::string(344, '\0') + std::string("n+1\0"sv)) == "NIfTI");
  CHECK(name_of(std::string(344, '\0') + "n+1") == "none");
}

TEST_CASE("a format without a name has advice that says all") {
  const auto pointer = foreign_format(bytes_of("version https://git-lfs.github.com/spec/v1"));
  REQUIRE(pointer);
  CHECK(pointer->name.empty());
  CHECK_THAT(std::string(pointer->advice), ContainsSubstring("git lfs pull"));
}
