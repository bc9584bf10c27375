#include "support/test_images.hpp"

namespace hotpack::test {

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::uint16_t> noise_samples(int width, int height, int channels, std::uint16_t most,
                                         std::uint32_t seed) {
  std::vector<std::uint16_t> samples(static_cast<std::size_t>(width) *
                                     static_cast<std::size_t>(height) *
                                     static_cast<std::size_t>(channels));
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (std::uint16_t& sample : samples) {
    state = state * 1664525U + 1013904223U;
    sample = static_cast<std::uint16_t>((state >> 8) % (std::uint32_t{most} + 1));
  }
  return samples;
}

std::vector<std::uint8_t> smooth_samples(int width, int height, int channels) {
  std::vector<std::uint8_t> samples;
  samples.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                  static_cast<std::size_t>(channels));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int across = (c % 2 == 0 ? x : width - 1 - x) * 160 / width;
        const int down = y * (40 + 20 * c) / height;
        samples.push_back(static_cast<std::uint8_t>((across + down) % 256));
      }
    }
  }
  return samples;
}

Bytes truncated(const Bytes& file, std::size_t size_bytes) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size_bytes)};
}

Bytes with_tail(const Bytes& file, std::string_view tail) {
  Bytes longer = file;
  for (const char c : tail) longer.push_back(static_cast<std::byte>(c));
  return longer;
}

Bytes with_byte(const Bytes& file, std::size_t offset, std::byte value) {
  Bytes changed = file;
  changed.at(offset) = value;
  return changed;
}

}  // namespace hotpack::test
