#include "label_setup/orientation.hpp"
#include "base/words.hpp"
#include "codecs/image_info.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

codecs::ImageInfo jpeg(int width, int height, int orientation) {
  codecs::ImageInfo info;
  info.format = codecs::FileFormat::jpeg;
  info.width = width;
  info.height = height;
  info.orientation = orientation;
  return info;
}

std::optional<bool> automatic(const codecs::ImageInfo& image, std::optional<Extent> label) {
  return applies_orientation(ExifPolicy::automatic, image, label);
}

constexpr auto kUnlabeled = std::nullopt;

}  // namespace

TEST_CASE("an upright image is never turned") {
  for (const ExifPolicy policy : {ExifPolicy::automatic, ExifPolicy::apply, ExifPolicy::ignore}) {
    for (const auto& label : {std::optional<Extent>(), std::optional<Extent>({40, 30}),
                              std::optional<Extent>({30, 40})})
      CHECK(applies_orientation(policy, jpeg(40, 30, 1), label) == false);
  }
}

TEST_CASE("without a label the orientation is applied") {
  for (int orientation = 2; orientation <= 8; ++orientation)
    CHECK(automatic(jpeg(40, 30, orientation), kUnlabeled) == true);
}

TEST_CASE("a label of the stored size alone was drawn on stored pixels") {
  for (int orientation = 5; orientation <= 8; ++orientation)
    CHECK(automatic(jpeg(40, 30, orientation), Extent{40, 30}) == false);
}

TEST_CASE("a label of the turned size alone was drawn on the turned image") {
  for (int orientation = 5; orientation <= 8; ++orientation)
    CHECK(automatic(jpeg(40, 30, orientation), Extent{30, 40}) == true);
}

TEST_CASE("a label that fits both ways settles nothing") {
  for (int orientation = 2; orientation <= 4; ++orientation)
    CHECK_FALSE(automatic(jpeg(40, 30, orientation), Extent{40, 30}).has_value());
  for (int orientation = 2; orientation <= 8; ++orientation)
    CHECK_FALSE(automatic(jpeg(30, 30, orientation), Extent{30, 30}).has_value());
}

TEST_CASE("a label that fits neither way settles nothing") {
  for (int orientation = 2; orientation <= 8; ++orientation)
    CHECK_FALSE(automatic(jpeg(40, 30, orientation), Extent{41, 30}).has_value());
}

TEST_CASE("a policy decides whatever the label") {
  for (int orientation = 2; orientation <= 8; ++orientation) {
    for (const auto& label : {std::optional<Extent>(), std::optional<Extent>({40, 30}),
                              std::optional<Extent>({30, 40})}) {
      CHECK(applies_orientation(ExifPolicy::apply, jpeg(40, 30, orientation), label) == true);
      CHECK(applies_orientation(ExifPolicy::ignore, jpeg(40, 30, orientation), label) == false);
    }
  }
}

TEST_CASE("orientations 5 to 8 swap the axes where they are applied") {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    CHECK(oriented_size(jpeg(40, 30, orientation), false) == Extent{40, 30});
    CHECK(oriented_size(jpeg(40, 30, orientation), true) ==
          (orientation >= 5 ? Extent{30, 40} : Extent{40, 30}));
  }
}
