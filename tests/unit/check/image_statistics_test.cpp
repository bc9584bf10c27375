#include "check/image_statistics.hpp"
#include "codecs/image_info.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using codecs::FileFormat;
using codecs::ImageInfo;
using codecs::PixelKind;

namespace {

ImageInfo image(int width, int height, FileFormat format = FileFormat::png,
                PixelKind kind = PixelKind::rgb, int bit_depth = 8) {
  ImageInfo info;
  info.width = width, info.height = height, info.format = format, info.kind = kind,
  info.bit_depth = bit_depth;
  return info;
}

}  // namespace

TEST_CASE("statistics count forms and sizes, the most frequent first") {
  ImageStatistics statistics;
  statistics.add(image(40, 30));
  statistics.add(image(30, 40, FileFormat::jpeg));
  statistics.add(image(30, 40, FileFormat::jpeg));
  statistics.add(image(10, 10, FileFormat::png, PixelKind::palette, 2));
  CHECK(statistics.images() == 4);
  REQUIRE(statistics.forms().size() == 3);
  CHECK(statistics.forms()[0] == std::pair<std::string, std::uint64_t>("RGB JPEG", 2));
  CHECK(statistics.forms()[1].first == "2-bit palette PNG");
  REQUIRE(statistics.sizes().size() == 3);
  CHECK(statistics.sizes()[0].size == Extent{30, 40});
  CHECK(statistics.sizes()[0].count == 2);
}

TEST_CASE("statistics have minimum, median and maximum of size and aspect") {
  ImageStatistics statistics;
  for (int i = 0; i < 5; ++i) statistics.add(image(100, 50));
  for (int i = 0; i < 3; ++i) statistics.add(image(20, 80));
  statistics.add(image(400, 40));
  CHECK(statistics.widths().least == 20);
  CHECK(statistics.widths().median == 100);
  CHECK(statistics.widths().most == 400);
  CHECK(statistics.heights().median == 50);
  CHECK(statistics.aspects().least == 0.25);
  CHECK(statistics.aspects().median == 2);
  CHECK(statistics.aspects().most == 10);
  CHECK(ImageStatistics().widths().most == 0);
}

TEST_CASE("statistics count orientations, transparency, profiles and extra images") {
  ImageInfo odd = image(8, 8);
  odd.orientation = 6;
  odd.has_alpha = odd.has_icc = odd.more_images = true;
  ImageStatistics statistics;
  statistics.add(odd);
  statistics.add(image(8, 8));
  CHECK(statistics.orientations()[1] == 1);
  CHECK(statistics.orientations()[6] == 1);
  CHECK(statistics.with_alpha() == 1);
  CHECK(statistics.with_profile() == 1);
  CHECK(statistics.with_more_images() == 1);
}

TEST_CASE("parts of statistics add up to the whole") {
  ImageStatistics whole, left, right;
  for (int i = 0; i < 20; ++i) {
    const ImageInfo info = image(10 + i % 3, 10, i % 2 == 0 ? FileFormat::png : FileFormat::jpeg);
    whole.add(info);
    (i < 7 ? left : right).add(info);
  }
  left.add(right);
  CHECK(left.images() == whole.images());
  CHECK(left.forms() == whole.forms());
  CHECK(left.widths().median == whole.widths().median);
  CHECK(left.sizes()[1].count == whole.sizes()[1].count);
  CHECK(left.orientations() == whole.orientations());
}
