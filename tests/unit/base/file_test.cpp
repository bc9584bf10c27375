#include "base/file.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/mapping.hpp"
#include "base/pixels.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;

namespace {

int failure_of_flushes = 0;  // an errno

int flush(long call, int descriptor) {
  if (failure_of_flushes == 0) return static_cast<int>(::syscall(call, descriptor));
  errno = failure_of_flushes;
  return -1;
}

}  // namespace

// These replace the functions of the system in this test program.
extern "C" int fdatasync(int descriptor) { return flush(SYS_fdatasync, descriptor); }
extern "C" int fsync(int descriptor) { return flush(SYS_fsync, descriptor); }

TEST_CASE("a file is created once, written at offsets and read back") {
  const TempFolder folder;
  const std::string path = folder / "a";
  auto file = File::create_exclusive(path);
  REQUIRE(file.ok());
  REQUIRE(file->write_at(3, bytes_of("def")).ok());
  REQUIRE(file->write_at(0, bytes_of("abc")).ok());
  REQUIRE(file->sync_data().ok());
  CHECK(file->size().value() == 6);
  REQUIRE(file->close().ok());
  CHECK(read_text_file(path).value() == "abcdef");
  CHECK(File::create_exclusive(path).error().code == ErrorCode::io);
}

TEST_CASE("a failed flush is an error, except for folders that have none") {
  const TempFolder folder;
  const File file = File::create_exclusive(folder / "a").value();
  failure_of_flushes = EIO;
  CHECK_THAT(file.sync_data().error().describe(), ContainsSubstring("a: cannot flush to disk"));
  CHECK_THAT(sync_folder(folder.path()).error().message, ContainsSubstring("cannot flush"));
  failure_of_flushes = EINVAL;
  CHECK_FALSE(file.sync_data().ok());
  CHECK(sync_folder(folder.path()).ok());
  failure_of_flushes = 0;
}

TEST_CASE("reading past the end is an error that names the file and the place") {
  const TempFolder folder;
  folder.write("short", "abc");
  const auto file = File::open_read(folder / "short");
  REQUIRE(file.ok());
  std::byte into[5];
  const Status status = file->read_at(1, into);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().path == folder / "short");
  CHECK(status.error().offset == 3u);
  CHECK(file->read_some(1, into).value() == 2);
}

TEST_CASE("a missing file and a folder give errors") {
  const TempFolder folder;
  CHECK_THAT(read_text_file(folder / "none").error().describe(),
             ContainsSubstring("none: cannot open: No such file"));
  CHECK_THAT(read_text_file(folder.path()).error().message,
             ContainsSubstring("not a regular file"));
}

TEST_CASE("a new file is told from a removed one, although it has its inode") {
  const TempFolder folder;
  folder.write("name", "old");
  const FileIdentity old = identity_of(folder / "name").value();
  CHECK(old == File::open_read(folder / "name")->identity().value());
  CHECK(old == identity_at(AT_FDCWD, folder / "name", "").value());
  std::filesystem::create_hard_link(folder / "name", folder / "link");
  CHECK(old == identity_of(folder / "link").value());
  std::filesystem::remove(folder / "link");
  folder.write_anew("name", "new");
  const FileIdentity now = identity_of(folder / "name").value();
  if (now.number == old.number && now.born_ns == 0) return;  // the system does not say
  CHECK_FALSE(now.same_file(old));
}

TEST_CASE("without a time of birth the inode decides") {
  const FileIdentity known{1, 2, 3, 4}, unknown{1, 2, 0, 4}, other{1, 3, 0, 4};
  CHECK(known.same_file(unknown));
  CHECK(unknown.same_file(known));
  CHECK_FALSE(known.same_file(other));
  CHECK_FALSE(known.same_file({1, 2, 4, 4}));
}

TEST_CASE("the identity of a link is that of the link, if it is not followed") {
  const TempFolder folder;
  folder.write("file", "12345");
  std::filesystem::create_symlink("file", folder / "link");
  CHECK(identity_of(folder / "link").value() == identity_of(folder / "file").value());
  CHECK(identity_at(AT_FDCWD, folder / "link", "").value().size_bytes == 4);
  CHECK_THAT(identity_at(AT_FDCWD, folder / "none", "shown").error().describe(),
             ContainsSubstring("shown: cannot stat: No such file"));
}

