#include "label_setup/source_file.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// Whether a file is read that is missing at first and comes back after 60 ms. Nothing if it came
// back too late: after the shortest time in which read() may have given up.
std::optional<bool> file_that_comes_back_is_read() {
  const TempFolder folder;
  folder.write("part", "12345");
  const auto begin = steady_clock::now();
  auto back = begin;
  std::thread later([&] {
    std::this_thread::sleep_until(begin + milliseconds(60));
    std::filesystem::rename(folder / "part", folder / "a.png");
    back = steady_clock::now();
  });
  SourceReader reader;
  const bool read = reader.read(folder / "a.png", 5).ok();
  later.join();
  if (back - begin > milliseconds(520)) return std::nullopt;
  return read;
}

}  // namespace

TEST_CASE("a file is read whole, and the buffer is used again") {
  const TempFolder folder;
  folder.write("long", std::string(100000, 'l'));
  folder.write("short", "short");
  SourceReader reader;
  const auto first = reader.read(folder / "long", 100000).value();
  CHECK(first.size() == 100000);
  const std::byte* const buffer = first.data();
  const auto second = reader.read(folder / "short", 5).value();
  CHECK(Bytes(second.begin(), second.end()) == text_file("short"));
  CHECK(second.data() == buffer);
}

TEST_CASE("a file that changed since the plan stops the run") {
  const TempFolder folder;
  folder.write("a.png", "12345");
  SourceReader reader;
  const auto bytes = reader.read(folder / "a.png", 6);
  REQUIRE_FALSE(bytes.ok());
  CHECK(bytes.error().code == ErrorCode::io);
  CHECK(bytes.error().path == folder / "a.png");
  CHECK_THAT(bytes.error().message, ContainsSubstring("has 5 bytes where the plan saw 6"));
}

TEST_CASE("a file that grew after planning stops the run") {
  const TempFolder folder;
  const Bytes image = photo(31, 17);
  put(folder, "a.png", with_tail(image, "more"));
  SourceReader reader;
  const auto bytes = reader.read(folder / "a.png", image.size());
  REQUIRE_FALSE(bytes.ok());
  CHECK(bytes.error().code == ErrorCode::io);
  CHECK_THAT(bytes.error().message, ContainsSubstring("the input changed during the run"));
}

// Whoever writes on meanwhile: what is hashed and decoded are the same bytes, as many as were
// planned.
TEST_CASE("a file that grows while it is read gives planned bytes or an error") {
  const TempFolder folder;
  const std::string start(50000, 's');
  folder.write("a.png", start);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::ofstream file(folder / "a.png", std::ios::binary | std::ios::app);
    while (!done) file << "more" << std::flush;
  });
  SourceReader reader;
  const auto end = steady_clock::now() + std::chrono::seconds(2);  // a retried read takes 0.5 s
  for (int i = 0; i < 50 && steady_clock::now() < end; ++i) {
    const auto bytes = reader.read(folder / "a.png", start.size());
    if (bytes.ok()) CHECK(Bytes(bytes->begin(), bytes->end()) == text_file(start));
  }
  done = true;
  writer.join();
}

TEST_CASE("a missing file is retried several times, then an I/O error") {
  const TempFolder folder;
  SourceReader reader;
  const auto begin = std::chrono::steady_clock::now();
  const auto bytes = reader.read(folder / "gone.png", 5);
  CHECK(std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(100));
  REQUIRE_FALSE(bytes.ok());
  CHECK(bytes.error().code == ErrorCode::io);
  CHECK_THAT(bytes.error().message,
             ContainsSubstring("tried 4 times") && ContainsSubstring("run the same command again"));
}

TEST_CASE("a file that comes back in time is read") {
  std::optional<bool> read;
  for (int i = 0; i < 10 && !read; ++i) read = file_that_comes_back_is_read();
  CHECK(read == true);
}

TEST_CASE("a folder in place of a file is an I/O error") {
  const TempFolder folder;
  SourceReader reader;
  CHECK(reader.read(folder.path(), 5).error().code == ErrorCode::io);
}

TEST_CASE("a header is found behind any amount of metadata") {
  const TempFolder folder;
  Bytes jpeg = make_jpeg({.width = 31, .height = 17}, smooth_samples(31, 17, 3));
  for (int i = 0; i < 5; ++i) jpeg = with_jpeg_segment(jpeg, 0xE2, Bytes(65000));
  put(folder, "a.jpg", with_exif_orientation(jpeg, 6));
  put(folder, "b.png", with_png_chunk(photo(31, 17), "tEXt", Bytes(200000)));
  SourceReader reader;
  for (const std::string name : {"a.jpg", "b.png"}) {
    const auto info = reader.probe(folder / name).value();
    CHECK(info.width == 31);
    CHECK(info.height == 17);
    CHECK(info.orientation == (name == "a.jpg" ? 6 : 1));
  }
}

TEST_CASE("a bad header is a data finding, a missing file an I/O error") {
  const TempFolder folder;
  put(folder, "text.png", text_file("no image"));
  put(folder, "cut.jpg",
      truncated(make_jpeg({.width = 8, .height = 6}, smooth_samples(8, 6, 3)), 30));
  put(folder, "empty.png", {});
  SourceReader reader;
  for (const std::string name : {"text.png", "cut.jpg", "empty.png"}) {
    const auto info = reader.probe(folder / name);
    REQUIRE_FALSE(info.ok());
    CHECK(info.error().code == ErrorCode::data);
    CHECK(info.error().path == folder / name);
  }
  CHECK(reader.probe(folder / "gone.png").error().code == ErrorCode::io);
}
