#include <algorithm>
#include <array>
#include <vector>

#include "base/checksum.hpp"
#include "base/words.hpp"
#include "geometry/resize_cases.hpp"

namespace hotpack::geometry {
namespace {

// The cases reach every branch of resizing: larger and smaller, exact halves, whole and other
// factors, one axis larger and the other smaller.
constexpr std::array<ResizeCase, 16> kCases{{
    {ImageFilter::linear, 1, {23, 17}, {40, 31}, 0x208884c6baf90f85},
    {ImageFilter::linear, 3, {23, 17}, {40, 31}, 0xf73d128d0b4c5d7f},
    {ImageFilter::linear, 1, {41, 37}, {19, 16}, 0x69577db32ffab9af},
    {ImageFilter::linear, 3, {41, 37}, {19, 16}, 0xd814103241bebd6e},
    {ImageFilter::linear, 3, {19, 40}, {33, 21}, 0x7b13d8007fc3d719},
    {ImageFilter::linear, 1, {48, 34}, {24, 17}, 0x78f5d0a73aa5895c},
    {ImageFilter::linear, 3, {48, 34}, {24, 17}, 0x3ffb5cbf95ea1a46},
    {ImageFilter::area, 1, {48, 34}, {24, 17}, 0x78f5d0a73aa5895c},
    {ImageFilter::area, 3, {48, 34}, {24, 17}, 0x3ffb5cbf95ea1a46},
    {ImageFilter::area, 1, {57, 33}, {19, 11}, 0xabd169eaf72f6c8b},
    {ImageFilter::area, 3, {57, 33}, {19, 11}, 0xa81cfa19e1b28f22},
    {ImageFilter::area, 1, {53, 47}, {20, 22}, 0x31084af648cd91ec},
    {ImageFilter::area, 3, {53, 47}, {20, 22}, 0xc65de5f875ee1a7c},
    {ImageFilter::area, 3, {19, 40}, {33, 21}, 0xc700127daabb32ba},
    {ImageFilter::nearest, 1, {23, 17}, {40, 31}, 0x083fb7287fb782e5},
    {ImageFilter::nearest, 3, {41, 37}, {19, 16}, 0x3f3c8cd63af34578},
}};

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

std::span<const ResizeCase> stored_resize_cases() { return kCases; }

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

std::string engine_of(std::span<const ResizeCase> cases) {
  const auto agrees = [](const ResizeCase& resize_case) {
    return resize_hash(resize_case) == resize_case.hash;
  };
  return std::all_of(cases.begin(), cases.end(), agrees) ? "" : "resize:" + resize_library();
}

std::string resize_engine() {
  static const std::string engine = engine_of(kCases);
  return engine;
}

}  // namespace hotpack::geometry
