#include "base/checksum.hpp"

#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack;

namespace {

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// The definition, bit by bit.
std::uint32_t slow_crc32c(std::span<const std::byte> bytes) {
  std::uint32_t state = 0xFFFFFFFF;
  for (const std::byte byte : bytes) {
    state ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) ? 0x82F63B78u : 0);
  }
  return ~state;
}

}  // namespace

TEST_CASE("crc32c gives the published check value") {
  CHECK(crc32c(bytes_of("123456789")) == 0xE3069283);
  CHECK(crc32c_portable(bytes_of("123456789")) == 0xE3069283);
  CHECK(crc32c({}) == 0);
}

TEST_CASE("crc32c equals its definition at all lengths and alignments near blocks") {
  for (const std::size_t size :
       {1u, 7u, 8u, 9u, 63u, 127u, 128u, 129u, 511u, 512u, 513u, 767u, 769u, 4096u, 40000u}) {
    const auto bytes = random_bytes(size + 3);
    for (std::size_t start = 0; start < 3; ++start) {
      const auto part = std::span(bytes).subspan(start, size);
      const std::uint32_t truth = slow_crc32c(part);
      CHECK(crc32c_portable(part) == truth);
      test::for_each_vector_target([&] { CHECK(crc32c(part) == truth); });
    }
  }
}

TEST_CASE("crc32c continues from an earlier part") {
  const auto bytes = random_bytes(30000);
  const auto whole = std::span<const std::byte>(bytes);
  for (const std::size_t cut : {0u, 1u, 500u, 5000u, 12288u, 29999u})
    CHECK(crc32c(whole.subspan(cut), crc32c(whole.first(cut))) == crc32c(whole));
}

TEST_CASE("xxh3 digests are written most significant first") {
  CHECK(xxh3_128(std::string_view()).text() == "xxh3-128:99aa06d3014798d86001c324468d497f");
  CHECK(xxh3_64({}) == 0x2d06800538d394c2);
}

TEST_CASE("a digest in pieces equals the digest of the whole") {
  Hasher128 hasher;
  hasher.add("one hot ");
  hasher.add(bytes_of("pack"));
  CHECK(hasher.finish() == xxh3_128(std::string_view("one hot pack")));
}

TEST_CASE("128-bit hashes compare as unsigned integers") {
  CHECK(Hash128{1, 0} > Hash128{0, ~std::uint64_t{0}});
  CHECK(Hash128{1, 2} < Hash128{1, 3});
}
