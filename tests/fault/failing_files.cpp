// A preloaded library for tests that makes chosen input files, locks or renames fail; it replaces
// the calls for them.
//
//   FAIL_READS_OF=PART      reads of files whose path contains PART fail with EIO; with
//                           FAIL_READS_TIMES=N only the first N
//   VANISH=PART             opening files whose path contains PART fails with ENOENT, but not the
//                           first VANISH_AFTER=N times
//   FAIL_LOCKS=ERRNO        locks fail so, as on file systems without them; 0: everybody gets every
//                           lock, as on file systems that keep locks on one machine
//   KILL_AT_RENAME=N        the N-th rename kills the process (SIGKILL) instead

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> failed_reads{0};
std::atomic<long> opened{0};
std::atomic<long> renamed{0};

bool contains(const char* path, const char* variable) {
  const char* const part = std::getenv(variable);
  return part != nullptr && std::strstr(path, part) != nullptr;
}

long number(const char* variable, long otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atol(text);
}

bool read_fails(int descriptor) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = ::readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = 0;
  return contains(path, "FAIL_READS_OF") &&
         failed_reads++ < number("FAIL_READS_TIMES", 1'000'000'000);
}

template <class Function>
Function original(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

ssize_t read_at(const char* name, int descriptor, void* into, size_t size, off_t offset) {
  if (read_fails(descriptor)) {
    errno = EIO;
    return -1;
  }
  return original<ssize_t (*)(int, void*, size_t, off_t)>(name)(descriptor, into, size, offset);
}

int open_file(const char* name, const char* path, int flags, unsigned mode) {
  if (contains(path, "VANISH") && opened++ >= number("VANISH_AFTER", 0)) {
    errno = ENOENT;
    return -1;
  }
  return original<int (*)(const char*, int, ...)>(name)(path, flags, mode);
}

// The third argument of open, which exists only if a file may be created.
unsigned mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
}

}  // namespace

extern "C" {

ssize_t pread(int descriptor, void* into, size_t size, off_t offset) {
  return read_at("pread", descriptor, into, size, offset);
}
ssize_t pread64(int descriptor, void* into, size_t size, off_t offset) {
  return read_at("pread64", descriptor, into, size, offset);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file("open64", path, flags, mode);
}

int flock(int descriptor, int operation) noexcept {
  if (std::getenv("FAIL_LOCKS") == nullptr)
    return original<int (*)(int, int)>("flock")(descriptor, operation);
  errno = static_cast<int>(number("FAIL_LOCKS", 0));
  return errno == 0 ? 0 : -1;
}

int rename(const char* from, const char* to) noexcept {
  if (++renamed == number("KILL_AT_RENAME", 0)) ::kill(::getpid(), SIGKILL);
  return original<int (*)(const char*, const char*)>("rename")(from, to);
}
}
