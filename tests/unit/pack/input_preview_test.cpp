#include "pack/input_preview.hpp"

#include <string>
#include <vector>

#include "hotpack/dataset.hpp"
#include "support/catch.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Numbers = std::vector<std::uint64_t>;

// Pairs a, b, c of noise.
void put_pairs(const TempFolder& folder) {
  for (const char* name : {"a", "b", "c"})
    put_pair(folder, name, static_cast<std::uint32_t>(*name), 16, 12);
}

std::vector<std::uint8_t> as_u8(std::span<const std::byte> bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return {begin, begin + bytes.size()};
}

}  // namespace

TEST_CASE("a previewed record equals the record that pack writes") {
  const TempFolder folder;
  put_pairs(folder);
  PackOptions options = options_for(folder);
  options.record.fit = Fit::contain;
  options.record.layout = GENERATE(AxisOrder::channels_last, AxisOrder::channels_first);
  Recorder recorder;
  REQUIRE(pack(options, false, recorder).ok());
  const auto dataset = Dataset::open(folder / "packed");
  REQUIRE(dataset.ok());
  const auto preview = InputPreview::open(options, recorder);
  REQUIRE(preview.ok());
  CHECK((*preview)->schema() == dataset->schema());
  REQUIRE((*preview)->samples() == 3);
  PackedSample packed;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto sample = dataset->sample(i);
    REQUIRE(sample.ok());
    CHECK((*preview)->key(i) == sample->key());
    CHECK((*preview)->record_size(i) == Extent{8, 6});
    const auto problem = (*preview)->record_of(i, packed);
    REQUIRE(problem.ok());
    CHECK_FALSE(problem->has_value());
    const auto image = sample->image();
    const auto label = sample->label();
    CHECK(as_u8(packed.image) ==
          std::vector<std::uint8_t>(image->bytes.begin(), image->bytes.end()));
    CHECK(as_u8(packed.label) ==
          std::vector<std::uint8_t>(label->bytes.begin(), label->bytes.end()));
  }
}

TEST_CASE("a bad sample is a problem, and the others can be previewed") {
  const TempFolder folder;
  put_pairs(folder);
  put(folder, "images/b.png", truncated(photo(16, 12), 80));
  put(folder, "labels/orphan.png", noise_label());
  put(folder, "images/d.png", text_file("no image"));
  put(folder, "labels/d.png", noise_label(16, 12));
  Recorder recorder;
  PackOptions options = options_for(folder);
  options.label.class_count = 3;
  const auto preview = InputPreview::open(options, recorder);
  REQUIRE(preview.ok());
  CHECK_THAT(recorder.messages, ContainsSubstring("hotpack check"));
  PackedSample packed;
  std::vector<bool> good;
  for (std::uint64_t i = 0; i < (*preview)->samples(); ++i)
    good.push_back(!(*preview)->record_of(i, packed).value());
  CHECK(good == std::vector<bool>{true, false, true, false});
  CHECK((*preview)->record_size(3) == Extent{});
}

TEST_CASE("samples are numbered split by split and found by their keys") {
  const TempFolder folder;
  put_pairs(folder);
  PackOptions options = options_for(folder);
  options.input.split.method = SplitOptions::Method::ratio;
  options.input.split.parts = {{"train", "67"}, {"val", "33"}};
  Recorder recorder;
  const auto preview = InputPreview::open(options, recorder);
  REQUIRE(preview.ok());
  REQUIRE((*preview)->samples() == 3);
  CHECK((*preview)->has_splits());
  CHECK((*preview)->split(0) == "train");
  CHECK((*preview)->split(2) == "val");
  for (std::uint64_t i = 0; i < 3; ++i) CHECK((*preview)->find((*preview)->key(i)) == Numbers{i});
  CHECK((*preview)->find("z").empty());
}

TEST_CASE("large images of several splits are previewed in any order") {
  const TempFolder folder;
  for (const char* name : {"a", "b", "c"})
    put_pair(folder, name, static_cast<std::uint32_t>(*name), 300, 300);
  PackOptions options = options_for(folder);
  options.input.split.method = SplitOptions::Method::ratio;
  options.input.split.parts = {{"train", "67"}, {"val", "33"}};
  options.run.max_memory = 2'200'000;  // three quarters of it hold one image, not two
  Recorder recorder;
  const auto preview = InputPreview::open(options, recorder);
  REQUIRE(preview.ok());
  PackedSample packed;
  for (const std::uint64_t number : {0U, 2U, 1U, 2U}) {
    const auto problem = (*preview)->record_of(number, packed);
    REQUIRE(problem.ok());
    CHECK_FALSE(problem->has_value());
  }
  options.run.max_memory = 1'000'000;
  const auto refused = InputPreview::open(options, recorder).value()->record_of(0, packed);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, ContainsSubstring("Give --max-memory"));
}

TEST_CASE("a split of images only has no labels, whichever comes first") {
  const TempFolder folder;
  for (const char* split : {"train", "val"}) {
    put(folder, std::string("images/") + split + "/a.png", photo());
    put(folder, std::string("images/") + split + "/b.png", photo());
  }
  const std::string labeled = GENERATE("train", "val");
  for (const char* key : {"a", "b"})
    put(folder, "labels/" + labeled + "/" + key + ".png", noise_label());
  PackOptions options = options_for(folder);
  options.input = {};
  options.input.root = folder.path();
  Recorder recorder;
  const auto preview = InputPreview::open(options, recorder);
  REQUIRE(preview.ok());
  CHECK((*preview)->schema().label);
  CHECK((*preview)->find("a") == Numbers{0, 2});
  CHECK((*preview)->find("val/a") == Numbers{2});
  PackedSample sample;
  for (const std::uint64_t number : {0u, 2u}) {
    CHECK_FALSE((*preview)->record_of(number, sample).value());
    CHECK(sample.label.empty() == ((*preview)->split(number) != labeled));
  }
}

TEST_CASE("images keep their sizes without --size, and tiles are seen one by one") {
  const TempFolder folder;
  put_pairs(folder);
  put(folder, "images/c.png", photo(20, 5));
  put(folder, "labels/c.png", noise_label(20, 5));
  PackOptions options = options_for(folder);
  options.record.size = {};
  Recorder recorder;
  const auto whole = InputPreview::open(options, recorder);
  REQUIRE(whole.ok());
  CHECK((*whole)->record_size(0) == Extent{16, 12});
  CHECK((*whole)->record_size(2) == Extent{20, 5});
  options.record.tile = TileOptions{{8, 6}, 0};
  const auto tiles = InputPreview::open(options, recorder);
  REQUIRE(tiles.ok());
  CHECK((*tiles)->samples() > 3);
  CHECK((*tiles)->record_size(0) == Extent{8, 6});
}
