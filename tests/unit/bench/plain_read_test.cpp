#include "bench/plain_read.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cerrno>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

namespace {

ino_t unreadable = 0;  // number of the file whose reading fails

}  // namespace

// Replaces the C library's function.
extern "C" ssize_t pread(int descriptor, void* into, std::size_t bytes, off_t offset) {
  static const auto real =
      reinterpret_cast<ssize_t (*)(int, void*, std::size_t, off_t)>(::dlsym(RTLD_NEXT, "pread"));
  struct stat status {};
  if (unreadable == 0 || ::fstat(descriptor, &status) != 0 || status.st_ino != unreadable)
    return real(descriptor, into, bytes, offset);
  errno = EIO;
  return -1;
}

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

TEST_CASE("an error names the file whose bytes cannot be read, not the first") {
  const TempFolder folder;
  folder.write("good", std::string(100, 'a'));
  folder.write("bad", std::string(100, 'b'));
  struct stat status {};
  REQUIRE(::stat((folder / "bad").c_str(), &status) == 0);
  unreadable = status.st_ino;
  const std::vector<std::string> paths = {folder / "good", folder / "bad"};
  const auto work = plain_read(paths, 1, 60, 0);
  unreadable = 0;
  REQUIRE_FALSE(work.ok());
  CHECK(work.error().code == ErrorCode::io);
  CHECK(work.error().path == folder / "bad");
}
