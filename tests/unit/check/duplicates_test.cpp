#include "check/duplicates.hpp"

#include "support/catch.hpp"

using namespace hotpack::pipeline;

namespace {

std::string path_of(Duplicates::Place place) {
  return (place.split == 0 ? "train/" : "test/") + std::to_string(place.sample);
}

std::string text_of(Duplicates& duplicates,
                    const std::vector<std::string>& names = {"train", "test"}) {
  Diagnostics diagnostics;
  duplicates.finish(names, path_of, diagnostics);
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    CHECK(diagnostic.severity == Severity::warning);
    text += diagnostic.kind + ": " + diagnostic.title + "\n";
    for (const Evidence& example : diagnostic.examples)
      text += "  " + example.path + ": " + example.found + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("images in two splits are found by their content") {
  Duplicates duplicates;
  for (std::uint32_t i = 0; i < 4; ++i) duplicates.add({0, i}, 100 + i, 200 + i);
  duplicates.add({1, 0}, 103, 203);
  duplicates.add({1, 1}, 999, 204);
  duplicates.add({1, 2}, 101, 201);
  CHECK(text_of(duplicates) ==
        "duplicate-between-splits: 2 of 3 images of 'test' are in 'train' too\n"
        "  test/2: the same bytes as 'train/1'\n"
        "  test/0: the same bytes as 'train/3'\n");
}

TEST_CASE("copies within a split are reported with their original") {
  Duplicates duplicates;
  duplicates.add({0, 0}, 5, 1);
  duplicates.add({0, 1}, 6, 2);
  duplicates.add({0, 2}, 5, 1);
  duplicates.add({0, 3}, 5, 1);
  CHECK(text_of(duplicates, {""}) ==
        "duplicate-image: 2 of 4 images are copies of others\n"
        "  train/2: the same bytes as 'train/0'\n"
        "  train/3: the same bytes as 'train/0'\n");
}

TEST_CASE("copies of an image with another label contradict it") {
  Duplicates duplicates;
  duplicates.add({0, 0}, 5, 1);
  duplicates.add({0, 1}, 5, 2);
  const std::string text = text_of(duplicates, {""});
  CHECK_THAT(text, ContainsSubstring("duplicate-image: 1 of 2 images is a copy of another\n"));
  CHECK_THAT(text,
             ContainsSubstring(
                 "conflicting-labels: 1 copy of an image has a label other than that of the image\n"
                 "  train/1: the same bytes as 'train/0', but its label differs\n"));
}

TEST_CASE("different images are not duplicates") {
  Duplicates duplicates;
  for (std::uint32_t i = 0; i < 10; ++i) duplicates.add({i % 2, i}, i, 7);
  CHECK(text_of(duplicates).empty());
  Duplicates none;
  CHECK(text_of(none).empty());
}
