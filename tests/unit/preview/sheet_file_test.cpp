#include "preview/sheet_file.hpp"

#include <vector>

#include "codecs/decoder.hpp"
#include "codecs/png_writer.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;

TEST_CASE("a sheet file is a PNG with the right pixels and recognized as a sheet") {
  const std::vector<std::uint8_t> pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const ConstPixels image{pixels.data(), 2, 2, 3, 6};
  const auto file = sheet_file(image);
  REQUIRE(file.ok());
  codecs::Decoder decoder;
  const auto decoded = decoder.decode_image(*file, {});
  REQUIRE(decoded.ok());
  CHECK(std::vector<std::uint8_t>(decoded->row(0), decoded->row(0) + 12) == pixels);
  CHECK(is_sheet_file(*file));
  CHECK(is_sheet_file(std::span(*file).first(kSheetMarkBytes)));
  CHECK_FALSE(is_sheet_file(std::span(*file).first(kSheetMarkBytes - 1)));
  const auto other = codecs::encode_png(image);
  REQUIRE(other.ok());
  CHECK_FALSE(is_sheet_file(*other));
  CHECK_FALSE(is_sheet_file({}));
}
