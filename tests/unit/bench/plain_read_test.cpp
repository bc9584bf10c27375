#include "bench/plain_read.hpp"

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::bench;

TEST_CASE("files are read once from wherever the reading starts") {
  const double start = GENERATE(0.0, 0.4, 0.99);
  const unsigned threads = GENERATE(1U, 3U);
  const TempFolder folder;
  folder.write("a", std::string((9U << 20) + 5, 'a'));
  folder.write("b", std::string(17, 'b'));
  folder.write("empty", "");
  const std::vector<std::string> paths = {folder / "a", folder / "empty", folder / "b"};
  const auto work = plain_read(paths, threads, 60, start);
  REQUIRE(work.ok());
  CHECK(work->bytes == (9U << 20) + 5 + 17);
  CHECK(work->seconds > 0);
}

TEST_CASE("what cannot be read is an error that names it") {
  const auto work = plain_read(std::vector<std::string>{"/nowhere/shard"}, 1, 1, 0);
  REQUIRE_FALSE(work.ok());
  CHECK(work.error().path == "/nowhere/shard");
}
