// A preloaded library for tests that counts a program's system calls and allocations, and makes one
// of them fail or kill the process. Only calls between the beginning of main and its end count,
// and, where a call names a file, only those below chosen folders.
//
//   FAULT_UNDER=DIR[:DIR…]   folders whose files count (without it, no call with a file counts)
//   FAULT_CALL=NAME          the call that fails, such as pwrite; `any` stands for every call but
//                            allocations
//   FAULT_AT=N               its N-th occurrence, from 1; FAULT_LASTING=1: and all after it
//   FAULT_HOW=HOW            an errno, `short` (half of a transfer, at least a byte) or `kill`
//                            (SIGKILL before the call)
//   FAULT_LOG=FILE           writes one line per call that changed something: "call TAB path TAB
//                            details", what was written as hex digits; at the end of main "seen TAB
//                            TAB N": how many calls of that NAME there were
//
// Calls inside libc and raw system calls are not seen, so folders have names of their own (opendir,
// readdir). The library allocates nothing. A lock keeps the lines of the log whole.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

constexpr int kNone = 0, kShort = -1, kKill = -2;

struct Settings {
  const char* under = nullptr;
  const char* call = nullptr;
  long at = 0;
  bool lasting = false;
  int how = kNone;
  int log = -1;
};

Settings settings;
std::atomic<bool> armed{false};
std::atomic<long> seen{0};
std::atomic<long> allocations{0};

template <class Function>
Function original(Function, const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}
#define NEXT(name)                                         \
  ([]() {                                                  \
    static const auto function = original(&::name, #name); \
    return function;                                       \
  }())

bool is_below(const char* path) {
  if (path == nullptr || settings.under == nullptr) return false;
  for (const char* folder = settings.under; *folder != 0;) {
    const size_t length = std::strcspn(folder, ":");
    if (length > 0 && std::strncmp(path, folder, length) == 0 &&
        (path[length] == '/' || path[length] == 0))
      return true;
    folder += length + (folder[length] == ':' ? 1 : 0);
  }
  return false;
}

// The path of a descriptor, or of a name below a folder's descriptor; relative names are put behind
// the working folder.
struct Path {
  char text[2 * PATH_MAX];
  explicit Path(int descriptor) { read_link(descriptor); }
  Path(int folder, const char* name) {
    if (name == nullptr || name[0] == '/') {
      std::snprintf(text, sizeof text, "%s", name == nullptr ? "" : name);
      return;
    }
    if (folder == AT_FDCWD)
      text[0] = 0, (void)!::syscall(SYS_getcwd, text, PATH_MAX);
    else
      read_link(folder);
    const size_t length = std::strlen(text);
    std::snprintf(text + length, sizeof text - length, "/%s", name);
  }

 private:
  void read_link(int descriptor) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const long length = ::syscall(SYS_readlink, link, text, PATH_MAX - 1);
    text[length < 0 ? 0 : length] = 0;
  }
};

// Held while a line is written: shards are committed while others are filled.
class LogLine {
 public:
  LogLine() {
    while (busy.test_and_set(std::memory_order_acquire)) ::syscall(SYS_sched_yield);
  }
  ~LogLine() { busy.clear(std::memory_order_release); }
  LogLine(const LogLine&) = delete;
  LogLine& operator=(const LogLine&) = delete;

 private:
  static inline std::atomic_flag busy = ATOMIC_FLAG_INIT;
};

void put(const char* text, size_t size) {
  while (size > 0) {
    const long done = ::syscall(SYS_write, settings.log, text, size);
    if (done <= 0) return;
    text += done;
    size -= static_cast<size_t>(done);
  }
}

void note(const char* call, const char* path, const char* format, ...) {
  if (settings.log < 0) return;
  char line[3 * PATH_MAX];
  int length = std::snprintf(line, sizeof line, "%s\t%s\t", call, path);
  va_list arguments;
  va_start(arguments, format);
  length +=
      std::vsnprintf(line + length, sizeof line - static_cast<size_t>(length), format, arguments);
  va_end(arguments);
  line[length++] = '\n';
  const LogLine whole;
  put(line, static_cast<size_t>(length));
}

