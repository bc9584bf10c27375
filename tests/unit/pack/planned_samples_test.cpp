#include "pack/planned_samples.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

SampleList empty_like(const SampleList& list) {
  SampleList other;
  other.images.roots = list.images.roots;
  other.labels.roots = list.labels.roots;
  other.mask_names = list.mask_names;
  other.has_label_files = list.has_label_files;
  other.merges_masks = list.merges_masks;
  return other;
}

SourceFile source(FileList& files, const std::string& text, std::uint64_t bytes,
                  std::uint16_t root) {
  SourceFile file;
  file.text = files.arena.add(text);
  file.text_length = static_cast<std::uint16_t>(text.size());
  file.bytes = bytes;
  file.root = root;
  return file;
}

Sample& add(SampleList& list, const std::string& key, const std::string& image) {
  Sample sample;
  static_cast<SourceFile&>(sample.image) = source(list.images, image, 1000 + key.size(), 1);
  sample.image.key = list.images.arena.add(key);
  sample.image.key_length = static_cast<std::uint16_t>(key.size());
  sample.size = {640, 480};
  return list.samples.emplace_back(sample);
}

SampleList two_roots() {
  SampleList list;
  list.images.roots = {{"/data/a", ""}, {"/data/b", "b/"}};
  list.labels.roots = {{"/data/labels", ""}};
  return list;
}

// Samples with everything that a sample can have, except masks.
SampleList labeled() {
  SampleList list = two_roots();
  list.has_label_files = true;
  for (int i = 0; i < 20; ++i) {
    const std::string key = "b/north/" + std::to_string(100 + i);
    Sample& sample = add(list, key, key + ".jpg");
    sample.label = source(list.labels, "north/" + std::to_string(100 + i) + "_mask.png",
                          static_cast<std::uint64_t>(i) << 33, 0);
    sample.class_id = i % 3 == 0 ? kNoClass : static_cast<std::uint32_t>(i % 3);
    sample.tile_x = i * 512;
    sample.tile_y = i;
  }
  list.samples[7].size = {};
  return list;
}

std::string described(const SampleList& list) {
  std::string text;
  for (const Sample& sample : list.samples) {
    text += std::string(list.key(sample)) + " " + list.image_path(sample) + " " +
            std::to_string(sample.image.bytes) + " " + list.label_path(sample) + " " +
            std::to_string(sample.label.bytes) + " " + std::to_string(sample.class_id) + " " +
            std::to_string(sample.size.width) + "x" + std::to_string(sample.size.height) + " " +
            std::to_string(sample.tile_x) + "," + std::to_string(sample.tile_y);
    for (const Mask& mask : list.masks_of(sample))
      text += " " + list.mask_path(mask) + ":" + std::to_string(mask.name) + ":" +
              std::to_string(mask.class_id) + ":" + std::to_string(mask.file.bytes);
    text += "\n";
  }
  return text;
}

SampleList decoded(const SampleList& list, std::size_t classes = 3) {
  SampleList other = empty_like(list);
  const Status status =
      decode_samples(encode_samples(list, list.samples), list.samples.size(), classes, other);
  if (!status.ok()) FAIL(status.error().message);
  return other;
}

}  // namespace

TEST_CASE("samples of a plan come back with every field") {
  SampleList list = labeled();
  SECTION("with labels") {}
  SECTION("without labels") {
    list.has_label_files = false;
    for (Sample& sample : list.samples) sample.label = {};
    list.labels.roots = {{"", ""}};  // of no file
  }
  SECTION("none") { list.samples.clear(); }
  REQUIRE(described(decoded(list)) == described(list));
}

TEST_CASE("samples of a plan come back with their masks") {
  SampleList list = two_roots();
  list.mask_names = {"car", "tree"};
  for (int i = 0; i < 5; ++i) {
    const std::string key = "b/" + std::to_string(i);
    Sample& sample = add(list, key, key + ".png");
    sample.first_mask = static_cast<std::uint32_t>(list.masks.size());
    sample.mask_count = static_cast<std::uint32_t>(i % 3);
    for (std::uint32_t m = 0; m < sample.mask_count; ++m)
      list.masks.push_back(
          {source(list.labels, key + "_" + std::to_string(m), 10 + m, 0), m, 1 - m});
  }
  REQUIRE(described(decoded(list)) == described(list));
}

TEST_CASE("masks to be merged come back, more than there are classes") {
  SampleList list = two_roots();
  list.merges_masks = true;
  for (int i = 0; i < 3; ++i) {
    const std::string key = "b/" + std::to_string(i);
    Sample& sample = add(list, key, key + ".png");
    sample.first_mask = static_cast<std::uint32_t>(list.masks.size());
    sample.mask_count = 7;
    for (std::uint32_t m = 0; m < sample.mask_count; ++m)
      list.masks.push_back({source(list.labels, key + "/" + std::to_string(m), 10 + m, 0)});
  }
  REQUIRE(described(decoded(list, 2)) == described(list));
}

TEST_CASE("tiles of one image share its place, so the image is decoded once") {
  SampleList list = two_roots();
  for (int i = 0; i < 3; ++i) {
    const std::string key = "b/photo@" + std::to_string(i) + ",0";
    Sample& sample = add(list, key, "b/photo.png");
    sample.image.text = list.samples.front().image.text;
  }
  const SampleList back = decoded(list);
  REQUIRE(described(back) == described(list));
  REQUIRE(back.samples[1].image.text == back.samples[0].image.text);
  REQUIRE(back.samples[2].image.text == back.samples[0].image.text);
}

TEST_CASE("two shards of a plan are decoded into one list") {
  const SampleList list = labeled();
  const std::span<const Sample> samples(list.samples);
  SampleList back = empty_like(list);
  REQUIRE(decode_samples(encode_samples(list, samples.first(8)), 8, 3, back).ok());
  REQUIRE(decode_samples(encode_samples(list, samples.subspan(8)), 12, 3, back).ok());
  REQUIRE(described(back) == described(list));
}

TEST_CASE("bytes that are no samples are refused, whatever is wrong with them") {
  const SampleList list = labeled();
  const std::string bytes = encode_samples(list, list.samples);
  const auto refuses = [&](const std::string& text, std::uint64_t count, std::size_t classes = 3) {
    SampleList other = empty_like(list);
    const Status status = decode_samples(text, count, classes, other);
    return !status.ok() && status.error().code == ErrorCode::damaged;
  };
  for (std::size_t size = 0; size < bytes.size(); ++size)
    REQUIRE(refuses(bytes.substr(0, size), list.samples.size()));
  REQUIRE(refuses(bytes + "x", list.samples.size()));
  REQUIRE(refuses(bytes, list.samples.size() + 1));
  REQUIRE(refuses(bytes, list.samples.size() - 1));
  REQUIRE(refuses(bytes, list.samples.size(), 2));  // a class id of 2
  // A changed byte is refused or gives other samples; it never reads or writes elsewhere.
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    SampleList other = empty_like(list);
    const Status status = decode_samples(changed, list.samples.size(), 3, other);
    REQUIRE((!status.ok() || described(other) != described(list)));
  }
}
