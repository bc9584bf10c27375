#include "check/split_copies.hpp"

#include "support/catch.hpp"

using namespace hotpack::pipeline;

namespace {

using Keys = std::vector<std::vector<std::string_view>>;

std::string text_of(const Keys& keys) {
  Diagnostics diagnostics;
  report_augmented_names(
      keys, {"train", "val"},
      [&](SamplePlace place) { return std::string(keys[place.split][place.sample]); }, diagnostics);
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    CHECK(diagnostic.severity == Severity::warning);
    text += diagnostic.title + "\n";
    for (const Evidence& example : diagnostic.examples)
      text += "  " + example.path + ": " + example.found + "\n";
  }
  return text;
}

std::string bases(std::string_view key) {
  const auto name = augmented_name(key);
  return name ? std::string(name->base) +
                    (name->shorter.empty() ? "" : "|" + std::string(name->shorter))
              : "";
}

BrightnessGrid look_of(std::uint8_t first) {
  BrightnessGrid grid{};
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = static_cast<std::uint8_t>(i * i % 251);
  grid[0] = first;
  return grid;
}

}  // namespace

TEST_CASE("names of augmented copies contain the name of the original") {
  CHECK(bases("100_2_r30") == "100_2|100");
  CHECK(bases("town/a_flip") == "town/a");
  CHECK(bases("a-hflip-rot90") == "a");
  CHECK(bases("IMG_0001 Mirrored") == "IMG_0001|IMG");
  CHECK(bases("x_png.rf.0123456789abcdef0123456789abcdef") == "x_png");
  for (const std::string_view plain : {"100_2", "r30", "flip", "town/flip", "scene_r", "a_flipper",
                                       "carrot3", "x.rf.123", "frame_000019_10"})
    CHECK(bases(plain).empty());
}

TEST_CASE("an augmented copy in another split than its original is reported") {
  CHECK(text_of({{"099", "100"}, {"100_2_r30", "300"}}) ==
        "1 image of 'val' is by its name an augmented copy of one in 'train'\n"
        "  100_2_r30: by its name a copy of 100\n");
  CHECK(text_of({{"a_aug1", "b"}, {"a_aug2"}}) ==
        "1 image of 'val' is by its name an augmented copy of one in 'train'\n"
        "  a_aug2: by its name a copy of the same image as a_aug1\n");
}

TEST_CASE("originals next to copies and numbering per split raise no diagnostic") {
  CHECK(text_of({{"100", "100_flip"}, {"200", "200_flip"}}).empty());
  CHECK(text_of({{"001", "001_flip"}, {"001", "002"}}).empty());
  CHECK(text_of({{"001_flip"}, {"001_flip"}}).empty());
  CHECK(text_of({{"1", "2"}, {"3", "4"}}).empty());
}

TEST_CASE("lookalikes in two splits are reported once, equal files elsewhere") {
  SplitCopies copies;
  copies.add({0, 0}, 10, look_of(0));
  copies.add({0, 1}, 11, look_of(1));
  copies.add({1, 0}, 12, look_of(0));
  copies.add({1, 1}, 10, look_of(200));
  copies.add({0, 2}, 13, look_of(200));
  copies.add({1, 2}, 13, look_of(200));
  Diagnostics diagnostics;
  copies.finish(
      {"train", "val"},
      [](SamplePlace place) {
        return std::to_string(place.split) + "/" + std::to_string(place.sample);
      },
      diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].kind == "look-alike-between-splits");
  CHECK(diagnostics.all()[0].title == "2 images of 'val' look like copies of some in 'train'");
  REQUIRE(diagnostics.all()[0].examples.size() == 2);
  CHECK(diagnostics.all()[0].examples[0].path == "1/0");
  CHECK(diagnostics.all()[0].examples[0].found == "hardly differs from 0/0");
  CHECK(diagnostics.all()[0].examples[1].found == "hardly differs from 0/2");
}
