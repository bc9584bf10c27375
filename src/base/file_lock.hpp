// Locks (flock) on open files and folders. The system releases a lock when its process ends.
//
// Not every file system has locks, and some keep them on one machine. Nothing here fails for want
// of them: callers learn what they got. Thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace hotpack {

enum class LockKind { shared, exclusive };

enum class LockState {
  taken,
  held,  // by somebody else
  none,  // the file system has no locks, or gives none for this descriptor
};

// Tries to take a lock; never waits for one. On NFS, an exclusive lock needs a descriptor that is
// open for writing, and otherwise the state is `none`.
[[nodiscard]] LockState try_lock(int descriptor, LockKind kind);

// Returns true if a lock on this file is seen by every process that can open the file, on all
// machines: local file systems, and shared ones that are known for it. Elsewhere (FUSE, SMB, 9p,
// Lustre and NFS mounted with local locks) a lock may be seen on one machine or one mount only.
[[nodiscard]] bool locks_reach_everyone(int descriptor);

// Returns true if the file system of `device` is mounted with `option`, by the text of
// /proc/self/mountinfo. A pure function.
[[nodiscard]] bool has_mount_option(std::string_view mountinfo, std::uint64_t device,
                                    std::string_view option);

}  // namespace hotpack
