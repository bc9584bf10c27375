// Conversion tables and loops for image bytes: where the channels of pixels lie in vectors, and how
// to convert runs that are not a multiple of a block.
//
// Private to the image kernels. Pure functions; thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "expand/processor.hpp"
#include "expand/value_map.hpp"

namespace hotpack::expand {

// The positions of channels in vectors, for kWidth interleaved pixels of three channels, which fill
// three vectors of kWidth bytes. kWidth mod 3 is 1, so byte j of vector v belongs to channel (v +
// j) mod 3. In the three vectors, the bytes of one channel therefore have different positions, and
// blends can collect them in one vector.
template <std::size_t kWidth>
struct Thirds {
  using Bytes = std::array<std::uint8_t, kWidth>;
  alignas(64) std::array<Bytes, 3> remainder{};  // [r][j]: 255 if j mod 3 = r, else 0
  // [c][p]: the position of channel c of pixel p after blending
  alignas(64) std::array<Bytes, 3> place{};
  // [c][j]: the pixel whose channel c is at position j after blending
  alignas(64) std::array<Bytes, 3> pixel{};
};

template <std::size_t kWidth>
constexpr Thirds<kWidth> make_thirds() {
  static_assert(kWidth % 3 == 1 && kWidth <= 64);
  Thirds<kWidth> thirds;
  for (std::size_t j = 0; j < kWidth; ++j) thirds.remainder[j % 3][j] = 255;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t p = 0; p < kWidth; ++p) {
      const std::size_t j = (3 * p + c) % kWidth;
      thirds.place[c][p] = static_cast<std::uint8_t>(j);
      thirds.pixel[c][j] = static_cast<std::uint8_t>(p);
    }
  }
  return thirds;
}

template <std::size_t kWidth>
inline constexpr Thirds<kWidth> kThirds = make_thirds<kWidth>();

// Converts whole blocks. The first byte belongs to channel `phase` mod period.
using ConvertBlocks = void (*)(const ValueMap& map, const std::uint8_t* in, std::size_t blocks,
                               std::byte* out, std::size_t phase);

struct BlockConverters {
  std::size_t block = 0;  // bytes, at most kMaxBlock; whole periods and whole cache lines of output
  ConvertBlocks f32, f16, bf16;
  [[nodiscard]] ConvertBlocks of(ElementType type) const {
    if (type == ElementType::f32) return f32;
    return type == ElementType::f16 ? f16 : bf16;
  }
};

inline constexpr std::size_t kMaxBlock = 192;

// Converts less than a block, through a temporary block.
inline void convert_part(ConvertBlocks convert, const ValueMap& map, const std::uint8_t* in,
                         std::size_t count, std::byte* out, std::size_t phase) {
  alignas(64) std::uint8_t bytes[kMaxBlock] = {};
  alignas(64) std::byte elements[4 * kMaxBlock];
  std::memcpy(bytes, in, count);
  convert(map, bytes, 1, elements, phase);
  std::memcpy(out, elements, count * (map.type == ElementType::f32 ? 4 : 2));
}

// Converts `count` bytes to elements. With streaming stores, which need whole cache lines of
// output, it converts three parts: the elements before the first whole cache line, whole blocks,
// and the rest.
inline void convert_run(const BlockConverters& cached, const BlockConverters& streaming,
                        const ValueMap& map, const std::uint8_t* in, std::size_t count,
                        std::byte* out, Stores stores) {
  const std::size_t element = map.type == ElementType::f32 ? 4 : 2;
  const ConvertBlocks part = cached.of(map.type);
  const ConvertBlocks whole = stores == Stores::streaming ? streaming.of(map.type) : part;
  std::size_t done =
      stores == Stores::streaming ? std::min(bytes_to_line(out) / element, count) : 0;
  if (done > 0) convert_part(part, map, in, done, out, 0);
  const std::size_t blocks = (count - done) / cached.block;
  whole(map, in + done, blocks, out + done * element, done % map.period);
  done += blocks * cached.block;
  if (done < count)
    convert_part(part, map, in + done, count - done, out + done * element, done % map.period);
}

}  // namespace hotpack::expand
