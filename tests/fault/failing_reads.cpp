// Makes reads fail with EIO for files whose path contains FAIL_READS_OF, for the first FAIL_READS_TIMES reads (all, when it is absent).
// A preloaded library for tests; it replaces pread, which the command reads its inputs with.

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Pread = ssize_t (*)(int, void*, size_t, off_t);

std::atomic<long> failed{0};

bool is_chosen(int descriptor) {
  const char* const part = std::getenv("FAIL_READS_OF");
  if (part == nullptr) return false;
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = ::readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = 0;
  return std::strstr(path, part) != nullptr;
}

bool may_fail_again() {
  const char* const times = std::getenv("FAIL_READS_TIMES");
  return times == nullptr || failed++ < std::atol(times);
}

ssize_t checked_pread(const char* name, int descriptor, void* into, size_t size, off_t offset) {
  if (is_chosen(descriptor) && may_fail_again()) {
    errno = EIO;
    return -1;
  }
  return reinterpret_cast<Pread>(::dlsym(RTLD_NEXT, name))(descriptor, into, size, offset);
}

}  // namespace

extern "C" {
ssize_t pread(int descriptor, void* into, size_t size, off_t offset) { return checked_pread("pread", descriptor, into, size, offset); }
ssize_t pread64(int descriptor, void* into, size_t size, off_t offset) { return checked_pread("pread64", descriptor, into, size, offset); }
}
