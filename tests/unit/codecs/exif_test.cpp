#include "codecs/exif.hpp"

#include "support/catch.hpp"
#include "support/test_images.hpp"

namespace hotpack::codecs {
namespace {

using test::Bytes;
using test::exif_payload;

// Offsets in exif_payload(): "Exif\0\0", then TIFF: order, 42, directory offset, entry count, tag,
// type, count, value.
constexpr std::size_t kMagicAt = 8;
constexpr std::size_t kDirectoryAt = 10;
constexpr std::size_t kEntriesAt = 14;
constexpr std::size_t kTagAt = 16;
constexpr std::size_t kTypeAt = 18;
constexpr std::size_t kCountAt = 20;

Bytes filled(const Bytes& payload, std::size_t at, std::size_t size, std::byte value) {
  Bytes changed = payload;
  std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(at), size, value);
  return changed;
}

TEST_CASE("the orientation is read in both byte orders") {
  for (int value = 1; value <= 8; ++value) {
    CHECK(exif_orientation(exif_payload(value, false)) == value);
    CHECK(exif_orientation(exif_payload(value, true)) == value);
  }
}

TEST_CASE("the structure without JPEG's prefix is read too") {
  for (int value = 1; value <= 8; ++value) {
    const Bytes payload = exif_payload(value);
    CHECK(tiff_orientation(std::span(payload).subspan(6)) == value);
  }
  CHECK(tiff_orientation(exif_payload(6)) == 1);
  CHECK(tiff_orientation({}) == 1);
}

TEST_CASE("an orientation that does not exist counts as 1") {
  for (const int value : {0, 9, 255, 65535}) {
    CHECK(exif_orientation(exif_payload(value, false)) == 1);
    CHECK(exif_orientation(exif_payload(value, true)) == 1);
  }
}

TEST_CASE("a long integer is accepted as orientation, other types are not") {
  CHECK(exif_orientation(test::with_byte(exif_payload(6), kTypeAt, std::byte{4})) == 6);
  CHECK(exif_orientation(test::with_byte(exif_payload(6), kTypeAt, std::byte{2})) == 1);
  CHECK(exif_orientation(test::with_byte(exif_payload(6), kCountAt, std::byte{2})) == 1);
}

TEST_CASE("EXIF segments are distinguished from other ones") {
  CHECK(is_exif_segment(exif_payload(1)));
  CHECK_FALSE(is_exif_segment(test::bytes_of("http://ns.adobe.com/xap/1.0/")));
  CHECK_FALSE(is_exif_segment({}));
  CHECK(exif_orientation(test::bytes_of("http://ns.adobe.com/xap/1.0/")) == 1);
}

TEST_CASE("a segment that is cut off anywhere before the value ends counts as 1") {
  const Bytes whole = exif_payload(6);
  constexpr std::size_t kValueEnd = 26;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(exif_orientation(std::span(whole).first(size)) == (size < kValueEnd ? 1 : 6));
  }
}

TEST_CASE("hostile offsets and counts are harmless") {
  const Bytes good = exif_payload(6);
  CHECK(exif_orientation(filled(good, kDirectoryAt, 4, std::byte{0xFF})) == 1);
  CHECK(exif_orientation(filled(good, kDirectoryAt, 4, std::byte{0})) == 1);
  CHECK(exif_orientation(filled(good, kEntriesAt, 2, std::byte{0})) == 1);
  CHECK(exif_orientation(filled(good, kMagicAt, 2, std::byte{0})) == 1);
  // 65535 entries without the tag: the walk ends with the segment.
  CHECK(exif_orientation(
            filled(filled(good, kEntriesAt, 2, std::byte{0xFF}), kTagAt, 2, std::byte{0})) == 1);
}

}  // namespace
}  // namespace hotpack::codecs
