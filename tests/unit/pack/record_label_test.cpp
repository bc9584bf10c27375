#include "pack/record_label.hpp"

#include <random>
#include <vector>

#include "base/checksum.hpp"
#include "geometry/nearest.hpp"
#include "labels/label_decoder.hpp"
#include "labels/one_hot.hpp"
#include "support/catch.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using hotpack::test::for_each_vector_target;

namespace {

constexpr LabelFilter kFilters[] = {LabelFilter::nearest, LabelFilter::nearest_cv,
                                    LabelFilter::nearest_pil};
constexpr std::size_t kClassCounts[] = {2, 8, 12, 20, 40, 300};
constexpr LabelStorage kStorages[] = {LabelStorage::index, LabelStorage::bits,
                                      LabelStorage::one_hot};

// A plane of ids with runs of `run` pixels on average.
class Plane {
 public:
  Plane(int width, int height, std::size_t classes, unsigned run, std::mt19937& random)
      : width_(width), height_(height), ids_(static_cast<std::size_t>(width * height)) {
    std::uint16_t id = 0;
    for (std::uint16_t& pixel : ids_) {
      if (random() % run == 0)
        id = static_cast<std::uint16_t>(random() % 8 == 0 ? labels::kIgnored : random() % classes);
      pixel = id;
    }
  }
  [[nodiscard]] ConstIds view() const {
    return {ids_.data(), width_, height_, 1, static_cast<std::size_t>(width_) * 2};
  }

 private:
  int width_, height_;
  std::vector<std::uint16_t> ids_;
};

struct Rules {
  LabelStorage storage;
  std::size_t classes;
  LabelFilter filter;
  std::uint16_t pad_id;
};

// Compares with the steps one after the other.
void check_label(RecordLabel& label, const Rules& rules, ConstIds source, Region region,
                 Extent record) {
  const auto pixels = static_cast<std::size_t>(record.width * record.height);
  std::vector<std::uint16_t> placed(pixels);
  geometry::NearestPlacer().place(
      source, region, rules.filter, rules.pad_id,
      {placed.data(), record.width, record.height, 1, static_cast<std::size_t>(record.width) * 2});
  std::vector<std::byte> encoded(
      static_cast<std::size_t>(labels::encoded_bytes(rules.storage, pixels, rules.classes)));
  labels::encode_ids(placed, rules.classes, rules.storage, encoded);
  std::vector<std::uint64_t> counts(rules.classes);
  const std::uint64_t ignored = labels::count_ids(placed, 1, counts);

  label.make(source, region, record);
  INFO(source.width << "x" << source.height << " to " << region.width << "x" << region.height
                    << " at " << region.x << "," << region.y << " in " << record.width << "x"
                    << record.height << ", " << rules.classes << " classes");
  const auto bytes = label.bytes(), wanted = std::span<const std::byte>(encoded);
  REQUIRE(std::equal(bytes.begin(), bytes.end(), wanted.begin(), wanted.end()));
  REQUIRE(label.crc() == crc32c(encoded));
  REQUIRE(std::vector<std::uint64_t>(label.pixels_of_classes().begin(),
                                     label.pixels_of_classes().end()) == counts);
  REQUIRE(label.ignored_pixels() == ignored);
}

}  // namespace

TEST_CASE("RecordLabel equals resampling, encoding and counting in turn") {
  std::mt19937 random(51);
  const auto size = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  const auto corner = [&] { return static_cast<int>(random() % 60) - 30; };
  for (const std::size_t classes : kClassCounts) {
    for (const LabelStorage storage : kStorages) {
      const LabelFilter filter = kFilters[random() % 3];
      const Rules rules{storage, classes, filter,
                        random() % 2 == 0 ? std::uint16_t{1} : labels::kIgnored};
      RecordLabel label(storage, classes, filter, rules.pad_id);
      for (int round = 0; round < 40; ++round) {
        const Plane source(size(200), size(40), classes, round % 4 == 0 ? 1 : 20, random);
        Region region{corner(), corner(), size(250), size(60)};
        if (round % 3 == 0) region.width = source.view().width;
        check_label(label, rules, source.view(), region, {size(250), size(60)});
      }
    }
  }
}

TEST_CASE("RecordLabel makes large labels with every vector target") {
  for_each_vector_target([] {
    std::mt19937 random(52);
    for (const LabelStorage storage : kStorages) {
      const Rules rules{storage, 12, LabelFilter::nearest, labels::kIgnored};
      RecordLabel label(storage, rules.classes, rules.filter, rules.pad_id);
      const Plane source(480, 360, rules.classes, 40, random);
      check_label(label, rules, source.view(), {0, 0, 512, 512}, {512, 512});
      check_label(label, rules, source.view(), {20, 5, 210, 130}, {300, 200});
    }
  });
}

TEST_CASE("RecordLabel follows a region that only moves, as tiles do") {
  std::mt19937 random(53);
  const Rules rules{LabelStorage::index, 12, LabelFilter::nearest, 3};
  RecordLabel label(rules.storage, rules.classes, rules.filter, rules.pad_id);
  const Plane source(100, 80, rules.classes, 15, random);
  for (const auto& [x, y] : {std::pair{0, 0}, {-64, 0}, {0, -64}, {10, 7}, {17, 7}, {200, 0}})
    check_label(label, rules, source.view(), {x, y, 100, 80}, {64, 64});
}

TEST_CASE("RecordLabel makes a label of one pixel for a whole image") {
  RecordLabel label(LabelStorage::bits, 3, LabelFilter::nearest, labels::kIgnored);
  const std::uint16_t id = 2;
  label.make({&id, 1, 1, 1, sizeof id}, {0, 0, 1, 1}, {1, 1});
  REQUIRE(label.bytes().size() == 1);
  CHECK(label.bytes()[0] == std::byte{4});
  CHECK(label.pixels_of_classes()[2] == 1);
}
