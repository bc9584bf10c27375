#include "pack/output_probe.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/folder.hpp"
#include "support/catch.hpp"
#include "support/failing_locks.hpp"
#include "support/temp_folder.hpp"

namespace {
int failure_of_renames = 0;
}

// Replaces the C library's in this test program.
extern "C" int rename(const char* from, const char* to) noexcept {
  if (failure_of_renames == 0) return static_cast<int>(::syscall(SYS_rename, from, to));
  errno = failure_of_renames;
  return -1;
}

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

class Listener : public Observer {
 public:
  void message(Level level, std::string_view text) override {
    CHECK(level == Level::info);
    said.emplace_back(text);
  }
  void progress(const Progress&) override {}
  [[nodiscard]] bool stop_requested() const override { return false; }
  std::vector<std::string> said;
};

// Renames fail as long as this object lives.
struct FailingRenames {
  explicit FailingRenames(int error) { failure_of_renames = error; }
  ~FailingRenames() { failure_of_renames = 0; }
};

std::vector<std::string> names_in(const std::string& folder) {
  return names_in_folder(folder).value();
}

}  // namespace

TEST_CASE("a probe says nothing and leaves nothing where all is well") {
  const TempFolder folder;
  Listener listener;
  CHECK(probe_output(folder / "a/b/out", listener).ok());
  CHECK(probe_output(folder / "out/", listener).ok());
  CHECK(names_in(folder.path()).empty());
  CHECK(probe_output(folder.path(), listener).ok());
  CHECK(names_in(folder.path()).empty());
  CHECK(listener.said.empty());
}

TEST_CASE("missing locks are told in one line and are no error") {
  for (const int error : {ENOSYS, EOPNOTSUPP, ENOLCK, EINVAL, EBADF}) {
    const test::FailingLocks failing(error);
    const TempFolder folder;
    Listener listener;
    CHECK(probe_output(folder / "out", listener).ok());
    REQUIRE(listener.said.size() == 1);
    CHECK_THAT(listener.said[0],
               ContainsSubstring("the file system of '" + (folder / "out") + "' has no locks"));
    CHECK(names_in(folder.path()).empty());
  }
}

TEST_CASE("a file system that cannot rename is refused, with the way out") {
  const FailingRenames failing(EPERM);
  const TempFolder folder;
  Listener listener;
  const Status status = probe_output(folder / "out", listener);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::io);
  CHECK(status.error().path == folder / "out");
  CHECK_THAT(status.error().message, ContainsSubstring("cannot rename") &&
                                         ContainsSubstring("not permitted") &&
                                         ContainsSubstring("--scratch"));
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("a folder that cannot be written to is refused by its own name") {
  const TempFolder folder;
  folder.write("file", "x");
  Listener listener;
  const Status status = probe_output(folder / "file/out", listener);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().path == folder / "file/out");
  CHECK_THAT(status.error().message, ContainsSubstring("cannot create: Not a directory"));
}

TEST_CASE("what may be finished is not refused") {
  const FailingRenames failing(EROFS);
  const TempFolder folder;
  folder.write("part/shard-00000-of-00002.safetensors", "x");
  folder.write("whole/dataset.json", "x");
  Listener listener;
  CHECK(probe_output(folder / "part", listener).ok());
  CHECK(probe_output(folder / "whole", listener).ok());
  CHECK(probe_output(folder / "whole/inside", listener).ok());  // refused later, for what it is
  CHECK(names_in(folder / "part").size() == 1);
  CHECK(names_in(folder / "whole").size() == 1);
}

TEST_CASE("a folder with a manifest is not touched") {
  const TempFolder folder;
  folder.write("dataset.json", "x");
  const auto before = std::filesystem::last_write_time(folder.path());
  Listener listener;
  const test::FailingLocks failing(ENOSYS);
  CHECK(probe_output(folder.path(), listener).ok());
  CHECK(std::filesystem::last_write_time(folder.path()) == before);
  CHECK(listener.said.empty());
}

TEST_CASE("a probe removes what a killed probe left next to the output") {
  const TempFolder folder;
  const test::FailingLocks failing(ENOSYS);
  const std::string stale = ".dataset.json.0123456789abcdef.tmp", other = ".x.0123456789abcdef.tmp";
  folder.write(stale, "x");
  folder.write(other, "x");
  for (const std::string& name : {stale, other})
    std::filesystem::last_write_time(
        folder / name, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  Listener listener;
  CHECK(probe_output(folder / "out", listener).ok());
  CHECK(names_in(folder.path()) == std::vector<std::string>{other});
}
