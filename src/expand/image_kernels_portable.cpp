#include "expand/image_kernels_portable.hpp"

#include <array>

namespace hotpack::expand::portable {

void split(const std::uint8_t* __restrict in, std::size_t pixels, std::uint8_t* __restrict out,
           std::size_t plane) {
  std::uint8_t* __restrict const second = out + plane;
  std::uint8_t* __restrict const third = second + plane;
  for (std::size_t p = 0; p < pixels; ++p) {
    out[p] = in[3 * p];
    second[p] = in[3 * p + 1];
    third[p] = in[3 * p + 2];
  }
}

void join(const std::uint8_t* __restrict in, std::size_t plane, std::size_t pixels,
          std::uint8_t* __restrict out) {
  for (std::size_t p = 0; p < pixels; ++p) {
    out[3 * p] = in[p];
    out[3 * p + 1] = in[plane + p];
    out[3 * p + 2] = in[2 * plane + p];
  }
}

namespace {

template <class T>
void look_up(const std::array<std::array<T, 256>, kMaxPeriod>& tables, std::size_t period,
             const std::uint8_t* in, std::size_t count, std::byte* bytes) {
  auto* const out = reinterpret_cast<T*>(bytes);
  if (period == 1) {
    for (std::size_t i = 0; i < count; ++i) out[i] = tables[0][in[i]];
    return;
  }
  std::size_t i = 0;
  for (; i + 3 <= count; i += 3) {
    for (std::size_t c = 0; c < 3; ++c) out[i + c] = tables[c][in[i + c]];
  }
  for (std::size_t c = 0; i < count; ++i, ++c) out[i] = tables[c][in[i]];
}

}  // namespace

void mirror(const std::uint8_t* in, std::size_t pixels, std::size_t channels, std::uint8_t* out) {
  const std::uint8_t* from = in + pixels * channels;
  for (std::size_t p = 0; p < pixels; ++p, out += channels) {
    from -= channels;
    for (std::size_t c = 0; c < channels; ++c) out[c] = from[c];
  }
}

void convert(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out) {
  if (map.type == ElementType::f32) return look_up(map.singles, map.period, in, count, out);
  look_up(map.halves, map.period, in, count, out);
}

void across(const std::uint8_t* in, std::size_t channels, const ColumnTap* taps,
            std::size_t columns, std::int16_t* out) {
  for (std::size_t x = 0; x < columns; ++x) {
    const ColumnTap& tap = taps[x];
    const std::uint8_t* const first = in + static_cast<std::size_t>(tap.first) * channels;
    const std::uint8_t* const second = tap.second_weight != 0 ? first + channels : first;
    for (std::size_t c = 0; c < channels; ++c) {
      *out++ = static_cast<std::int16_t>(
          (first[c] * tap.first_weight + second[c] * tap.second_weight) >> 4);
    }
  }
}

void between(const std::int16_t* upper, int upper_weight, const std::int16_t* lower,
             int lower_weight, std::size_t count, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint8_t>(
        (((upper_weight * upper[i]) >> 16) + ((lower_weight * lower[i]) >> 16) + 2) >> 2);
  }
}

}  // namespace hotpack::expand::portable
