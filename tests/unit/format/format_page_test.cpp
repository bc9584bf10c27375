// The worked example of FORMAT.md is a real shard: this test makes it again and compares it with
// the page. After a change, HOTPACK_EXAMPLE=example.txt format_test '[.example]' writes the block
// again.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

#include "format/shard_check.hpp"
#include "format/shard_header.hpp"
#include "support/catch.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// Two gray images of 3×2 pixels with three classes as bits.
TinyShard example_shard() {
  return make_shard({.color = ImageColor::gray, .size = Extent{3, 2}}, 2);
}

std::string dump_line(std::span<const std::byte> bytes, std::size_t offset) {
  char text[24];
  std::snprintf(text, sizeof text, "%06zx ", offset);
  std::string line = text, letters;
  for (const std::byte byte :
       bytes.subspan(offset, std::min<std::size_t>(16, bytes.size() - offset))) {
    const auto code = std::to_integer<unsigned char>(byte);
    std::snprintf(text, sizeof text, " %02x", code);
    line += text;
    letters += code >= 0x20 && code < 0x7f ? static_cast<char>(code) : '.';
  }
  line.resize(7 + 3 * 16 + 2, ' ');
  line += letters;
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

// 16 bytes per line; `*` stands for any number of lines equal to the one before.
std::string hex_dump(std::span<const std::byte> bytes) {
  std::string text;
  bool starred = false;
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    const auto line = bytes.subspan(at, std::min<std::size_t>(16, bytes.size() - at));
    const bool repeats =
        at > 0 && line.size() == 16 &&
        std::equal(line.begin(), line.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at - 16));
    if (!repeats) text += dump_line(bytes, at) + "\n";
    if (repeats && !starred) text += "*\n";
    starred = repeats;
  }
  return text;
}

std::string page() {
  std::ifstream file(HOTPACK_FORMAT_PAGE, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The text between "```<language>" and "```".
std::string block_of(const std::string& text, const std::string& language) {
  const std::string open = "\n```" + language + "\n";
  const auto begin = text.find(open);
  if (begin == std::string::npos) return {};
  const auto end = text.find("\n```", begin + open.size());
  return text.substr(begin + open.size(), end + 1 - begin - open.size());
}

}  // namespace

TEST_CASE("the example of FORMAT.md is the shard that the library makes") {
  const TinyShard shard = example_shard();
  CHECK(block_of(page(), "hex") == hex_dump(shard.bytes));
  const auto header = format::decode_header(shard.bytes);
  REQUIRE(header.ok());
  CHECK(format::check_tables(shard.bytes, *header).ok());
  CHECK(format::check_form(shard.bytes, *header).ok());
}

TEST_CASE("FORMAT.md names every tensor and every key of the schema") {
  const std::string text = page();
  for (const auto* name : {"image.data",
                           "image.zstd",
                           "image.offsets",
                           "image.zstd.offsets",
                           "image.shape",
                           "image.crc32c",
                           "image.zstd.crc32c",
                           "label.classes",
                           "label.classes.offsets",
                           "key.data",
                           "key.offsets",
                           "source.size",
                           "source.hash",
                           "source.region",
                           "shard.sums",
                           "shard.crc32c",
                           "_pad.",
                           "hotpack.format",
                           "hotpack.plan",
                           "hotpack.schema",
                           "hotpack.sources",
                           "layout",
                           "dtype",
                           "channels",
                           "bands",
                           "codec",
                           "storage",
                           "multi",
                           "image_filter",
                           "label_filter",
                           "pad_color",
                           "shuffle",
                           "anchor",
                           "size_mismatch",
                           "engines",
                           "label_kind",
                           "threshold",
                           "unknown",
                           "pad_label",
                           "exif",
                           "alpha",
                           "depth16",
                           "max_pixels",
                           "lenient",
                           "zstd_fields",
                           "zstd_level",
                           "jpeg_scale",
                           "fingerprint",
                           "statistics",
                           "skipped",
                           "digest",
                           "check"}) {
    INFO(name);
    CHECK(text.find("`" + std::string(name)) != std::string::npos);
  }
}

TEST_CASE("the example is written for FORMAT.md", "[.example]") {
  const char* target = std::getenv("HOTPACK_EXAMPLE");
  REQUIRE(target != nullptr);
  std::ofstream(target) << hex_dump(example_shard().bytes);
}
