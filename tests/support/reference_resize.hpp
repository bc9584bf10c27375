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

// The taps of INTER_AREA if an axis grows.
inline std::vector<Tap> growing_area_taps(int source, int target, bool clamp_fraction) {
  const double inverse = static_cast<double>(target) / source;
  const double scale = 1.0 / inverse;
  std::vector<Tap> taps;
  for (int i = 0; i < target; ++i) {
    const int k = static_cast<int>(std::floor(i * scale));
    auto fraction = static_cast<float>((i + 1) - (k + 1) * inverse);
    fraction = fraction <= 0 ? 0 : fraction - std::floor(fraction);
    if (clamp_fraction && k >= source - 1) fraction = 0;
    taps.push_back({k, k + 1 < source ? k + 1 : k,
                    static_cast<int>(std::nearbyint((1.0f - fraction) * 2048)),
                    static_cast<int>(std::nearbyint(fraction * 2048))});
  }
  return taps;
}

inline Image combine_taps(const Image& in, const std::vector<Tap>& columns,
                          const std::vector<Tap>& rows) {
  Image out(static_cast<int>(columns.size()), static_cast<int>(rows.size()), in.channels);
  for (int y = 0; y < out.height; ++y) {
    const Tap& row = rows[static_cast<std::size_t>(y)];
    for (int x = 0; x < out.width; ++x) {
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

inline Image linear(const Image& in, int width, int height) {
  if (in.width == width && in.height == height) return in;
  if (in.width == 2 * width && in.height == 2 * height) return area_of_blocks(in, width, height);
  return combine_taps(in, linear_taps(in.width, width, true),
                      linear_taps(in.height, height, false));
}

inline Image growing_area(const Image& in, int width, int height) {
  return combine_taps(in, growing_area_taps(in.width, width, true),
                      growing_area_taps(in.height, height, false));
}

// An input and its share of an output.
struct Share {
  int input = 0;
  float share = 0;
};

// What an output of a shrinking axis covers. Parts of less than a thousandth do not count.
inline std::vector<Share> covered_inputs(int source, int target, int i) {
  const double scale = 1.0 / (static_cast<double>(target) / source);
  const double begin = i * scale, end = begin + scale;
  const double covered = scale < source - begin ? scale : source - begin;
  int last = static_cast<int>(std::floor(end));
  if (last > source - 1) last = source - 1;
  int first = static_cast<int>(std::ceil(begin));
  if (first > last) first = last;
  std::vector<Share> shares;
  if (first - begin > 1e-3)
    shares.push_back({first - 1, static_cast<float>((first - begin) / covered)});
  for (int k = first; k < last; ++k) shares.push_back({k, static_cast<float>(1.0 / covered)});
  if (end - last > 1e-3) {
    double part = end - last < 1.0 ? end - last : 1.0;
    if (part > covered) part = covered;
    shares.push_back({last, static_cast<float>(part / covered)});
  }
  return shares;
}

// The mean of what each output covers. No axis grows.
inline Image area_of_parts(const Image& in, int width, int height) {
  Image out(width, height, in.channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < in.channels; ++c) {
        float sum = 0;
        for (const Share& row : covered_inputs(in.height, height, y)) {
          float across = 0;
          for (const Share& column : covered_inputs(in.width, width, x)) {
            const float product =
                static_cast<float>(in.at(column.input, row.input, c)) * column.share;
            across = across + product;
          }
          const float product = row.share * across;
          sum = sum + product;
        }
        const float rounded = std::nearbyint(sum);
        out.at(x, y, c) = static_cast<std::uint8_t>(rounded > 255 ? 255 : rounded);
      }
    }
  }
  return out;
}

// floor((2i + 1) · s / (2d))
inline int center_index(int i, int source, int target) {
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

// The antialiased filters of Pillow.
enum class Curve { triangle, cubic, lanczos };

inline double curve_at(Curve curve, double x) {
  const double pi = 3.14159265358979323846, distance = std::abs(x);
  if (curve == Curve::triangle) return distance < 1 ? 1 - distance : 0;
  if (curve == Curve::lanczos) {
    if (x == 0) return 1;
    const double narrow = x * pi, wide = x / 3 * pi;
    return x < -3 || x >= 3 ? 0 : std::sin(narrow) / narrow * (std::sin(wide) / wide);
  }
  if (distance < 1) return (1.5 * distance - 2.5) * distance * distance + 1;
  return distance < 2 ? (((distance - 5) * distance + 8) * distance - 4) * -0.5 : 0;
}

// The inputs of output `i`, and their weights in units of 2^-22.
struct Weights {
  int first = 0;
  std::vector<int> weights;
};

inline Weights weights_of(Curve curve, int source, int target, int i) {
  const double step = static_cast<double>(source) / target, stretch = step > 1 ? step : 1;
  const double reach = stretch * (curve == Curve::triangle ? 1 : curve == Curve::cubic ? 2 : 3);
  const double center = (i + 0.5) * step;
  Weights result;
  const int first = static_cast<int>(std::trunc(center - reach + 0.5)),
            end = static_cast<int>(std::trunc(center + reach + 0.5));
  result.first = first < 0 ? 0 : first;
  std::vector<double> exact;
  double sum = 0;
  for (int k = result.first; k < end && k < source; ++k) {
    exact.push_back(curve_at(curve, (k - center + 0.5) * (1 / stretch)));
    sum += exact.back();
  }
  for (const double weight : exact)
    result.weights.push_back(static_cast<int>(std::round(weight / sum * (1 << 22))));
  return result;
}

inline Image transposed(const Image& in) {
  Image out(in.height, in.width, in.channels);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      for (int c = 0; c < in.channels; ++c) out.at(x, y, c) = in.at(y, x, c);
    }
  }
  return out;
}

// One pass: changes the width, unless it is `width` already.
inline Image antialiased_width(const Image& in, Curve curve, int width) {
  if (in.width == width) return in;
  Image out(width, in.height, in.channels);
  for (int x = 0; x < width; ++x) {
    const Weights columns = weights_of(curve, in.width, width, x);
    for (int y = 0; y < in.height; ++y) {
      for (int c = 0; c < in.channels; ++c) {
        long long sum = 1 << 21;
        for (std::size_t k = 0; k < columns.weights.size(); ++k)
          sum += static_cast<long long>(columns.weights[k]) *
                 in.at(columns.first + static_cast<int>(k), y, c);
        sum >>= 22;
        out.at(x, y, c) = static_cast<std::uint8_t>(sum < 0 ? 0 : sum > 255 ? 255 : sum);
      }
    }
  }
  return out;
}

inline Image antialiased_height(const Image& in, Curve curve, int height) {
  return transposed(antialiased_width(transposed(in), curve, height));
}

// `vertical_first` is the order of the passes, of which the first one rounds to 8 bits, too.
inline Image antialiased(const Image& in, Curve curve, int width, int height, bool vertical_first) {
  return vertical_first ? antialiased_width(antialiased_height(in, curve, height), curve, width)
                        : antialiased_height(antialiased_width(in, curve, width), curve, height);
}

// Pillow 13 changes the height first if it loses more than twice as many pixels as the width.
inline bool pillow13_is_vertical_first(const Image& in, int width, int height) {
  const int lost_rows = in.height - height, lost_columns = in.width - width;
  return lost_rows >= 1 && lost_rows > 2 * lost_columns;
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