// A line with the bytes of a write.
void note_bytes(const char* call, const char* path, long offset, const void* bytes, size_t size) {
  if (settings.log < 0) return;
  char line[2 * PATH_MAX + 64];
  const LogLine whole;
  put(line,
      static_cast<size_t>(std::snprintf(line, sizeof line, "%s\t%s\t%ld\t", call, path, offset)));
  static const char digits[] = "0123456789abcdef";
  char hex[4096];
  size_t filled = 0;
  for (size_t i = 0; i < size; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(bytes)[i];
    hex[filled++] = digits[byte >> 4];
    hex[filled++] = digits[byte & 15];
    if (filled == sizeof hex) put(hex, filled), filled = 0;
  }
  put(hex, filled);
  put("\n", 1);
}

// How this call fails: an errno, kShort, or kNone if it does not. Does not return if the process is
// killed.
int spoil(const char* call) {
  if (settings.call == nullptr ||
      (std::strcmp(settings.call, call) != 0 && std::strcmp(settings.call, "any") != 0))
    return kNone;
  const long count = ++seen;
  if (count < settings.at || (count > settings.at && !settings.lasting)) return kNone;
  if (settings.how == kKill) ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
  return settings.how;
}

int spoil_path(const char* call, const char* path) {
  return armed && is_below(path) ? spoil(call) : kNone;
}

bool fails(int outcome) {
  if (outcome <= 0) return false;
  errno = outcome;
  return true;
}

size_t shortened(int outcome, size_t size) {
  return outcome == kShort && size > 1 ? size / 2 : size;
}

// Allocations are counted separately, because there are too many of them for `any`.
bool allocation_fails() {
  if (!armed || settings.call == nullptr || std::strcmp(settings.call, "malloc") != 0)
    return armed && (++allocations, false);
  const long count = ++allocations;
  if (count < settings.at || (count > settings.at && !settings.lasting)) return false;
  errno = ENOMEM;
  return true;
}

void begin() {
  settings.under = std::getenv("FAULT_UNDER");
  settings.call = std::getenv("FAULT_CALL");
  const char* const at = std::getenv("FAULT_AT");
  const char* const how = std::getenv("FAULT_HOW");
  const char* const log = std::getenv("FAULT_LOG");
  settings.at = at == nullptr ? 0 : std::atol(at);
  settings.lasting = std::getenv("FAULT_LASTING") != nullptr;
  if (how != nullptr)
    settings.how = std::strcmp(how, "short") == 0  ? kShort
                   : std::strcmp(how, "kill") == 0 ? kKill
                                                   : std::atoi(how);
  // High, so that the program's own descriptors are numbered as without this library.
  if (log != nullptr) {
    const long low =
        ::syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    settings.log = static_cast<int>(::syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, 900));
    ::syscall(SYS_close, low);
  }
  armed = true;
}

void end() {
  if (!armed.exchange(false)) return;
  note("seen", "", "%ld",
       settings.call != nullptr && std::strcmp(settings.call, "malloc") == 0 ? allocations.load()
                                                                             : seen.load());
}

using Main = int (*)(int, char**, char**);
Main program = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  begin();
  const int code = program(argc, argv, environment);
  end();
  return code;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  program = main;
  return reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"))(
      counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

void* malloc(size_t size) { return allocation_fails() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return allocation_fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return allocation_fails() ? nullptr : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  return allocation_fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** into, size_t alignment, size_t size) {
  void* const memory = allocation_fails() ? nullptr : __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *into = memory;
  return 0;
}

// ---- transfers

ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (!armed) return NEXT(write)(descriptor, bytes, size);
  const Path path(descriptor);
  const int outcome = spoil_path("write", path.text);
  if (fails(outcome)) return -1;
  const off_t offset = is_below(path.text) ? ::lseek(descriptor, 0, SEEK_CUR) : -1;
  const ssize_t done = NEXT(write)(descriptor, bytes, shortened(outcome, size));
  if (done > 0 && is_below(path.text))
    note_bytes("pwrite", path.text, offset, bytes, static_cast<size_t>(done));
  return done;
}

