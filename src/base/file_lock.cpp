#include "base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "base/interrupted.hpp"
#include "base/text.hpp"

namespace hotpack {

namespace {

// What statfs calls the file systems (`f_type`). linux/magic.h lacks several of these.
constexpr std::array<std::uint32_t, 17> kLocksReachEveryone = {
    0xEF53,      // ext2, ext3, ext4
    0x58465342,  // XFS
    0x9123683E,  // Btrfs
    0x2FC12FC1,  // ZFS
    0xCA451A4E,  // bcachefs
    0xF2F52010,  // F2FS
    0x3153464A,  // JFS
    0x01021994,  // tmpfs
    0x858458F6,  // ramfs
    0x794C7630,  // overlayfs
    0x0000F15F,  // eCryptfs
    0x00004D44,  // FAT
    0x2011BAB0,  // exFAT
    0x00C36400,  // CephFS
    0x47504653,  // GPFS
    0x7461636F,  // OCFS2
    0x01161970,  // GFS2
};
constexpr std::uint32_t kNfs = 0x6969;
constexpr std::uint32_t kLustre = 0x0BD00BD0;

std::string mountinfo() {
  std::string text;
  const int descriptor = ::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return text;
  std::array<char, 4096> block{};
  while (true) {
    const ssize_t n =
        retry_interrupted([&] { return ::read(descriptor, block.data(), block.size()); });
    if (n <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
  ::close(descriptor);
  return text;
}

bool mounted_with(int descriptor, std::string_view option) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 &&
         has_mount_option(mountinfo(), static_cast<std::uint64_t>(status.st_dev), option);
}

bool contains_option(std::string_view options, std::string_view option) {
  while (!options.empty()) {
    const std::size_t comma = options.find(',');
    if (options.substr(0, comma) == option) return true;
    options = comma == std::string_view::npos ? "" : options.substr(comma + 1);
  }
  return false;
}

}  // namespace

LockState try_lock(int descriptor, LockKind kind) {
  const int operation = kind == LockKind::shared ? LOCK_SH : LOCK_EX;
  if (retry_interrupted([&] { return ::flock(descriptor, operation | LOCK_NB); }) == 0)
    return LockState::taken;
  // Otherwise ENOSYS, EOPNOTSUPP, ENOLCK, EINVAL, EBADF and others: each file system has its own.
  return errno == EWOULDBLOCK ? LockState::held : LockState::none;
}

bool locks_reach_everyone(int descriptor) {
  struct statfs status {};
  if (::fstatfs(descriptor, &status) != 0) return false;
  const auto type = static_cast<std::uint32_t>(status.f_type);
  if (type == kNfs) return mounted_with(descriptor, "local_lock=none");
  if (type == kLustre) return mounted_with(descriptor, "flock");
  return std::find(kLocksReachEveryone.begin(), kLocksReachEveryone.end(), type) !=
         kLocksReachEveryone.end();
}

// A line: "36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw,errors=continue".
bool has_mount_option(std::string_view mountinfo, std::uint64_t device, std::string_view option) {
  const std::string number =
      " " + std::to_string(major(device)) + ":" + std::to_string(minor(device)) + " ";
  constexpr std::string_view kSeparator = " - ";
  for (const std::string_view line : lines_of(mountinfo)) {
    const std::size_t separator = line.find(kSeparator);
    const std::size_t at = line.find(number);
    if (separator == std::string_view::npos || at == std::string_view::npos || at > separator)
      continue;
    if (contains_option(line.substr(line.rfind(' ') + 1), option)) return true;
  }
  return false;
}

}  // namespace hotpack
