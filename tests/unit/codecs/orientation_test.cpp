#include "codecs/orientation.hpp"

#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/fenced_memory.hpp"
#include "support/test_images.hpp"

namespace hotpack::codecs {
namespace {

// The place of pixel (x, y) of the turned image in the stored image of width x height, from the
// text of the EXIF standard.
std::pair<int, int> stored_place(int orientation, int x, int y, int width, int height) {
  switch (orientation) {
    case 2:
      return {width - 1 - x, y};
    case 3:
      return {width - 1 - x, height - 1 - y};
    case 4:
      return {x, height - 1 - y};
    case 5:
      return {y, x};
    case 6:
      return {y, height - 1 - x};
    case 7:
      return {width - 1 - y, height - 1 - x};
    case 8:
      return {width - 1 - y, x};
    default:
      return {x, y};
  }
}

// Returns rows of noise with `gap` bytes between them.
std::vector<std::uint8_t> noise_rows(int width, int height, int channels, std::size_t gap) {
  const auto noise = test::noise_samples(width, height, channels, 255);
  const auto row = static_cast<std::size_t>(width * channels);
  std::vector<std::uint8_t> samples;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (i > 0 && i % row == 0) samples.insert(samples.end(), gap, 0xEE);
    samples.push_back(static_cast<std::uint8_t>(noise[i]));
  }
  return samples;
}

// An image of noise. Reading a byte after its last pixel crashes.
struct Stored {
  Stored(int width, int height, int channels, std::size_t gap)
      : memory(noise_rows(width, height, channels, gap), test::Against::high_fence),
        image{memory.bytes().data(), width, height, channels,
              static_cast<std::size_t>(width * channels) + gap} {}
  test::FencedMemory memory;
  ConstPixels image;
};

bool seen_as_expected(const ConstPixels& seen, const ConstPixels& stored, int orientation) {
  for (int y = 0; y < seen.height; ++y) {
    for (int x = 0; x < seen.width; ++x) {
      const auto [stored_x, stored_y] =
          stored_place(orientation, x, y, stored.width, stored.height);
      for (int c = 0; c < seen.channels; ++c) {
        if (seen.row(y)[x * seen.channels + c] !=
            stored.row(stored_y)[stored_x * stored.channels + c])
          return false;
      }
    }
  }
  return true;
}

TEST_CASE("every orientation places every pixel") {
  Buffer buffer;
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 40}, {40, 1}, {32, 32}, {33, 65}, {100, 31}}) {
    for (const auto& [channels, gap] : {std::pair{1, std::size_t{0}}, {3, 0}, {1, 5}, {3, 5}}) {
      const Stored stored(width, height, channels, gap);
      for (int orientation = 1; orientation <= 8; ++orientation) {
        CAPTURE(width, height, channels, gap, orientation);
        const ConstPixels seen = orient(stored.image, orientation, buffer);
        CHECK(seen.width == (orientation >= 5 ? height : width));
        CHECK(seen.height == (orientation >= 5 ? width : height));
        CHECK(seen.channels == channels);
        CHECK(seen.packed());
        CHECK(seen_as_expected(seen, stored.image, orientation));
      }
    }
  }
}

}  // namespace
}  // namespace hotpack::codecs
