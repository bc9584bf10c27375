#include "check/class_balance.hpp"

#include "support/catch.hpp"

using namespace hotpack::pipeline;

namespace {

// A split of `count` labels of 1000 pixels: class 1 has about `share` of 1000, the rest is class 0.
void add_split(ClassBalance& balance, std::size_t split, int count, std::uint64_t share) {
  for (int i = 0; i < count; ++i) {
    const std::uint64_t pixels = share * static_cast<std::uint64_t>(50 + i * 37 % 100) / 100;
    balance.add(split, {{0, 1000 - pixels}, {1, pixels}}, 1000);
  }
}

std::string text_of(const ClassBalance& balance,
                    const std::vector<std::string>& splits = {"train", "val"}) {
  Diagnostics diagnostics;
  balance.finish(splits, {"sky", "car"}, diagnostics);
  return diagnostics.all().empty() ? ""
                                   : diagnostics.all()[0].kind + ": " + diagnostics.all()[0].title;
}

}  // namespace

TEST_CASE("a class whose share jumps between splits is reported with both shares") {
  ClassBalance balance(2, 2);
  add_split(balance, 0, 100, 90);
  add_split(balance, 1, 40, 10);
  CHECK_THAT(text_of(balance),
             Catch::Matchers::StartsWith("class-share-jumps: 1 of 2 classes has a very different "
                                         "share in another split: 'car' (train 8.") &&
                 Catch::Matchers::EndsWith(", val 0.95 %)"));
}

TEST_CASE("small splits, small differences and rare classes raise no warning") {
  ClassBalance small(2, 2);
  add_split(small, 0, 100, 90);
  add_split(small, 1, 29, 10);
  CHECK(text_of(small).empty());
  ClassBalance alike(2, 2);
  add_split(alike, 0, 100, 90);
  add_split(alike, 1, 100, 40);
  CHECK(text_of(alike).empty());
  ClassBalance rare(2, 2);
  add_split(rare, 0, 100, 0);
  add_split(rare, 1, 100, 0);
  for (int i = 0; i < 3; ++i) rare.add(0, {{1, 900}}, 1000);
  rare.add(1, {{1, 5}}, 1000);
  CHECK(text_of(rare).empty());
  ClassBalance one(1, 2);
  add_split(one, 0, 100, 90);
  CHECK(text_of(one, {""}).empty());
}

TEST_CASE("whole-image classes are compared, too") {
  ClassBalance balance(2, 2);
  for (int i = 0; i < 200; ++i) balance.add(0, static_cast<std::uint32_t>(i % 2));
  for (int i = 0; i < 200; ++i) balance.add(1, i % 10 == 0 ? 1 : 0);
  CHECK(text_of(balance) ==
        "class-share-jumps: 1 of 2 classes has a very different share in another split: 'car' "
        "(train 50.00 %, val 10.00 %)");
}
