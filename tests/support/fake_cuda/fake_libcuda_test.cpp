// The fake libcuda.so.1 as a program finds it; CMake runs this with LD_LIBRARY_PATH.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "device/context.hpp"
#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"

using namespace hotpack::device;

namespace {

template <class T>
T take(hotpack::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().describe());
  return std::move(result).value();
}

// A program with a stream and 1000 bytes of a device.
struct Program {
  Program() {
    if (api.MemAlloc(&memory, 1000) != 0 || api.StreamCreate(&stream, kStreamNonBlocking) != 0)
      throw std::runtime_error("no memory or stream");
  }
  ~Program() { CHECK(api.MemFree(memory) + api.StreamDestroy(stream) == 0); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::shared_ptr<const Context> context = take(Context::retain(take(Driver::load()), 0));
  const DriverTable& api = context->api();
  CurrentContext current{*context};
  Pointer memory = 0;
  StreamHandle stream = nullptr;
};

// Calls a function that hotpack does not call.
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function == nullptr ? -1 : function(arguments...);
}

constexpr int kGlobal = 0, kCodeInvalidated = 901;

// The status of a process that does this and exits with 0. The library must not be loaded yet.
int end_of_process(void (*work)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL);
    work();
    std::exit(0);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace

TEST_CASE("an unsafe call of another thread invalidates a global capture") {
  const int status = end_of_process([] {
    const Program program;
    call("cuStreamBeginCapture_v2", program.stream, kGlobal);
    int refused = 0;
    std::thread([&] {
      Pointer memory = 0;
      ContextHandle popped = nullptr;
      program.api.CtxPushCurrent(program.context->handle());
      refused = program.api.MemAlloc(&memory, 1);
      program.api.CtxPopCurrent(&popped);
    }).join();
    void* graph = nullptr;
    const int ended = call("cuStreamEndCapture", program.stream, &graph);
    if (refused != code::kStreamCaptureUnsupported || ended != kCodeInvalidated || graph != nullptr)
      std::_Exit(1);
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 70);  // of a violation
}

TEST_CASE("fake library: pinned memory is gone when the process has ended") {
  static void* pinned = nullptr;
  const int status = end_of_process([] {
    // Before the library is loaded: called after its end.
    std::atexit([] { *static_cast<volatile char*>(pinned) = 'x'; });
    static const Program* const program = new Program;  // still there at the end
    if (program->api.MemHostAlloc(&pinned, 1000, 0) != 0) std::_Exit(1);
    *static_cast<volatile char*>(pinned) = 'x';
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
}
