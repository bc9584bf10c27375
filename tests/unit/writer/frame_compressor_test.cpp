#include "writer/frame_compressor.hpp"

#include <zstd.h>

#include <utility>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::writer;

namespace {

using Bytes = std::vector<std::byte>;

// Runs and noise: every level finds something to compress.
Bytes record_of(std::size_t size, std::uint32_t seed = 7) {
  Bytes record;
  for (std::uint32_t state = seed; record.size() < size;) {
    state = state * 1664525u + 1013904223u;
    for (std::uint32_t run = 0; run <= (state >> 28) && record.size() < size; ++run)
      record.push_back(static_cast<std::byte>(state >> 20));
  }
  return record;
}

Bytes frame_of(FrameCompressor& compressor, const Bytes& record) {
  Bytes frame;
  REQUIRE(compressor.compress(record, frame).ok());
  return frame;
}

}  // namespace

TEST_CASE("frames decompress to the record") {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{300000}}) {
    FrameCompressor compressor(3);
    const Bytes record = record_of(size), frame = frame_of(compressor, record);
    CHECK(frame.size() <= frame_bound(size));
    Bytes back(size + 1);
    const std::size_t got = ZSTD_decompress(back.data(), back.size(), frame.data(), frame.size());
    REQUIRE(got == size);
    back.resize(size);
    CHECK(back == record);
  }
}

TEST_CASE("frames declare their content's size and need no dictionary") {
  FrameCompressor compressor(1);
  const Bytes frame = frame_of(compressor, record_of(5000));
  CHECK(ZSTD_getFrameContentSize(frame.data(), frame.size()) == 5000);
  CHECK(ZSTD_getDictID_fromFrame(frame.data(), frame.size()) == 0);
  CHECK(ZSTD_findFrameCompressedSize(frame.data(), frame.size()) == frame.size());
  CHECK((std::to_integer<unsigned>(frame[4]) & 4u) == 0);  // the flag of zstd's own checksum
}

TEST_CASE("a frame does not depend on earlier frames") {
  const Bytes record = record_of(20000);
  FrameCompressor fresh(5), used(5);
  for (std::uint32_t seed = 0; seed < 4; ++seed) (void)frame_of(used, record_of(30000, seed));
  FrameCompressor moved = std::move(used);
  CHECK(frame_of(fresh, record) == frame_of(moved, record));
}

TEST_CASE("higher levels make smaller frames") {
  const Bytes record = record_of(200000);
  FrameCompressor fast(1), small(19);
  CHECK(frame_of(small, record).size() < frame_of(fast, record).size());
}

TEST_CASE("a frame's buffer is reused") {
  FrameCompressor compressor(1);
  Bytes frame = frame_of(compressor, record_of(100000));
  const std::byte* const before = frame.data();
  REQUIRE(compressor.compress(record_of(5000), frame).ok());
  CHECK(frame.data() == before);
}

TEST_CASE("levels and the engine's name") {
  CHECK_FALSE(valid_level(0));
  CHECK(valid_level(1));
  CHECK(valid_level(19));
  CHECK_FALSE(valid_level(20));
  CHECK(compressor_engine() == std::string("zstd:") + ZSTD_versionString());
}
