#include "unit/geometry/resize_cases.hpp"

#include <array>
#include <vector>

#include "base/checksum.hpp"
#include "base/words.hpp"

namespace hotpack::geometry {
namespace {

std::size_t sample_count(Extent size, int channels) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
         static_cast<std::size_t>(channels);
}

// Returns noise that is the same on every platform: the upper byte of a 32-bit linear congruential
// generator.
std::vector<std::uint8_t> noise(std::size_t count) {
  std::vector<std::uint8_t> values(count);
  std::uint32_t state = 12345;
  for (std::uint8_t& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<std::uint8_t>(state >> 24);
  }
  return values;
}

}  // namespace

std::uint64_t resize_hash(const ResizeCase& resize_case) {
  const auto& [filter, channels, source, target, hash] = resize_case;
  const std::vector<std::uint8_t> in = noise(sample_count(source, channels));
  std::vector<std::uint8_t> out(sample_count(target, channels));
  const std::array<std::uint8_t, 3> pad{};
  Resampler resampler;
  const Status placed = resampler.place(
      {in.data(), source.width, source.height, channels, sample_count({source.width, 1}, channels)},
      {0, 0, target.width, target.height}, filter, pad.data(),
      {out.data(), target.width, target.height, channels,
       sample_count({target.width, 1}, channels)});
  return placed.ok() ? xxh3_64(std::as_bytes(std::span(out))) : 0;
}

}  // namespace hotpack::geometry
