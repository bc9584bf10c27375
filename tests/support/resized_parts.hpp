// Images, and exact comparisons, for the tests of the filters that equal OpenCV's.
#pragma once

#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "support/catch.hpp"
#include "support/fenced_memory.hpp"
#include "support/reference_resize.hpp"

namespace hotpack::test {

// Noise, a gradient, or flat pixels with a few others: each shows rounding differently.
inline reference::Image any_image(int width, int height, int channels, std::mt19937& random) {
  reference::Image image(width, height, channels);
  const auto kind = random() % 3;
  const auto flat = static_cast<std::uint8_t>(random() % 2 == 0 ? 255 : random());
  for (std::size_t i = 0; i < image.samples.size(); ++i) {
    const auto noise = static_cast<std::uint8_t>(random());
    image.samples[i] = kind == 0   ? noise
                       : kind == 1 ? static_cast<std::uint8_t>(i * 3)
                                   : static_cast<std::uint8_t>(i % 7 == 0 ? noise : flat);
  }
  return image;
}

// A part of a resized image.
struct Part {
  int left = 0, top = 0, width = 0, height = 0;
};

inline Part any_part(int width, int height, std::mt19937& random) {
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  if (random() % 2 == 0) return {0, 0, width, height};
  Part part{0, 0, 1 + below(width), 1 + below(height)};
  part.left = below(width - part.width + 1);
  part.top = below(height - part.height + 1);
  return part;
}

// Calls resize(source, region, out), which computes `part` of an image of the size of `wanted`, and
// requires the bytes of `wanted`. A read beyond the source or a write beyond the output crashes.
template <class Resize>
void require_part(const reference::Image& source, const reference::Image& wanted, const Part& part,
                  const Resize& resize) {
  const auto channels = static_cast<std::size_t>(source.channels);
  const std::size_t row_bytes = static_cast<std::size_t>(source.width) * channels;
  const std::size_t out_bytes = static_cast<std::size_t>(part.width) * channels;
  FencedMemory in(source.samples, Against::high_fence);
  FencedMemory out(out_bytes * static_cast<std::size_t>(part.height), Against::high_fence);
  const MutablePixels pixels{reinterpret_cast<std::uint8_t*>(out.data()), part.width, part.height,
                             source.channels, out_bytes};
  resize(ConstPixels{in.bytes().data(), source.width, source.height, source.channels, row_bytes},
         Region{-part.left, -part.top, wanted.width, wanted.height}, pixels);
  INFO(source.width << "x" << source.height << "x" << source.channels << " to " << wanted.width
                    << "x" << wanted.height << ", part " << part.width << "x" << part.height
                    << " at " << part.left << "," << part.top);
  for (int y = 0; y < part.height; ++y) {
    const std::size_t at =
        (static_cast<std::size_t>(part.top + y) * static_cast<std::size_t>(wanted.width) +
         static_cast<std::size_t>(part.left)) *
        channels;
    REQUIRE(std::memcmp(pixels.row(y), &wanted.samples[at], out_bytes) == 0);
  }
}

}  // namespace hotpack::test
