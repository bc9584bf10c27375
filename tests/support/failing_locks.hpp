// Replaces flock() in the test program that includes this header, in one of its sources: locks fail
// as on file systems without locks, or seem to succeed as on those that keep locks on one machine.
#pragma once

#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace hotpack::test {

inline constexpr int kRealLocks = 0;
inline constexpr int kUnsharedLocks = -1;  // everybody gets every lock
inline int failure_of_locks = kRealLocks;  // otherwise an errno

// Locks fail as long as this object lives.
class FailingLocks {
 public:
  explicit FailingLocks(int error) { failure_of_locks = error; }
  ~FailingLocks() { failure_of_locks = kRealLocks; }
  FailingLocks(const FailingLocks&) = delete;
  FailingLocks& operator=(const FailingLocks&) = delete;
};

}  // namespace hotpack::test

extern "C" int flock(int descriptor, int operation) noexcept {
  using namespace hotpack::test;
  if (failure_of_locks == kUnsharedLocks) return 0;
  if (failure_of_locks == kRealLocks)
    return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
  errno = failure_of_locks;
  return -1;
}
