// The fake libcuda.so.1 as a program finds it; CMake runs this with LD_LIBRARY_PATH.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "device/driver.hpp"
#include "device/handles.hpp"
#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"

using namespace hotpack::device;

// Before the library is loaded.
[[maybe_unused]] static const int two_small_devices =
    ::setenv("HOTPACK_FAKE_DEVICES", "2", 1) + ::setenv("HOTPACK_FAKE_DEVICE_BYTES", "1000000", 1);

namespace {

template <typename T>
T take(hotpack::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().describe());
  return std::move(result).value();
}

// A program with a stream and 1000 bytes of a device.
struct Program {
  [[nodiscard]] const DriverTable& api() const { return context->api(); }
  [[nodiscard]] char first_byte() const {
    return *reinterpret_cast<const char*>(static_cast<std::uintptr_t>(memory.address()));
  }
  void fill(unsigned char value) const {
    CHECK(api().MemsetD8Async(memory.address(), value, 1000, stream.handle()) == code::kSuccess);
  }

  std::shared_ptr<const Context> context = take(Context::retain(take(Driver::load()), 0));
  CurrentContext current{*context};
  DeviceMemory memory = take(DeviceMemory::take(context, 1000));
  Stream stream = take(Stream::create(context));
};

// Calls that hotpack does not know.
template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto function =
      reinterpret_cast<int (*)(Arguments...)>(library == nullptr ? nullptr : dlsym(library, name));
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

TEST_CASE("fake library: its devices cannot be mistaken for real ones") {
  const auto info = hotpack::cuda_info();
  REQUIRE(info.ok());
  CHECK(info->driver_version == 13000);
  REQUIRE(info->devices.size() == 2);
  CHECK(info->devices[1].name == "hotpack fake device (no GPU)");
  CHECK(info->devices[1].memory_bytes == 1000000);
}

TEST_CASE("a function cannot be found at a CUDA version older than its own") {
  using Find = int (*)(const char*, void**, int, std::uint64_t, int*);
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  REQUIRE(library != nullptr);
  const auto find = reinterpret_cast<Find>(dlsym(library, "cuGetProcAddress_v2"));
  REQUIRE(find != nullptr);
  void* function = nullptr;
  int status = -1;
  CHECK(find("cuMemAlloc", &function, 3010, 0, &status) == code::kNotFound);
  CHECK(function == nullptr);
  CHECK(status == 2);  // CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
  CHECK(find("cuMemAlloc", &function, 3020, 0, &status) == code::kSuccess);
  CHECK(function != nullptr);
  CHECK(status == 0);
  CHECK(find("cuNoSuch", &function, 13000, 0, &status) == code::kNotFound);
  CHECK(status == 1);
}

TEST_CASE("fake library: copies arrive at once and memory is limited") {
  const auto driver = Driver::load();
  REQUIRE(driver.ok());
  const auto context = Context::retain(driver.value(), 1);
  REQUIRE(context.ok());
  const CurrentContext current(*context.value());
  REQUIRE(current.status().ok());
  CHECK_FALSE(DeviceMemory::take(context.value(), 1000001).ok());
  const auto memory = DeviceMemory::take(context.value(), 1000000);
  REQUIRE(memory.ok());
  const auto stream = Stream::create(context.value());
  REQUIRE(stream.ok());
  const std::vector<char> bytes(1000, 'x');
  const DriverTable& api = driver.value()->api();
  CHECK(api.MemcpyHtoDAsync(memory->address(), bytes.data(), bytes.size(), stream->handle()) ==
        code::kSuccess);
  CHECK(std::memcmp(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(memory->address())),
                    bytes.data(), bytes.size()) == 0);
}

TEST_CASE("a host function blocks its stream until it returns") {
  const Program program;
  const Stream other = take(Stream::create(program.context));
  std::promise<void> end;
  void (*const wait)(void*) = [](void* data) {
    static_cast<std::promise<void>*>(data)->get_future().wait();
  };
  REQUIRE(call("cuLaunchHostFunc", program.stream.handle(), wait, static_cast<void*>(&end)) ==
          code::kSuccess);
  program.fill('x');
  CHECK(program.api().StreamSynchronize(other.handle()) == code::kSuccess);
  CHECK(program.first_byte() != 'x');
  end.set_value();
  CHECK(program.api().StreamSynchronize(program.stream.handle()) == code::kSuccess);
  CHECK(program.first_byte() == 'x');
}

TEST_CASE("fake library: what is captured does not run") {
  const Program program;
  REQUIRE(call("cuStreamBeginCapture_v2", program.stream.handle(), kGlobal) == code::kSuccess);
  program.fill('x');
  void* graph = nullptr;
  CHECK(call("cuStreamEndCapture", program.stream.handle(), &graph) == code::kSuccess);
  CHECK(graph != nullptr);
  CHECK(call("cuGraphDestroy", graph) == code::kSuccess);
  CHECK(program.first_byte() != 'x');
  program.fill('y');
  CHECK(program.first_byte() == 'y');
}

TEST_CASE("an unsafe call of another thread invalidates a global capture") {
  const int status = end_of_process([] {
    const Program program;
    call("cuStreamBeginCapture_v2", program.stream.handle(), kGlobal);
    int refused = 0;
    std::thread([&] {
      Pointer memory = 0;
      program.api().CtxPushCurrent(program.context->handle());
      refused = program.api().MemAlloc(&memory, 1);
      ContextHandle popped = nullptr;
      program.api().CtxPopCurrent(&popped);
    }).join();
    void* graph = nullptr;
    const int ended = call("cuStreamEndCapture", program.stream.handle(), &graph);
    if (refused != code::kStreamCaptureUnsupported || ended != kCodeInvalidated || graph != nullptr)
      std::_Exit(1);
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 70);
}

TEST_CASE("fake library: pinned memory is gone when the process has ended") {
  static void* pinned = nullptr;
  const auto touch_later = [] {
    std::atexit([] {
      *static_cast<volatile char*>(pinned) = 'x';
    });  // before the library is loaded: done after its end
    static const Program* const program = new Program;  // still there at the end
    if (program->api().MemHostAlloc(&pinned, 1000, 0) != code::kSuccess) std::_Exit(1);
    *static_cast<volatile char*>(pinned) = 'x';
  };
  const int status = end_of_process(touch_later);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
}