#define PWRITE(name)                                                                      \
  ssize_t name(int descriptor, const void* bytes, size_t size, off_t offset) {            \
    if (!armed) return NEXT(name)(descriptor, bytes, size, offset);                       \
    const Path path(descriptor);                                                          \
    const int outcome = spoil_path("pwrite", path.text);                                  \
    if (fails(outcome)) return -1;                                                        \
    const ssize_t done = NEXT(name)(descriptor, bytes, shortened(outcome, size), offset); \
    if (done > 0 && is_below(path.text))                                                  \
      note_bytes("pwrite", path.text, static_cast<long>(offset), bytes,                   \
                 static_cast<size_t>(done));                                              \
    return done;                                                                          \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PREAD(name)                                                                              \
  ssize_t name(int descriptor, void* into, size_t size, off_t offset) {                          \
    if (!armed) return NEXT(name)(descriptor, into, size, offset);                               \
    const int outcome = spoil_path("pread", Path(descriptor).text);                              \
    return fails(outcome) ? -1 : NEXT(name)(descriptor, into, shortened(outcome, size), offset); \
  }
PREAD(pread)
PREAD(pread64)

ssize_t read(int descriptor, void* into, size_t size) {
  if (!armed) return NEXT(read)(descriptor, into, size);
  const int outcome = spoil_path("read", Path(descriptor).text);
  return fails(outcome) ? -1 : NEXT(read)(descriptor, into, shortened(outcome, size));
}

// ---- calls on a descriptor

#define ON_DESCRIPTOR(name, label, parameters, details, ...)     \
  int name parameters {                                          \
    if (!armed) return NEXT(name)(__VA_ARGS__);                  \
    const Path path(descriptor);                                 \
    if (fails(spoil_path(label, path.text))) return -1;          \
    const int outcome = NEXT(name)(__VA_ARGS__);                 \
    if (outcome == 0 && is_below(path.text))                     \
      note(label, path.text, "%ld", static_cast<long>(details)); \
    return outcome;                                              \
  }
ON_DESCRIPTOR(fsync, "fsync", (int descriptor), 0, descriptor)
ON_DESCRIPTOR(fdatasync, "fdatasync", (int descriptor), 0, descriptor)
ON_DESCRIPTOR(ftruncate, "ftruncate", (int descriptor, off_t size) noexcept, size, descriptor, size)
ON_DESCRIPTOR(ftruncate64, "ftruncate", (int descriptor, off64_t size) noexcept, size, descriptor,
              size)
ON_DESCRIPTOR(fallocate, "fallocate", (int descriptor, int mode, off_t from, off_t size), size,
              descriptor, mode, from, size)

// Locks change nothing on the disk, so they are not logged.
int flock(int descriptor, int operation) noexcept {
  if (armed && fails(spoil_path("flock", Path(descriptor).text))) return -1;
  return NEXT(flock)(descriptor, operation);
}

// ---- calls on paths

int spoiled_open(const char* path, int flags) {
  return spoil_path((flags & O_CREAT) != 0 ? "create" : "open", path);
}

#define WITH_MODE                             \
  unsigned mode = 0;                          \
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) { \
    va_list arguments;                        \
    va_start(arguments, flags);               \
    mode = va_arg(arguments, unsigned);       \
    va_end(arguments);                        \
  }
#define OPENED(call)                                                \
  if (fails(spoiled_open(full.text, flags))) return -1;             \
  const int opened = call;                                          \
  if (opened >= 0 && (flags & O_CREAT) != 0 && is_below(full.text)) \
    note("create", full.text, "0");                                 \
  return opened;
#define OPEN(name)                                    \
  int name(const char* path, int flags, ...) {        \
    WITH_MODE                                         \
    if (!armed) return NEXT(name)(path, flags, mode); \
    const Path full(AT_FDCWD, path);                  \
    OPENED(NEXT(name)(path, flags, mode))             \
  }
