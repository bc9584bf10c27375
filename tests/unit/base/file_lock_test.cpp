#include "base/file_lock.hpp"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "support/catch.hpp"
#include "support/failing_locks.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;

namespace {

// An open file, or an open folder for a name of "".
class Opened {
 public:
  Opened(const TempFolder& folder, const std::string& name)
      : descriptor_(::open((folder / name).c_str(), name.empty() ? O_RDONLY : O_RDWR)) {
    REQUIRE(descriptor_ >= 0);
  }
  ~Opened() { ::close(descriptor_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  [[nodiscard]] LockState lock(LockKind kind) const { return try_lock(descriptor_, kind); }

 private:
  int descriptor_;
};

}  // namespace

TEST_CASE("an exclusive lock keeps others out, shared locks go together") {
  const TempFolder folder;
  folder.write("file", "");
  for (const char* name : {"file", ""}) {
    const Opened first(folder, name), second(folder, name);
    CHECK(first.lock(LockKind::shared) == LockState::taken);
    CHECK(second.lock(LockKind::shared) == LockState::taken);
    CHECK(first.lock(LockKind::exclusive) == LockState::held);
  }
  const Opened first(folder, "file"), second(folder, "file");
  CHECK(first.lock(LockKind::exclusive) == LockState::taken);
  CHECK(second.lock(LockKind::shared) == LockState::held);
}

TEST_CASE("a file system without locks gives none, whatever it answers") {
  const TempFolder folder;
  folder.write("file", "");
  const Opened file(folder, "file");
  for (const int error : {ENOSYS, EOPNOTSUPP, ENOTSUP, ENOLCK, EINVAL, EBADF, EIO}) {
    const test::FailingLocks failing(error);
    CHECK(file.lock(LockKind::shared) == LockState::none);
    CHECK(file.lock(LockKind::exclusive) == LockState::none);
  }
  CHECK(try_lock(-1, LockKind::exclusive) == LockState::none);
  CHECK_FALSE(locks_reach_everyone(-1));
}

TEST_CASE("options of a mount are found by its device") {
  const std::string text =
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
      "40 22 0:41 / /data rw,flock - nfs4 host:/a b rw,vers=4.2,local_lock=none,addr=10.0.0.1\n"
      "41 22 0:4 / /more rw - lustre 10.0.0.2@tcp:/fs rw,flock,lazystatfs\n"
      "broken 0:5 line\n";
  const auto has = [&](unsigned device, std::string_view option) {
    return has_mount_option(text, makedev(0, device), option);
  };
  CHECK(has(41, "local_lock=none"));
  CHECK_FALSE(has(41, "local_lock=all"));
  CHECK_FALSE(has(41, "flock"));  // an option of the mount point, not of the file system
  CHECK_FALSE(has(41, "local_lock"));
  CHECK(has(4, "flock"));
  CHECK_FALSE(has(4, "localflock"));
  CHECK_FALSE(has(5, "line"));
  CHECK_FALSE(has(8, "rw"));
  CHECK(has_mount_option(text, makedev(8, 1), "errors=remount-ro"));
  CHECK_FALSE(has_mount_option("", makedev(8, 1), "rw"));
}
