// A second implementation of resizing, from the published formulas and in plain integers if they
// allow it, to test the first one.
//
// Slow and simple on purpose; shares no code with the geometry room.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reference {

// Packed interleaved 8-bit pixels.
struct Image {
  int width = 0, height = 0, channels = 1;
  std::vector<std::uint8_t> samples;

  Image(int w, int h, int c)
      : width(w),
        height(h),
        channels(c),
        samples(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) *
                static_cast<std::size_t>(c)) {}
  std::uint8_t& at(int x, int y, int c) { return samples[offset(x, y, c)]; }
  std::uint8_t at(int x, int y, int c) const { return samples[offset(x, y, c)]; }
  bool operator==(const Image&) const = default;

 private:
  std::size_t offset(int x, int y, int c) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
            static_cast<std::size_t>(x)) *
               static_cast<std::size_t>(channels) +
           static_cast<std::size_t>(c);
  }
};

// The mean of whole blocks: both sizes of `in` are multiples of the target's.
inline Image area_of_blocks(const Image& in, int width, int height) {
  const int fx = in.width / width, fy = in.height / height;
  Image out(width, height, in.channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < in.channels; ++c) {
        int sum = 0;
        for (int v = 0; v < fy; ++v) {
          for (int u = 0; u < fx; ++u) sum += in.at(x * fx + u, y * fy + v, c);
        }
        const float mean = static_cast<float>(sum) * (1.0f / static_cast<float>(fx * fy));
        out.at(x, y, c) = static_cast<std::uint8_t>(
            fx == 2 && fy == 2 ? (sum + 2) >> 2 : static_cast<int>(std::nearbyint(mean)));
      }
    }
  }
  return out;
}

// The two inputs of an output row or column, and their weights in 2048ths.
struct Tap {
  int first = 0, second = 0;
  int first_weight = 0, second_weight = 0;
};

// `clamp_fraction`: OpenCV drops the fraction beyond the border for columns, and keeps it for
// rows.
inline std::vector<Tap> linear_taps(int source, int target, bool clamp_fraction) {
  const double scale = 1.0 / (static_cast<double>(target) / source);
  std::vector<Tap> taps;
  for (int i = 0; i < target; ++i) {
    auto fraction = static_cast<float>((i + 0.5) * scale - 0.5);
    int k = static_cast<int>(std::floor(fraction));
    fraction -= static_cast<float>(k);
    if (clamp_fraction && k < 0) k = 0, fraction = 0;
    if (clamp_fraction && k >= source - 1) k = source - 1, fraction = 0;
    const auto inside = [&](int index) {
      return index < 0 ? 0 : (index > source - 1 ? source - 1 : index);
    };
    taps.push_back({inside(k), inside(k + 1),
                    static_cast<int>(std::nearbyint((1.0f - fraction) * 2048)),
                    static_cast<int>(std::nearbyint(fraction * 2048))});
  }
  return taps;
}

inline Image linear(const Image& in, int width, int height) {
  if (in.width == width && in.height == height) return in;
  if (in.width == 2 * width && in.height == 2 * height) return area_of_blocks(in, width, height);
  const std::vector<Tap> columns = linear_taps(in.width, width, true);
  const std::vector<Tap> rows = linear_taps(in.height, height, false);
  Image out(width, height, in.channels);
  for (int y = 0; y < height; ++y) {
    const Tap& row = rows[static_cast<std::size_t>(y)];
    for (int x = 0; x < width; ++x) {
      const Tap& column = columns[static_cast<std::size_t>(x)];
      for (int c = 0; c < in.channels; ++c) {
        const auto across = [&](int v) {
          return in.at(column.first, v, c) * column.first_weight +
                 in.at(column.second, v, c) * column.second_weight;
        };
        const int top = (row.first_weight * (across(row.first) >> 4)) >> 16;
        const int bottom = (row.second_weight * (across(row.second) >> 4)) >> 16;
        out.at(x, y, c) = static_cast<std::uint8_t>((top + bottom + 2) >> 2);
      }
    }
  }
  return out;
}

// floor((2i + 1) · s / (2d))
inline int centre_index(int i, int source, int target) {
  return static_cast<int>((2 * static_cast<long long>(i) + 1) * source /
                          (2 * static_cast<long long>(target)));
}

inline int opencv_index(int i, int source, int target) {
  const double reciprocal = 1.0 / (static_cast<double>(target) / source);
  const int index = static_cast<int>(std::floor(i * reciprocal));
  return index < source - 1 ? index : source - 1;
}

inline int pillow_index(int i, int source, int target) {
  const double step = static_cast<double>(source) / target;
  double at = step * 0.5;
  for (int k = 0; k < i; ++k) at += step;
  return static_cast<int>(at);
}

inline Image nearest(const Image& in, int width, int height) {
  Image out(width, height, in.channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < in.channels; ++c)
        out.at(x, y, c) =
            in.at(opencv_index(x, in.width, width), opencv_index(y, in.height, height), c);
    }
  }
  return out;
}

// `resized` placed in a record with its corner at (left, top); `pad` elsewhere.
inline Image placed(const Image& resized, int left, int top, int width, int height,
                    const std::uint8_t* pad) {
  Image out(width, height, resized.channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int u = x - left, v = y - top;
      const bool inside = u >= 0 && u < resized.width && v >= 0 && v < resized.height;
      for (int c = 0; c < resized.channels; ++c)
        out.at(x, y, c) = inside ? resized.at(u, v, c) : pad[c];
    }
  }
  return out;
}

}  // namespace reference
