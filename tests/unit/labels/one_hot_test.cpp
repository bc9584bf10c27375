#include "labels/one_hot.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "labels/label_decoder.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

constexpr std::size_t kClassCounts[] = {1, 2, 7, 8, 9, 12, 16, 17, 32, 255, 256, 300};

using Ids = std::vector<std::uint16_t>;
using Bytes = std::vector<std::byte>;

Bytes encode(const Ids& ids, std::size_t class_count, LabelStorage storage) {
  Bytes out(encoded_bytes(storage, ids.size(), class_count), std::byte{0xAA});
  encode_ids(ids, class_count, storage, out);
  return out;
}

// Runs of random lengths, so that groups are flat, mixed, and cross the ends of runs; a tenth is
// ignored.
Ids random_ids(std::size_t count, std::size_t class_count, std::mt19937& random) {
  Ids ids;
  while (ids.size() < count) {
    const auto id =
        static_cast<std::uint16_t>(random() % 10 == 0 ? kIgnored : random() % class_count);
    ids.insert(ids.end(), 1 + random() % (random() % 3 == 0 ? 60 : 4), id);
  }
  ids.resize(count);
  return ids;
}

// One color per id; the last one belongs to no class, as in a label with an unlisted color.
RgbColor color_of(std::uint16_t id) {
  return {static_cast<std::uint8_t>(id), static_cast<std::uint8_t>(id >> 8), 7};
}

// stack([all(label == v, axis=-1) for v in values], axis=-1) in full: compares every pixel's
// color with every class's.
std::vector<bool> one_hot_it(const Ids& ids, std::size_t class_count) {
  std::vector<bool> result;
  for (const std::uint16_t id : ids) {
    const RgbColor pixel = color_of(id);
    for (std::size_t c = 0; c < class_count; ++c)
      result.push_back(pixel == color_of(static_cast<std::uint16_t>(c)));
  }
  return result;
}

// np.unpackbits(x, axis=-1, count=C, bitorder="little")
std::vector<bool> unpack_bits(const Bytes& bytes, std::size_t class_count) {
  const std::size_t pixel_bytes = (class_count + 7) / 8;
  std::vector<bool> result;
  for (std::size_t pixel = 0; pixel < bytes.size() / pixel_bytes; ++pixel) {
    for (std::size_t c = 0; c < class_count; ++c)
      result.push_back((bytes[pixel * pixel_bytes + c / 8] >> (c % 8) & std::byte{1}) ==
                       std::byte{1});
  }
  return result;
}

std::vector<bool> as_bools(const Bytes& bytes) {
  std::vector<bool> result;
  for (const std::byte b : bytes) result.push_back(b == std::byte{1});
  return result;
}

bool only_zeros_and_ones(const Bytes& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b <= std::byte{1}; });
}

