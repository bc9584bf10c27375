#include "writer/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/checksum.hpp"
#include "base/file_lock.hpp"
#include "base/temporary_name.hpp"
#include "support/catch.hpp"
#include "support/failing_locks.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::writer;

namespace {

constexpr const char* kStale = ".shard.0123456789abcdef.tmp";

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

AtomicFile created(const TempFolder& folder, const std::string& final_name,
                   std::string_view content) {
  AtomicFile file = AtomicFile::create(folder.path(), final_name).value();
  REQUIRE(file.file().write_at(0, bytes_of(content)).ok());
  return file;
}

bool any_name(std::string_view) { return true; }

// The leftovers of a run that is killed while it writes `final_name`.
void leave_behind(const TempFolder& folder, const std::string& final_name) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto file = AtomicFile::create(folder.path(), final_name);
    ::_exit(file.ok() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
}

// Lets a file look as if nobody had changed it for `hours`.
void make_old(const std::string& path, int hours) {
  timespec times[2] = {};
  ::clock_gettime(CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= hours * 3600;
  times[1] = times[0];
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

const std::vector<int> kNoLocks = {ENOSYS, EOPNOTSUPP, ENOLCK, EINVAL, EBADF};

// Removes the only temporary file, as a run does that takes it for a leftover.
void remove_temporary(const TempFolder& folder) {
  for (const std::string& name : names_in(folder.path()))
    if (!final_name_of(name).empty()) std::filesystem::remove(folder / name);
}

}  // namespace

TEST_CASE("a file has its final name only from commit on") {
  const TempFolder folder;
  AtomicFile file = created(folder, "data.json", "all of it");
  CHECK_FALSE(std::filesystem::exists(folder / "data.json"));
  REQUIRE(file.commit().ok());
  CHECK(names_in(folder.path()) == std::vector<std::string>{"data.json"});
  CHECK(read_text_file(folder / "data.json").value() == "all of it");
}

TEST_CASE("a temporary name is a dot, the final name, 16 hex digits and .tmp") {
  const TempFolder folder;
  const AtomicFile one = created(folder, "data.json", ""), other = created(folder, "data.json", "");
  const auto names = names_in(folder.path());
  REQUIRE(names.size() == 2);
  for (const std::string& name : names) {
    CHECK(name.size() == std::string(".data.json.").size() + 16 + std::string(".tmp").size());
    CHECK(name.substr(11, 16).find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(final_name_of(name) == "data.json");
  }
}

TEST_CASE("a file that is not committed leaves nothing") {
  const TempFolder folder;
  { const AtomicFile file = created(folder, "data.json", "half"); }
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("commit replaces a file of the final name, and not before") {
  const TempFolder folder;
  folder.write("data.json", "old");
  { const AtomicFile dropped = created(folder, "data.json", "never"); }
  CHECK(read_text_file(folder / "data.json").value() == "old");
  AtomicFile file = created(folder, "data.json", "new");
  CHECK(read_text_file(folder / "data.json").value() == "old");
  REQUIRE(file.commit().ok());
  CHECK(read_text_file(folder / "data.json").value() == "new");
}

TEST_CASE("moving an atomic file moves the cleanup") {
  const TempFolder folder;
  {
    std::optional<AtomicFile> first(created(folder, "a", "1"));
    const AtomicFile second = std::move(*first);
    first.reset();
    CHECK(names_in(folder.path()).size() == 1);
  }
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("a folder that is missing is an I/O error that names the file") {
  const TempFolder folder;
  const auto file = AtomicFile::create(folder / "missing", "data.json");
  REQUIRE_FALSE(file.ok());
  CHECK(file.error().code == ErrorCode::io);
  CHECK_THAT(file.error().path, ContainsSubstring("missing"));
}

TEST_CASE("a commit that cannot rename fails and leaves nothing") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "data.json");
  {
    AtomicFile file = created(folder, "data.json", "x");
    const Status status = file.commit();
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::io);
    CHECK(status.error().path == folder / "data.json");
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"data.json"});
}

TEST_CASE("a temporary file is locked for its life") {
  const TempFolder folder;
  const AtomicFile file = created(folder, "data.json", "x");
  const int other = ::open(file.file().path().c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(other >= 0);
  CHECK(::flock(other, LOCK_EX | LOCK_NB) == -1);
  ::close(other);
}

TEST_CASE("a small file is written whole or not at all") {
  const TempFolder folder;
  REQUIRE(write_file_atomically(folder.path(), "a.txt", "content").ok());
  CHECK(read_text_file(folder / "a.txt").value() == "content");
  REQUIRE(write_file_atomically(folder.path(), "empty", "").ok());
  CHECK(read_text_file(folder / "empty").value().empty());
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.txt", "empty"});
  CHECK(write_file_atomically(folder / "no", "a.txt", "content").error().code == ErrorCode::io);
}

TEST_CASE("leftovers of a killed run are removed") {
  const TempFolder folder;
  leave_behind(folder, "shard");
  REQUIRE(names_in(folder.path()).size() == 1);
  REQUIRE(remove_stale_temporaries(folder.path(), any_name).ok());
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("temporary files of running runs stay") {
  const TempFolder folder;
  AtomicFile live = created(folder, "shard", "being written");
  folder.write(kStale, "leftover");
  REQUIRE(remove_stale_temporaries(folder.path(), any_name).ok());
  CHECK_FALSE(std::filesystem::exists(folder / kStale));
  REQUIRE(live.commit().ok());
  CHECK(read_text_file(folder / "shard").value() == "being written");
}

TEST_CASE("a held lock keeps a temporary file, whoever wrote it and however old") {
  const TempFolder folder;
  folder.write(kStale, "of another machine");
  make_old(folder / kStale, 25);
  {
    const File writer = File::open_read(folder / kStale).value();
    REQUIRE(try_lock(writer.descriptor(), LockKind::exclusive) == LockState::taken);
    for (const OtherMachines others : {OtherMachines::may_write, OtherMachines::are_done})
      REQUIRE(remove_stale_temporaries(folder.path(), any_name, others).ok());
    CHECK(names_in(folder.path()) == std::vector<std::string>{kStale});
  }
  REQUIRE(remove_stale_temporaries(folder.path(), any_name).ok());
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("only temporary files of the given names are removed") {
  const TempFolder folder;
  const std::vector<std::string> kept{".other.0123456789abcdef.tmp", ".shard.0123456789abcde.tmp",
                                      ".shard.0123456789ABCDEF.tmp", "shard"};
  for (const std::string& name : kept) folder.write(name, "x");
  folder.write(kStale, "x");
  REQUIRE(remove_stale_temporaries(folder.path(), [](std::string_view name) {
            return name == "shard";
          }).ok());
  auto expected = kept;
  std::sort(expected.begin(), expected.end());
  CHECK(names_in(folder.path()) == expected);
}

TEST_CASE("a missing folder has no leftovers, and a file in its place is an error") {
  const TempFolder folder;
  folder.write("file", "x");
  CHECK(remove_stale_temporaries(folder / "missing", any_name).ok());
  const Status status = remove_stale_temporaries(folder / "file", any_name);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::io);
}

TEST_CASE("without locks, files are written and leftovers of this machine go") {
  for (const int error : kNoLocks) {
    const test::FailingLocks failing(error);
    const TempFolder folder;
    AtomicFile live = created(folder, "shard", "being written");
    CHECK_FALSE(live.is_locked());
    leave_behind(folder, "shard");
    REQUIRE(names_in(folder.path()).size() == 2);
    REQUIRE(remove_stale_temporaries(folder.path(), any_name).ok());
    CHECK(names_in(folder.path()).size() == 1);
    REQUIRE(live.commit().ok());
    CHECK(names_in(folder.path()) == std::vector<std::string>{"shard"});
  }
}

TEST_CASE("without locks, files of other machines stay for a day") {
  const test::FailingLocks failing(ENOSYS);
  const TempFolder folder;
  folder.write(kStale, "x");
  make_old(folder / kStale, 23);
  REQUIRE(remove_stale_temporaries(folder.path(), any_name).ok());
  CHECK(names_in(folder.path()) == std::vector<std::string>{kStale});
  make_old(folder / kStale, 25);
  REQUIRE(remove_stale_temporaries(folder.path(), any_name).ok());
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("without locks, files of other machines go when those are done") {
  const test::FailingLocks failing(ENOSYS);
  const TempFolder folder;
  const AtomicFile live = created(folder, "shard", "being written");
  folder.write(kStale, "x");
  REQUIRE(remove_stale_temporaries(folder.path(), any_name, OtherMachines::are_done).ok());
  CHECK_FALSE(std::filesystem::exists(folder / kStale));
  CHECK(names_in(folder.path()).size() == 1);  // its writer lives here
}

TEST_CASE("a lock that only its owner sees does not make a live file stale") {
  const test::FailingLocks unshared(test::kUnsharedLocks);
  const TempFolder folder;
  AtomicFile live = created(folder, "shard", "being written");
  leave_behind(folder, "shard");
  for (const OtherMachines others : {OtherMachines::may_write, OtherMachines::are_done})
    REQUIRE(remove_stale_temporaries(folder.path(), any_name, others).ok());
  CHECK(names_in(folder.path()).size() == 1);
  CHECK(live.commit().ok());
}

TEST_CASE("a temporary file gets another name and keeps its cleanup") {
  const TempFolder folder;
  {
    AtomicFile file = created(folder, "data.json", "x");
    const auto before = names_in(folder.path());
    REQUIRE(file.rename_temporary().ok());
    const auto after = names_in(folder.path());
    CHECK(after.size() == 1);
    CHECK(after != before);
    CHECK(final_name_of(after.at(0)) == "data.json");
  }
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("a removed temporary file is as good as an equal finished one") {
  const TempFolder folder;
  AtomicFile file = created(folder, "data.json", "all of it");
  remove_temporary(folder);
  folder.write("data.json", "all of it");
  const auto identity = identity_of(folder / "data.json").value();
  REQUIRE(file.commit().ok());
  CHECK(identity_of(folder / "data.json").value() == identity);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"data.json"});
}

TEST_CASE("a removed temporary file is written again") {
  const std::string content(3'000'000, 'x');          // several blocks
  const std::string other = content.substr(1) + "y";  // as long, and different at its end
  for (const std::string& finished : {std::string(), std::string("other"), other}) {
    const TempFolder folder;
    AtomicFile file = created(folder, "data.json", content);
    remove_temporary(folder);
    if (!finished.empty()) folder.write("data.json", finished);
    REQUIRE(file.commit().ok());
    CHECK((read_text_file(folder / "data.json").value() == content));  // too long to print
    CHECK(names_in(folder.path()) == std::vector<std::string>{"data.json"});
  }
}

TEST_CASE("the caller can say what an equal file is") {
  const TempFolder folder;
  for (const bool equal : {true, false}) {
    AtomicFile file = created(folder, "data.json", "mine");
    remove_temporary(folder);
    folder.write("data.json", "finished by another run");
    REQUIRE(file.commit([&](const File& finished) {
                  CHECK(finished.path() == folder / "data.json");
                  return equal;
                })
                .ok());
    CHECK(read_text_file(folder / "data.json").value() ==
          (equal ? "finished by another run" : "mine"));
  }
}

TEST_CASE("a temporary file that vanished with its folder is an error") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "out");
  AtomicFile file = AtomicFile::create(folder / "out", "data.json").value();
  std::filesystem::remove_all(folder / "out");
  const Status status = file.commit();
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::io);
  CHECK_THAT(status.error().describe(),
             ContainsSubstring("data.json") && ContainsSubstring("run the same command again"));
}
