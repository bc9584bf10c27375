#include "bench/page_cache.hpp"

#include <vector>

#include "base/file.hpp"
#include "base/mapping.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::bench;

TEST_CASE("a file just written is in memory, all of it") {
  const TempFolder folder;
  folder.write("a", std::string(100'000, 'a'));
  folder.write("b", std::string(10, 'b'));
  const std::vector<std::string> paths = {folder / "a", folder / "b"};
  Residency found;
  // The system may drop pages at any time; reading brings them back.
  for (int i = 0; i < 10 && (found.pages == 0 || found.share() < 1); ++i) {
    for (const std::string& path : paths)
      if (i > 0) REQUIRE(read_text_file(path).ok());
    const auto now = residency(paths);
    REQUIRE(now.ok());
    found = *now;
  }
  CHECK(found.pages == 26);
  CHECK(found.share() == 1);
}

TEST_CASE("dropping pages keeps the bytes, and mapped pages count as cached") {
  const TempFolder folder;
  folder.write("a", std::string(100'000, 'a'));
  const std::vector<std::string> paths = {folder / "a"};
  const auto mapping = Mapping::open(paths.front());
  REQUIRE(mapping.ok());
  std::size_t sum = 0;
  for (const std::byte each : mapping->bytes()) sum += each == std::byte{'a'} ? 1U : 0U;
  REQUIRE(sum == 100'000);
  REQUIRE(drop_pages(paths).ok());
  const auto found = residency(paths);
  REQUIRE(found.ok());
  CHECK(found->resident == found->pages);
  const auto text = read_text_file(paths.front());
  REQUIRE(text.ok());
  CHECK(*text == std::string(100'000, 'a'));
}

TEST_CASE("a file that is missing is an error that names it") {
  const std::vector<std::string> paths = {"/nowhere/shard"};
  const auto found = residency(paths);
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::io);
  CHECK(found.error().path == "/nowhere/shard");
  CHECK_FALSE(drop_pages(paths).ok());
}
