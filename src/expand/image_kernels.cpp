#include "expand/image_kernels.hpp"

#include <cstring>

namespace hotpack::expand {
namespace kernels {
namespace {

void split_portable(const std::uint8_t* __restrict in, std::size_t pixels,
                    std::uint8_t* __restrict out, std::size_t plane) {
  std::uint8_t* __restrict const second = out + plane;
  std::uint8_t* __restrict const third = second + plane;
  for (std::size_t p = 0; p < pixels; ++p) {
    out[p] = in[3 * p];
    second[p] = in[3 * p + 1];
    third[p] = in[3 * p + 2];
  }
}

void join_portable(const std::uint8_t* __restrict in, std::size_t plane, std::size_t pixels,
                   std::uint8_t* __restrict out) {
  for (std::size_t p = 0; p < pixels; ++p) {
    out[3 * p] = in[p];
    out[3 * p + 1] = in[plane + p];
    out[3 * p + 2] = in[2 * plane + p];
  }
}

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

void across_row_portable(const std::uint8_t* in, std::size_t /*width*/, std::size_t channels,
                         const ColumnTap* taps, std::size_t columns, std::int16_t* out) {
  across_portable(in, channels, taps, columns, out);
}

}  // namespace

void mirror_portable(const std::uint8_t* in, std::size_t pixels, std::size_t channels,
                     std::uint8_t* out) {
  const std::uint8_t* from = in + pixels * channels;
  for (std::size_t p = 0; p < pixels; ++p, out += channels) {
    from -= channels;
    for (std::size_t c = 0; c < channels; ++c) out[c] = from[c];
  }
}

void convert_portable(const ValueMap& map, const std::uint8_t* in, std::size_t count,
                      std::byte* out, Stores /*stores*/) {
  if (map.type == ElementType::f32) return look_up(map.singles, map.period, in, count, out);
  look_up(map.halves, map.period, in, count, out);
}

void across_portable(const std::uint8_t* in, std::size_t channels, const ColumnTap* taps,
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

void between_portable(const std::int16_t* upper, int upper_weight, const std::int16_t* lower,
                      int lower_weight, std::size_t count, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint8_t>(
        (((upper_weight * upper[i]) >> 16) + ((lower_weight * lower[i]) >> 16) + 2) >> 2);
  }
}

const ImageKernels kPortable{split_portable,   join_portable,       mirror_portable,
                             convert_portable, across_row_portable, between_portable};

}  // namespace kernels

const ImageKernels& image_kernels([[maybe_unused]] Level level) {
#if defined(__x86_64__)
  switch (level) {
    case Level::avx512:
      return kernels::kAvx512;
    case Level::avx2:
      return kernels::kAvx2;
    case Level::portable:
      break;
  }
#endif
  return kernels::kPortable;
}

}  // namespace hotpack::expand
