#include "codecs/strict_inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/deflate_maker.hpp"
#include "support/catch.hpp"

using namespace hotpack::codecs;
using hotpack::fuzz::BitWriter;
using Octets = hotpack::fuzz::Bytes;

namespace {

std::optional<Octets> inflate_strictly(const Octets& coded, std::size_t size) {
  static StrictInflate reader;
  Octets bytes(size + kInflateSlack);
  const std::span<const Octets::value_type> stream(coded);
  if (!reader.run(std::as_bytes(stream), bytes.data(), size)) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

// zlib with the whole input at once.
std::optional<Octets> inflate_with_zlib(const Octets& coded, std::size_t size) {
  Octets bytes(size + 1);
  uLongf got = static_cast<uLongf>(bytes.size());
  uLong read = static_cast<uLong>(coded.size());
  if (uncompress2(bytes.data(), &got, coded.data(), &read) != Z_OK || got != size ||
      read != coded.size())
    return std::nullopt;
  bytes.resize(size);
  return bytes;
}

Octets as_zlib_stream(Octets deflated, const Octets& bytes) {
  Octets stream{0x78, 0x9C};
  stream.insert(stream.end(), deflated.begin(), deflated.end());
  const auto sum =
      static_cast<std::uint32_t>(adler32(1, bytes.data(), static_cast<uInt>(bytes.size())));
  for (int shift = 24; shift >= 0; shift -= 8)
    stream.push_back(static_cast<std::uint8_t>(sum >> shift));
  return stream;
}

// Less compressible than a flat area, more than noise.
Octets sample_bytes(std::size_t size) {
  hotpack::fuzz::Random random(size);
  Octets bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    const bool again = i > 700 && random.percent(60);
    bytes[i] = again ? bytes[i - 1 - random.below(700)]
                     : static_cast<std::uint8_t>(random.below(1 + random.below(200)));
  }
  return bytes;
}

Octets deflated(const Octets& bytes, int level, int strategy, int window_bits = 15) {
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, strategy);
  Octets coded(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = coded.data();
  stream.avail_out = static_cast<uInt>(coded.size());
  deflate(&stream, Z_FINISH);
  coded.resize(stream.total_out);
  deflateEnd(&stream);
  return coded;
}

// The head of the last block, with tables of its own: this many literals and distances, and the
// code of lengths: 0 for a length of 0, 10 for a repeat of zeros, 110 for 1, 111 for 2.
BitWriter dynamic_block(std::uint32_t literals, std::uint32_t distances) {
  BitWriter out;
  out.put(1, 1);
  out.put(2, 2);
  out.put(literals - 257, 5);
  out.put(distances - 1, 5);
  out.put(18 - 4, 4);
  for (const std::uint32_t length :
       {0U, 0U, 2U, 1U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 3U, 0U, 3U})
    out.put(length, 3);
  return out;
}

void zeros(BitWriter& out, std::uint32_t count) {
  for (; count >= 11; count -= std::min(count, 138U)) {
    out.word(2, 2);
    out.put(std::min(count, 138U) - 11, 7);
  }
  for (; count > 0; --count) out.word(0, 1);
}

void one(BitWriter& out) { out.word(6, 3); }
void two(BitWriter& out) { out.word(7, 3); }

// A block that is not the last one, with a code of its own and nothing but the end.
void put_empty_dynamic_block(BitWriter& out) {
  out.put(0, 1);
  out.put(2, 2);
  out.put(0, 5);
  out.put(0, 5);
  out.put(18 - 4, 4);
  for (const std::uint32_t length :
       {0U, 0U, 2U, 1U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 3U, 0U, 3U})
    out.put(length, 3);
  out.word(6, 3);  // literal 0: one bit
  out.word(2, 2);
  out.put(138 - 11, 7);
  out.word(2, 2);
  out.put(255 - 138 - 11, 7);
  out.word(6, 3);  // the end: one bit
  out.word(0, 1);  // no distances
  out.put(1, 1);
}

// Literal 0 is the word 0, the end is 1; then come `distances` lengths, which the caller writes.
BitWriter block_of_zeros(std::uint32_t literals, std::uint32_t distances) {
  BitWriter out = dynamic_block(literals, distances);
  one(out);
  zeros(out, 255);
  one(out);
  zeros(out, literals - 257);
  return out;
}

}  // namespace