TEST_CASE("a mapping shows the file's bytes, and an empty file an empty mapping") {
  const TempFolder folder;
  folder.write("full", "hello");
  folder.write("empty", "");
  const auto full = Mapping::open(folder / "full");
  REQUIRE(full.ok());
  CHECK(std::string(reinterpret_cast<const char*>(full->bytes().data()), full->bytes().size()) ==
        "hello");
  CHECK(Mapping::open(folder / "empty").value().bytes().empty());
  CHECK(Mapping::open(folder / "none").error().code == ErrorCode::io);
}

TEST_CASE("checked arithmetic reports overflow") {
  constexpr auto max = std::numeric_limits<std::uint64_t>::max();
  CHECK(checked_mul(max, 1) == max);
  CHECK_FALSE(checked_mul(max / 2 + 1, 2));
  CHECK_FALSE(checked_add(max, 1));
  CHECK(range_fits(4, 0, 4));
  CHECK_FALSE(range_fits(5, 0, 4));
  CHECK_FALSE(range_fits(1, max, 4));
  CHECK(padding_to(0, 4096) == 0);
  CHECK(padding_to(1, 4096) == 4095);
}

TEST_CASE("a buffer keeps its memory for a smaller request") {
  Buffer buffer;
  std::byte* const large = buffer.reserve(1000);
  CHECK(buffer.reserve(10) == large);
  CHECK(buffer.capacity() == 1000);
  CHECK(reinterpret_cast<std::uintptr_t>(large) % 64 == 0);
}

TEST_CASE("reserved memory is zero until it is written, whatever its size") {
  for (const std::uint64_t size :
       {std::uint64_t{1}, std::uint64_t{65536}, std::uint64_t{65537}, std::uint64_t{1} << 40})
    for (const auto reserve : {Mapping::reserve, Mapping::reserve_briefly}) {
      Mapping mapping = reserve(size).value();
      REQUIRE(mapping.bytes().size() == size);
      CHECK(reinterpret_cast<std::uintptr_t>(mapping.bytes().data()) % 64 == 0);
      CHECK(mapping.bytes().front() == std::byte{0});
      CHECK(mapping.bytes().back() == std::byte{0});
      mapping.writable(size - 1, 1).value()[0] = std::byte{7};
      Mapping moved = std::move(mapping);
      CHECK(moved.bytes().back() == std::byte{7});
      moved = reserve(100).value();
      CHECK(moved.bytes().size() == 100);
    }
  CHECK(Mapping::reserve(0).value().bytes().empty());
  CHECK(Mapping::reserve_briefly(0).value().bytes().empty());
}

TEST_CASE("memory that was written and given back is zero again") {
  const auto fill = [](std::uint64_t size) {
    Mapping mapping = Mapping::reserve_briefly(size).value();
    const auto bytes = mapping.writable(0, size).value();
    std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
    return mapping;
  };
  const std::byte* const first = fill(1000).bytes().data();
  const Mapping again = Mapping::reserve_briefly(900).value();
  CHECK(again.bytes().data() == first);  // the same block
  CHECK(std::all_of(again.bytes().begin(), again.bytes().end(),
                    [](std::byte byte) { return byte == std::byte{0}; }));
  Mapping elsewhere = fill(5000);
  std::thread([&] {
    Mapping taken = std::move(elsewhere);
    taken = Mapping();
    CHECK(Mapping::reserve_briefly(4000).value().bytes()[3999] == std::byte{0});
  }).join();
}

namespace {
// Destroyed after the objects of the main thread, and those of its thread_local variables.
std::vector<Mapping> of_static_storage;
}  // namespace

TEST_CASE("mappings may outlive the objects of their thread") {
  for (int i = 0; i < 3; ++i) of_static_storage.push_back(Mapping::reserve_briefly(2000).value());
  std::thread([] {
    static thread_local std::vector<Mapping> of_thread;  // destroyed after the spare block
    of_thread.push_back(Mapping::reserve_briefly(2000).value());
    of_thread.push_back(Mapping::reserve_briefly(3000).value());
    (void)Mapping::reserve_briefly(2000).value();
  }).join();
}
