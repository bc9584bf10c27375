#include "preview/label_classes.hpp"

#include "support/catch.hpp"
#include "views.hpp"

using namespace hotpack;
using namespace hotpack::preview;
using namespace hotpack::test;

TEST_CASE("the classes of pixels are the same from every storage") {
  const auto storage = GENERATE(LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index);
  const OwnedLabel label = label_of(storage, 2, 2, 11, {{0}, {10}, {}, {10}});
  LabelClasses classes;
  REQUIRE(classes.read(label.view()).ok());
  REQUIRE(classes.pixels() == 4);
  CHECK(classes.at(0) == 0);
  CHECK(classes.at(1) == 10);
  CHECK(classes.at(2) == kIgnoredId);
  ClassCounts counts{std::vector<std::uint64_t>(11), 0};
  classes.add_to(counts);
  CHECK(counts.pixels[10] == 2);
  CHECK(counts.without_class == 1);
  CHECK(count_class(label.view(), 10) == 2);
  CHECK(count_class(label.view(), 3) == 0);
}

TEST_CASE("ids of two bytes") {
  const OwnedLabel label = label_of(LabelStorage::index, 2, 1, 300, {{299}, {43}});
  LabelClasses classes;
  REQUIRE(classes.read(label.view()).ok());
  CHECK(classes.at(0) == 299);
  CHECK(count_class(label.view(), 299) == 1);
  CHECK(count_class(label.view(), 43) == 1);
}

TEST_CASE("several classes of a pixel take turns and each is counted") {
  const auto storage = GENERATE(LabelStorage::bits, LabelStorage::one_hot);
  const OwnedLabel label = label_of(storage, 3, 1, 9, {{1, 8}, {}, {4}}, true);
  LabelClasses classes;
  REQUIRE(classes.read(label.view()).ok());
  CHECK(classes.pixels() == 3);
  CHECK(classes.at(0, 0) == 1);
  CHECK(classes.at(0, 1) == 8);
  CHECK(classes.at(0, 2) == 1);
  CHECK(classes.at(1, 5) == kIgnoredId);
  CHECK(classes.at(2, 7) == 4);
  ClassCounts counts{std::vector<std::uint64_t>(9), 0};
  classes.add_to(counts);
  CHECK(counts.pixels == std::vector<std::uint64_t>{0, 1, 0, 0, 1, 0, 0, 0, 1});
  CHECK(counts.without_class == 1);
}
