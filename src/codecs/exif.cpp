#include "codecs/exif.hpp"

#include <cstdint>
#include <cstring>
#include <optional>

#include "base/checked.hpp"

namespace hotpack::codecs {
namespace {

constexpr char kExifMark[6] = {'E', 'x', 'i', 'f', '\0', '\0'};
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShortType = 3;
constexpr std::uint32_t kLongType = 4;
constexpr std::size_t kEntryBytes = 12;

// Reads numbers, in either byte order, from the TIFF structure inside EXIF data. Returns nothing
// for offsets beyond the end.
class TiffBytes {
 public:
  TiffBytes(std::span<const std::byte> bytes, bool big_endian)
      : bytes_(bytes), big_endian_(big_endian) {}

  [[nodiscard]] std::optional<std::uint32_t> u16(std::size_t offset) const {
    return number(offset, 2);
  }
  [[nodiscard]] std::optional<std::uint32_t> u32(std::size_t offset) const {
    return number(offset, 4);
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t offset, std::size_t size) const {
    if (!range_fits(offset, size, bytes_.size())) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = big_endian_ ? offset + i : offset + size - 1 - i;
      value = value << 8 | std::to_integer<std::uint32_t>(bytes_[at]);
    }
    return value;
  }

  std::span<const std::byte> bytes_;
  bool big_endian_;
};

std::optional<TiffBytes> open_tiff(std::span<const std::byte> bytes) {
  if (bytes.size() < 8) return std::nullopt;
  const bool little = bytes[0] == std::byte{'I'} && bytes[1] == std::byte{'I'};
  const bool big = bytes[0] == std::byte{'M'} && bytes[1] == std::byte{'M'};
  if (!little && !big) return std::nullopt;
  const TiffBytes tiff(bytes, big);
  if (tiff.u16(2) != 42U) return std::nullopt;
  return tiff;
}

// Returns the value of a directory entry; empty if it is not a single integer.
std::optional<std::uint32_t> entry_value(const TiffBytes& tiff, std::size_t entry) {
  if (tiff.u32(entry + 4) != 1U) return std::nullopt;
  const auto type = tiff.u16(entry + 2);
  if (type == kShortType) return tiff.u16(entry + 8);
  if (type == kLongType) return tiff.u32(entry + 8);
  return std::nullopt;
}

std::optional<std::uint32_t> find_orientation(const TiffBytes& tiff) {
  const auto directory = tiff.u32(4);
  if (!directory) return std::nullopt;
  const auto count = tiff.u16(*directory);
  if (!count) return std::nullopt;
  for (std::size_t i = 0; i < *count; ++i) {
    const std::size_t entry = std::size_t{*directory} + 2 + i * kEntryBytes;
    const auto tag = tiff.u16(entry);
    if (!tag) return std::nullopt;
    if (*tag == kOrientationTag) return entry_value(tiff, entry);
  }
  return std::nullopt;
}

}  // namespace

bool is_exif_segment(std::span<const std::byte> segment) {
  return segment.size() >= sizeof kExifMark &&
         std::memcmp(segment.data(), kExifMark, sizeof kExifMark) == 0;
}

int tiff_orientation(std::span<const std::byte> tiff) {
  const auto opened = open_tiff(tiff);
  if (!opened) return 1;
  const auto value = find_orientation(*opened);
  return value && *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
}

int exif_orientation(std::span<const std::byte> segment) {
  return is_exif_segment(segment) ? tiff_orientation(segment.subspan(sizeof kExifMark)) : 1;
}

}  // namespace hotpack::codecs