TEST_CASE("zlib's output is read at every level, strategy and size") {
  for (const std::size_t size : {1UL, 2UL, 31UL, 300UL, 5000UL, 70000UL, 200000UL}) {
    const Octets bytes = sample_bytes(size);
    for (int level = 0; level <= 9; ++level)
      for (const int strategy : {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED}) {
        if (size > 10000 && level % 5 != 1) continue;
        CAPTURE(size, level, strategy);
        CHECK(inflate_strictly(deflated(bytes, level, strategy), size) == bytes);
      }
  }
}

TEST_CASE("libdeflate's output is read") {
  const Octets bytes = sample_bytes(60000);
  for (const int level : {1, 6, 12}) {
    auto* const compressor = libdeflate_alloc_compressor(level);
    Octets coded(libdeflate_zlib_compress_bound(compressor, bytes.size()));
    coded.resize(libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), coded.data(),
                                          coded.size()));
    libdeflate_free_compressor(compressor);
    CHECK(inflate_strictly(coded, bytes.size()) == bytes);
  }
}

TEST_CASE("literals are read whatever the lengths of their code words") {
  hotpack::fuzz::Random random(9);
  for (std::size_t symbols = 1; symbols <= 256; symbols += symbols < 20 ? 1 : 13)
    for (const std::size_t halving : {1u, 2u, 7u, 40u, 250u}) {
      // Each next group of `halving` symbols is half as frequent.
      Octets bytes(30000);
      for (auto& byte : bytes) {
        std::size_t symbol = random.below(halving);
        while (random.percent(50)) symbol += halving;
        byte = static_cast<std::uint8_t>(symbol % symbols);
      }
      CAPTURE(symbols, halving);
      for (const int strategy : {Z_HUFFMAN_ONLY, Z_DEFAULT_STRATEGY})
        CHECK(inflate_strictly(deflated(bytes, 6, strategy), bytes.size()) == bytes);
    }
}

TEST_CASE("matches of every length are copied from far and near") {
  for (const std::size_t distance : {1u, 2u, 3u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 48u, 300u, 32000u})
    for (std::size_t length = 3; length <= 258; length += length < 60 ? 1 : 9) {
      Octets bytes = sample_bytes(distance);
      for (std::size_t i = 0; i < length; ++i) bytes.push_back(bytes[bytes.size() - distance]);
      CAPTURE(distance, length);
      CHECK(inflate_strictly(deflated(bytes, 9, Z_DEFAULT_STRATEGY), bytes.size()) == bytes);
    }
}

TEST_CASE("runs of every distance and length are repeated") {
  for (std::size_t distance = 1; distance < 40; ++distance) {
    Octets bytes = sample_bytes(distance);
    for (std::size_t i = 0; i < 1000; ++i) bytes.push_back(bytes[bytes.size() - distance]);
    CHECK(inflate_strictly(deflated(bytes, 9, Z_DEFAULT_STRATEGY), bytes.size()) == bytes);
  }
}

TEST_CASE("another size, a cut, a tail or a changed bit is refused") {
  const Octets bytes = sample_bytes(900);
  const Octets good = deflated(bytes, 6, Z_DEFAULT_STRATEGY);
  CHECK_FALSE(inflate_strictly(good, 899));
  CHECK_FALSE(inflate_strictly(good, 901));
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_FALSE(inflate_strictly(
        Octets(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)), 900));
  Octets longer = good;
  longer.push_back(0);
  CHECK_FALSE(inflate_strictly(longer, 900));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Octets flipped = good;
    flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ 1U << bit % 8);
    const auto read = inflate_strictly(flipped, 900);
    if (read) CHECK(read == inflate_with_zlib(flipped, 900));
  }
}

