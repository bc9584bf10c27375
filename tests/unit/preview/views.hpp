// Images and labels in memory, as a reader gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hotpack/shard.hpp"

namespace hotpack::test {

// An image and the bytes that it views.
struct OwnedImage {
  std::vector<std::uint8_t> bytes;
  ImageShape shape;
  [[nodiscard]] ImageView view() const { return {bytes, shape}; }
};

// All samples alike.
inline OwnedImage plain_image(int width, int height, std::uint8_t sample) {
  const ImageShape shape{height, width, 3, AxisOrder::channels_last};
  return {std::vector<std::uint8_t>(static_cast<std::size_t>(shape.size_bytes()), sample), shape};
}

struct OwnedLabel {
  std::vector<std::uint8_t> bytes;
  LabelShape shape;
  [[nodiscard]] LabelView view() const { return {bytes, shape}; }
};

// The classes of each pixel, none for an ignored one. With one pixel and scope `image`: of the
// whole image.
inline OwnedLabel label_of(LabelStorage storage, int width, int height, std::size_t classes,
                           const std::vector<std::vector<std::size_t>>& pixels, bool multi = false,
                           LabelScope scope = LabelScope::pixel) {
  OwnedLabel label{{}, {scope, storage, multi, height, width, classes}};
  const std::size_t step = label.shape.vector_bytes();
  for (const auto& set : pixels) {
    std::vector<std::uint8_t> vector(
        step, storage == LabelStorage::index ? std::uint8_t{255} : std::uint8_t{0});
    for (const std::size_t id : set) {
      if (storage == LabelStorage::bits)
        vector[id / 8] = static_cast<std::uint8_t>(vector[id / 8] | 1U << (id % 8));
      if (storage == LabelStorage::one_hot) vector[id] = 1;
      if (storage == LabelStorage::index) {
        vector[0] = static_cast<std::uint8_t>(id);
        if (step == 2) vector[1] = static_cast<std::uint8_t>(id >> 8);
      }
    }
    label.bytes.insert(label.bytes.end(), vector.begin(), vector.end());
  }
  return label;
}

}  // namespace hotpack::test