#define OPENAT(name)                                          \
  int name(int folder, const char* path, int flags, ...) {    \
    WITH_MODE                                                 \
    if (!armed) return NEXT(name)(folder, path, flags, mode); \
    const Path full(folder, path);                            \
    OPENED(NEXT(name)(folder, path, flags, mode))             \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

#define ON_PATH(name, label, parameters, folder, path, ...)               \
  int name parameters noexcept {                                          \
    if (!armed) return NEXT(name)(__VA_ARGS__);                           \
    const Path full(folder, path);                                        \
    if (fails(spoil_path(label, full.text))) return -1;                   \
    const int outcome = NEXT(name)(__VA_ARGS__);                          \
    if (outcome == 0 && is_below(full.text)) note(label, full.text, "0"); \
    return outcome;                                                       \
  }
ON_PATH(mkdir, "mkdir", (const char* path, mode_t mode), AT_FDCWD, path, path, mode)
ON_PATH(mkdirat, "mkdir", (int folder, const char* path, mode_t mode), folder, path, folder, path,
        mode)
ON_PATH(unlink, "unlink", (const char* path), AT_FDCWD, path, path)
ON_PATH(unlinkat, "unlink", (int folder, const char* path, int flags), folder, path, folder, path,
        flags)
ON_PATH(remove, "unlink", (const char* path), AT_FDCWD, path, path)
ON_PATH(rmdir, "rmdir", (const char* path), AT_FDCWD, path, path)

#define ON_TWO_PATHS(name, label, parameters, folder, path, to_folder, to, ...)           \
  int name parameters noexcept {                                                          \
    if (!armed) return NEXT(name)(__VA_ARGS__);                                           \
    const Path from(folder, path), target(to_folder, to);                                 \
    if (fails(spoil_path(label, target.text))) return -1;                                 \
    const int outcome = NEXT(name)(__VA_ARGS__);                                          \
    if (outcome == 0 && is_below(target.text)) note(label, from.text, "%s", target.text); \
    return outcome;                                                                       \
  }
ON_TWO_PATHS(rename, "rename", (const char* path, const char* to), AT_FDCWD, path, AT_FDCWD, to,
             path, to)
ON_TWO_PATHS(renameat, "rename", (int folder, const char* path, int to_folder, const char* to),
             folder, path, to_folder, to, folder, path, to_folder, to)
ON_TWO_PATHS(renameat2, "rename",
             (int folder, const char* path, int to_folder, const char* to, unsigned flags), folder,
             path, to_folder, to, folder, path, to_folder, to, flags)
ON_TWO_PATHS(link, "link", (const char* path, const char* to), AT_FDCWD, path, AT_FDCWD, to, path,
             to)
ON_TWO_PATHS(linkat, "link",
             (int folder, const char* path, int to_folder, const char* to, int flags), folder, path,
             to_folder, to, folder, path, to_folder, to, flags)

// ---- folders

DIR* opendir(const char* path) {
  if (!armed) return NEXT(opendir)(path);
  const Path full(AT_FDCWD, path);
  return fails(spoil_path("opendir", full.text)) ? nullptr : NEXT(opendir)(path);
}

DIR* fdopendir(int descriptor) {
  if (!armed) return NEXT(fdopendir)(descriptor);
  return fails(spoil_path("opendir", Path(descriptor).text)) ? nullptr
                                                             : NEXT(fdopendir)(descriptor);
}

dirent* readdir(DIR* folder) {
  if (!armed) return NEXT(readdir)(folder);
  return fails(spoil_path("readdir", Path(::dirfd(folder)).text)) ? nullptr : NEXT(readdir)(folder);
}

dirent64* readdir64(DIR* folder) {
  if (!armed) return NEXT(readdir64)(folder);
  return fails(spoil_path("readdir", Path(::dirfd(folder)).text)) ? nullptr
                                                                  : NEXT(readdir64)(folder);
}

// ---- memory and threads

#define MMAP(name)                                                                       \
  void* name(void* at, size_t size, int protection, int flags, int descriptor,           \
             off_t offset) noexcept {                                                    \
    if (!armed) return NEXT(name)(at, size, protection, flags, descriptor, offset);      \
    const int outcome =                                                                  \
        descriptor < 0 ? spoil("mmap") : spoil_path("mmap", Path(descriptor).text);      \
    if (outcome == kNone && settings.log >= 0) note("mmap", "", "0");                    \
    return fails(outcome) ? MAP_FAILED                                                   \
                          : NEXT(name)(at, size, protection, flags, descriptor, offset); \
  }
MMAP(mmap)
MMAP(mmap64)

int munmap(void* at, size_t size) noexcept {
  if (!armed) return NEXT(munmap)(at, size);
  if (fails(spoil("munmap"))) return -1;
  if (settings.log >= 0) note("munmap", "", "0");
  return NEXT(munmap)(at, size);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
  if (!armed) return NEXT(pthread_create)(thread, attributes, routine, argument);
  const int outcome = spoil("pthread_create");
  if (settings.log >= 0) note("pthread_create", "", "0");
  return outcome > 0 ? outcome : NEXT(pthread_create)(thread, attributes, routine, argument);
}
}