TEST_CASE("an overlong stream writes nothing past the slack, whatever its blocks") {
  constexpr std::uint32_t kStored = 65535;
  for (const std::size_t size : {1UL, 2UL, 3UL, 6UL, 40UL}) {
    for (std::size_t literals = size; literals <= size + 6; ++literals) {
      BitWriter out;
      out.put(0, 1);
      out.put(1, 2);
      for (std::size_t i = 0; i < literals; ++i) out.word(0x30, 8);
      out.word(0, 7);
      for (const bool last : {false, true}) {
        out.put(last, 1);
        out.put(0, 2);
        out.align();
        out.put(kStored, 16);
        out.put(0, 16);
        for (std::uint32_t i = 0; i < kStored; ++i) out.put('A', 8);
      }
      StrictInflate reader;
      Octets bytes(size + kInflateSlack + 2 * kStored + 64, 0xEE);
      const Octets coded = as_zlib_stream(out.take(), {});
      CHECK_FALSE(reader.run(std::as_bytes(std::span(coded)), bytes.data(), size));
      const auto behind = bytes.begin() + static_cast<std::ptrdiff_t>(size + kInflateSlack);
      CHECK(std::all_of(behind, bytes.end(), [](auto byte) { return byte == 0xEE; }));
    }
  }
}

TEST_CASE("the fixed code is built once, and excessive codes are left to zlib") {
  const Octets bytes = sample_bytes(300);
  const Octets whole = deflated(bytes, 6, Z_DEFAULT_STRATEGY, -15);
  const auto behind = [&](int blocks, bool own_codes) {
    BitWriter out;
    for (int i = 0; i < blocks; ++i) {
      if (own_codes) {
        put_empty_dynamic_block(out);
      } else {
        out.put(0, 1);
        out.put(1, 2);
        out.word(0, 7);
      }
    }
    out.put(0, 1);
    out.put(0, 2);  // an empty stored block, which ends at a byte
    out.align();
    out.put(0xFFFF0000, 32);
    Octets stream = out.take();
    stream.insert(stream.end(), whole.begin(), whole.end());
    return as_zlib_stream(stream, bytes);
  };
  CHECK(inflate_strictly(behind(10000, false), 300) == bytes);
  CHECK(inflate_strictly(behind(20, true), 300) == bytes);
  CHECK(inflate_with_zlib(behind(200, true), 300) == bytes);
  CHECK_FALSE(inflate_strictly(behind(200, true), 300));
}

TEST_CASE("a window smaller than the bytes is left to zlib") {
  const Octets small = sample_bytes(256), large = sample_bytes(257);
  const auto with_window = [](Octets stream) {
    stream[0] = 0x08;  // 256 bytes
    stream[1] = 0x1D;
    return stream;
  };
  CHECK(inflate_strictly(with_window(deflated(small, 6, Z_HUFFMAN_ONLY)), small.size()) == small);
  CHECK_FALSE(inflate_strictly(with_window(deflated(large, 6, Z_HUFFMAN_ONLY)), large.size()));
}

TEST_CASE("heads that zlib refuses are refused") {
  const Octets bytes = sample_bytes(50);
  Octets coded = deflated(bytes, 6, Z_DEFAULT_STRATEGY);
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; ++second) {
      coded[0] = static_cast<std::uint8_t>(first);
      coded[1] = static_cast<std::uint8_t>(second);
      if (inflate_strictly(coded, 50)) REQUIRE(inflate_with_zlib(coded, 50));
    }
}

