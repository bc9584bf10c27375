#include "reader/zstd_frame.hpp"

#include <zstd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/fault_guard.hpp"
#include "base/mapping.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;

namespace {

std::vector<std::byte> frame_of(std::size_t size) {
  const std::vector<std::byte> content(size, std::byte{42});
  std::vector<std::byte> frame(ZSTD_compressBound(size));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), 1));
  return frame;
}

}  // namespace

TEST_CASE("a frame decompresses to its content") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{3} << 20}) {
    std::vector<std::byte> into(size);
    REQUIRE(reader::decompress_frame(frame_of(size), into).ok());
    CHECK(into == std::vector<std::byte>(size, std::byte{42}));
    CHECK(reader::frame_content_bytes(frame_of(size)).value() == size);
  }
}

TEST_CASE("anything but one frame of the right content is damaged") {
  const auto frame = frame_of(1000);
  std::vector<std::byte> into(1000);
  CHECK(reader::decompress_frame({}, into).error().code == ErrorCode::damaged);
  CHECK_FALSE(reader::decompress_frame(std::span(frame).first(frame.size() - 1), into).ok());
  CHECK_THAT(reader::check_frame(frame, 999).error().message, ContainsSubstring("1000"));
  auto two = frame;
  two.insert(two.end(), frame.begin(), frame.end());
  CHECK_FALSE(reader::decompress_frame(two, into).ok());
  auto text = frame;
  text[0] = std::byte{'x'};
  CHECK_FALSE(reader::decompress_frame(text, into).ok());
}

TEST_CASE("a frame that needs a dictionary is damaged") {
  auto frame = frame_of(1000);
  frame[4] |= std::byte{1};                       // the header's descriptor: an id of one byte
  frame.insert(frame.begin() + 5, std::byte{7});  // the id
  CHECK_THAT(reader::check_frame(frame, 1000).error().message,
             ContainsSubstring("needs a dictionary"));
}

TEST_CASE("an impossible content size is refused before allocating memory") {
  // Magic, a descriptor with 8 bytes of content size (2^40), one empty last block.
  const std::vector<unsigned char> bytes{0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0,
                                         0,    0,    1,    0,    0,    1, 0, 0};
  const auto frame = std::as_bytes(std::span(bytes));
  REQUIRE(reader::frame_content_bytes(frame).value() == std::uint64_t{1} << 40);
  CHECK_THAT(reader::check_frame(frame, std::uint64_t{1} << 40).error().message,
             ContainsSubstring("too short"));
}

TEST_CASE("frames of other kinds are not accepted as records") {
  std::vector<std::byte> into(1000);
  const std::vector<std::array<unsigned char, 4>> magics{
      {0x50, 0x2A, 0x4D, 0x18},   // of a skippable frame
      {0x25, 0xB5, 0x2F, 0xFD}};  // of format 0.5
  for (const auto& magic : magics) {
    auto frame = frame_of(1000);
    std::memcpy(frame.data(), magic.data(), magic.size());
    CHECK_THAT(reader::decompress_frame(frame, into).error().message,
               ContainsSubstring("not a Zstandard frame"));
  }
  CHECK_FALSE(reader::frame_content_bytes({}).ok());
}

TEST_CASE("an unreadable frame leaves its thread able to decompress") {
  REQUIRE(install_fault_handler().ok());
  REQUIRE(reader::prepare_decompression().ok());
  std::vector<std::byte> noise(200'000);  // hardly compressible, so that the frame has many pages
  for (std::size_t i = 0; i < noise.size(); ++i)
    noise[i] = std::byte{static_cast<unsigned char>(i * i * 2654435761u >> 13)};
  std::vector<std::byte> frame(ZSTD_compressBound(noise.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), noise.data(), noise.size(), 1));
  REQUIRE(frame.size() > 100'000);
  const TempFolder folder;
  folder.write("frame", {reinterpret_cast<const char*>(frame.data()), frame.size()});
  const Mapping mapping = Mapping::open(folder / "frame").value();
  std::filesystem::resize_file(folder / "frame", 40'960);
  std::vector<std::byte> into(noise.size());
  auto unpack = [&]() noexcept { (void)reader::unpack_frame(mapping.bytes(), into); };
  CHECK(guarded(mapping.bytes(), unpack).value_or(0) >= 40'960);
  reader::renew_decompression();
  REQUIRE(reader::decompress_frame(frame, into).ok());
  CHECK(into == noise);
}
