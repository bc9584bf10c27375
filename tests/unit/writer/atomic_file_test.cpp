#include "writer/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/checksum.hpp"
#include "base/temporary_name.hpp"
#include "support/catch.hpp"
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