// libdeflate accepts all of these.
TEST_CASE("codes that zlib refuses are refused") {
  const Octets none, zero{0};
  SECTION("sound, to begin with") {
    BitWriter out = block_of_zeros(257, 1);
    zeros(out, 1);
    out.put(0, 1);
    out.put(1, 1);
    const Octets coded = as_zlib_stream(out.take(), zero);
    CHECK(inflate_with_zlib(coded, 1) == zero);
    CHECK(inflate_strictly(coded, 1) == zero);
  }
  SECTION("more literals than there are") {
    BitWriter out = block_of_zeros(288, 1);
    zeros(out, 1);
    out.put(0, 1);
    out.put(1, 1);
    const Octets coded = as_zlib_stream(out.take(), zero);
    CHECK_FALSE(inflate_with_zlib(coded, 1));
    CHECK_FALSE(inflate_strictly(coded, 1));
  }
  SECTION("more distances than there are") {
    BitWriter out = block_of_zeros(257, 31);
    zeros(out, 31);
    out.put(0, 1);
    out.put(1, 1);
    const Octets coded = as_zlib_stream(out.take(), zero);
    CHECK_FALSE(inflate_with_zlib(coded, 1));
    CHECK_FALSE(inflate_strictly(coded, 1));
  }
  SECTION("a repeat beyond the last length") {
    BitWriter out = block_of_zeros(257, 1);
    zeros(out, 11);
    out.put(0, 1);
    out.put(1, 1);
    const Octets coded = as_zlib_stream(out.take(), zero);
    CHECK_FALSE(inflate_with_zlib(coded, 1));
    CHECK_FALSE(inflate_strictly(coded, 1));
  }
  SECTION("a word that the code of distances lacks") {
    const Octets four(4);
    for (const bool lacking : {false, true}) {
      BitWriter out = dynamic_block(258, 1);  // 0: literal 0; 10: the end; 11: three bytes
      one(out);
      zeros(out, 255);
      two(out);
      two(out);
      one(out);
      out.word(3, 3);  // the literal, the match
      out.put(lacking, 1);
      out.word(2, 2);
      const Octets coded = as_zlib_stream(out.take(), four);
      CHECK(inflate_with_zlib(coded, 4).has_value() != lacking);
      CHECK(inflate_strictly(coded, 4).has_value() != lacking);
    }
  }
  SECTION("a distance where there is none at all") {
    const Octets four(4);
    BitWriter out = dynamic_block(258, 1);
    one(out);
    zeros(out, 255);
    two(out);
    two(out);
    zeros(out, 1);
    out.word(3, 3);
    out.put(0, 1);
    out.word(2, 2);
    CHECK_FALSE(inflate_strictly(as_zlib_stream(out.take(), four), 4));
  }
  SECTION("only the end, of one bit") {
    BitWriter out = dynamic_block(257, 1);
    zeros(out, 256);
    one(out);
    zeros(out, 1);
    out.put(1, 1);
    const Octets coded = as_zlib_stream(out.take(), none);
    CHECK_FALSE(inflate_with_zlib(coded, 0));
    CHECK_FALSE(inflate_strictly(coded, 0));
  }
}

TEST_CASE("missing symbols of the fixed code are refused") {
  for (const std::uint32_t symbol : {285U, 286U, 287U}) {
    BitWriter out;
    out.put(1, 1);
    out.put(1, 2);
    out.word(0x30, 8);                 // literal 0
    out.word(0xC0 + symbol - 280, 8);  // 258 bytes
    out.word(0, 5);                    // from 1 before
    out.word(0, 7);                    // the end
    const Octets bytes(259), coded = as_zlib_stream(out.take(), bytes);
    CHECK(inflate_with_zlib(coded, 259).has_value() == (symbol == 285));
    CHECK(inflate_strictly(coded, 259).has_value() == (symbol == 285));
  }
}

TEST_CASE("missing distances of the fixed code are refused") {
  for (const std::uint32_t distance : {0U, 30U, 31U}) {
    BitWriter out;
    out.put(1, 1);
    out.put(1, 2);
    for (int i = 0; i < 25000; ++i) out.word(0x30, 8);
    out.word(1, 7);  // 3 bytes
    out.word(distance, 5);
    out.put(0, distance < 30 ? 0 : 13);
    out.word(0, 7);
    const Octets bytes(25003), coded = as_zlib_stream(out.take(), bytes);
    CHECK(inflate_with_zlib(coded, 25003).has_value() == (distance < 30));
    CHECK(inflate_strictly(coded, 25003).has_value() == (distance < 30));
  }
}

TEST_CASE("accepted random streams have the bytes of zlib") {
  hotpack::fuzz::LenientReader lenient;
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    hotpack::fuzz::Random random(seed);
    Octets deflate = hotpack::fuzz::DeflateMaker(random).make();
    if (random.percent(30)) hotpack::fuzz::scramble(deflate, random);
    const auto text = lenient.read(deflate.data(), deflate.size());
    deflate.resize(std::min(deflate.size(), text.coded));
    const Octets coded = as_zlib_stream(deflate, text.bytes);
    const auto strict = inflate_strictly(coded, text.bytes.size()),
               zlib = inflate_with_zlib(coded, text.bytes.size());
    CAPTURE(seed);
    if (strict) REQUIRE(strict == zlib);
    taken += strict.has_value();
  }
  CHECK(taken > 1200);
}