// Bits at and above class_count in each pixel's last byte.
bool spare_bits_are_zero(const Bytes& bytes, std::size_t class_count) {
  const std::size_t pixel_bytes = (class_count + 7) / 8;
  const auto spare =
      static_cast<std::byte>(class_count % 8 == 0 ? 0 : 0xFF << (class_count % 8) & 0xFF);
  for (std::size_t at = pixel_bytes - 1; at < bytes.size(); at += pixel_bytes) {
    if ((bytes[at] & spare) != std::byte{0}) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("encoded_bytes by storage") {
  CHECK(encoded_bytes(LabelStorage::bits, 100, 12) == 200);
  CHECK(encoded_bytes(LabelStorage::bits, 100, 8) == 100);
  CHECK(encoded_bytes(LabelStorage::bits, 100, 300) == 3800);
  CHECK(encoded_bytes(LabelStorage::one_hot, 100, 12) == 1200);
  CHECK(encoded_bytes(LabelStorage::index, 100, 255) == 100);
  CHECK(encoded_bytes(LabelStorage::index, 100, 256) == 200);
  CHECK(encoded_bytes(LabelStorage::one_hot, std::uint64_t{1} << 28, 65535) ==
        (std::uint64_t{1} << 28) * 65535);
}

TEST_CASE("bits and one-hot bytes equal one_hot_it for every class count") {
  std::mt19937 random(31);
  for (const std::size_t class_count : kClassCounts) {
    for (const std::size_t pixels :
         {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{9}, std::size_t{1003}}) {
      const Ids ids = random_ids(pixels, class_count, random);
      const std::vector<bool> wanted = one_hot_it(ids, class_count);
      INFO(class_count << " classes, " << pixels << " pixels");
      const Bytes bits = encode(ids, class_count, LabelStorage::bits);
      CHECK(unpack_bits(bits, class_count) == wanted);
      CHECK(spare_bits_are_zero(bits, class_count));
      const Bytes one_hot = encode(ids, class_count, LabelStorage::one_hot);
      CHECK(as_bools(one_hot) == wanted);
      CHECK(only_zeros_and_ones(one_hot));
    }
  }
}

TEST_CASE("class c is bit c mod 8, least significant first, of byte c div 8") {
  const auto byte_of = [](std::uint16_t id, std::size_t class_count, std::size_t at) {
    return encode({id}, class_count, LabelStorage::bits)[at];
  };
  CHECK(byte_of(0, 8, 0) == std::byte{0x01});
  CHECK(byte_of(7, 8, 0) == std::byte{0x80});
  CHECK(byte_of(8, 12, 0) == std::byte{0x00});
  CHECK(byte_of(8, 12, 1) == std::byte{0x01});
  CHECK(byte_of(11, 12, 1) == std::byte{0x08});
  CHECK(byte_of(17, 32, 2) == std::byte{0x02});
  CHECK(byte_of(299, 300, 37) == std::byte{0x08});
}

TEST_CASE("an ignored pixel is an all-zero vector") {
  for (const std::size_t class_count : kClassCounts) {
    for (const LabelStorage storage : {LabelStorage::bits, LabelStorage::one_hot}) {
      const Bytes bytes = encode(Ids(40, kIgnored), class_count, storage);
      CHECK(std::count(bytes.begin(), bytes.end(), std::byte{0}) ==
            static_cast<std::ptrdiff_t>(bytes.size()));
    }
  }
}

TEST_CASE("an index is one byte up to 255 classes, else two, little-endian") {
  CHECK(encode({0, 11, kIgnored}, 12, LabelStorage::index) ==
        Bytes{std::byte{0}, std::byte{11}, std::byte{255}});
  CHECK(encode({254, kIgnored}, 255, LabelStorage::index) == Bytes{std::byte{254}, std::byte{255}});
  CHECK(encode({255, 299, kIgnored}, 300, LabelStorage::index) ==
        Bytes{std::byte{255}, std::byte{0}, std::byte{43}, std::byte{1}, std::byte{255},
              std::byte{255}});
  std::mt19937 random(32);
  for (const std::size_t class_count : kClassCounts) {
    const Ids ids = random_ids(500, class_count, random);
    const Bytes bytes = encode(ids, class_count, LabelStorage::index);
    int wrong = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool narrow = class_count <= 255;
      const int stored =
          narrow ? static_cast<int>(bytes[i])
                 : static_cast<int>(bytes[2 * i]) + 256 * static_cast<int>(bytes[2 * i + 1]);
      wrong += stored != (ids[i] == kIgnored ? (narrow ? 255 : 65535) : ids[i]);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("no byte beyond the output is written, at any alignment") {
  std::mt19937 random(33);
  for (const std::size_t class_count :
       {std::size_t{8}, std::size_t{12}, std::size_t{17}, std::size_t{300}}) {
    for (const LabelStorage storage :
         {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
      const Ids ids = random_ids(77, class_count, random);
      const Bytes wanted = encode(ids, class_count, storage);
      Bytes memory(wanted.size() + 8, std::byte{0x55});
      encode_ids(ids, class_count, storage, std::span(memory).subspan(3, wanted.size()));
      CHECK(std::equal(wanted.begin(), wanted.end(), memory.begin() + 3));
      CHECK(std::count(memory.begin(), memory.begin() + 3, std::byte{0x55}) == 3);
      CHECK(std::count(memory.end() - 5, memory.end(), std::byte{0x55}) == 5);
    }
  }
}

TEST_CASE("without pixels there are no bytes") {
  CHECK(encode({}, 12, LabelStorage::bits).empty());
  CHECK(encode({}, 12, LabelStorage::index).empty());
}

TEST_CASE("one pixel serves as a whole-image label") {
  CHECK(encode({2}, 3, LabelStorage::one_hot) == Bytes{std::byte{0}, std::byte{0}, std::byte{1}});
  CHECK(encode({2}, 3, LabelStorage::bits) == Bytes{std::byte{4}});
}

TEST_CASE("count_ids adds every class and returns the ignored pixels") {
  std::mt19937 random(34);
  for (const std::size_t class_count : kClassCounts) {
    for (const std::size_t pixels :
         {std::size_t{0}, std::size_t{5}, std::size_t{16}, std::size_t{2011}}) {
      const Ids ids = random_ids(pixels, class_count, random);
      std::vector<std::uint64_t> histogram(class_count, 5);
      const std::uint64_t ignored = count_ids(ids, 3, histogram);
      CHECK(ignored ==
            3 * static_cast<std::uint64_t>(std::count(ids.begin(), ids.end(), kIgnored)));
      for (std::size_t c = 0; c < class_count; ++c)
        REQUIRE(histogram[c] ==
                5 + 3 * static_cast<std::uint64_t>(
                            std::count(ids.begin(), ids.end(), static_cast<std::uint16_t>(c))));
    }
  }
}

TEST_CASE("count_one_hot counts each class of a pixel, and pixels without one") {
  for (const LabelStorage storage : {LabelStorage::bits, LabelStorage::one_hot}) {
    Bytes label(encoded_bytes(storage, 3, 10), std::byte{0});
    for (const std::size_t class_id : {0u, 2u, 9u})
      add_class(Ids{1, 0, class_id == 9}, class_id, 10, storage, label);
    std::vector<std::uint64_t> histogram{7};
    CHECK(count_one_hot(label, storage, 10, histogram) == 1);
    CHECK(histogram == std::vector<std::uint64_t>{1, 0, 1, 0, 0, 0, 0, 0, 0, 2});
  }
}
