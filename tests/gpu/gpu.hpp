// The common part of cases and benchmark: their names, the GPU as a user's program sees it (it uses
// nothing of src/device), and comparisons of a DeviceLoader's batches, bit by bit, with those of a
// Loader.
//
//   GPU_CASE(streams_of_a_program) { check(…, "what a user sees"); }
//
// A case returns if it passes; otherwise it throws Failure, Skip, or any other exception, which
// counts as a failure. Cases run on the main thread, in the order of the sources in CMakeLists.txt:
// what decides comes first. Ownership: owners of streams and memory return them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hotpack/dataset.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/loader.hpp"
#include "support/loader_pack.hpp"

namespace hotpack::gpu {

// ---- Cases

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown if this machine lacks what the case needs.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Case {
  std::string name;
  void (*run)();
};

inline std::vector<Case>& all_cases() {
  static std::vector<Case> cases;
  return cases;
}

struct Registered {
  Registered(const char* name, void (*run)()) { all_cases().push_back({name, run}); }
};

inline void check(bool good, const std::string& what) {
  if (!good) throw Failure("check failed: " + what);
}

inline void require(const Status& status) {
  if (!status.ok()) throw Failure(status.error().describe());
}

template <class T>
T require(Result<T> result) {
  if (!result.ok()) throw Failure(result.error().describe());
  return std::move(result).value();
}

// ---- The machine

using Stream = CUstream_st*;
using Handle = void*;  // contexts, graphs, modules, functions

inline constexpr unsigned kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
// NOLINTBEGIN(performance-no-int-to-ptr)
inline const Stream kLegacy = reinterpret_cast<Stream>(std::uintptr_t{1});
inline const Stream kPerThread = reinterpret_cast<Stream>(std::uintptr_t{2});
// NOLINTEND(performance-no-int-to-ptr)

// CALL(name, version, parameters): functions of the driver that a program calls.
#define HOTPACK_PROGRAM_CALLS(CALL)                                                            \
  CALL(DevicePrimaryCtxRetain, 7000, (Handle * context, int device))                           \
  CALL(DevicePrimaryCtxRelease, 11000, (int device))                                           \
  CALL(CtxPushCurrent, 4000, (Handle context))                                                 \
  CALL(CtxPopCurrent, 4000, (Handle * context))                                                \
  CALL(MemGetInfo, 3020, (std::size_t * free, std::size_t * total))                            \
  CALL(MemAlloc, 3020, (void** memory, std::size_t bytes))                                     \
  CALL(MemFree, 3020, (void* memory))                                                          \
  CALL(MemcpyDtoHAsync, 3020, (void* to, const void* from, std::size_t, Stream stream))        \
  CALL(MemcpyDtoDAsync, 3020, (void* to, const void* from, std::size_t, Stream stream))        \
  CALL(MemsetD8Async, 3020, (void* to, unsigned char value, std::size_t, Stream))              \
  CALL(StreamCreate, 2000, (Stream * stream, unsigned flags))                                  \
  CALL(StreamDestroy, 4000, (Stream stream))                                                   \
  CALL(StreamSynchronize, 2000, (Stream stream))                                               \
  CALL(LaunchHostFunc, 10000, (Stream stream, void (*function)(void*), void* data))            \
  CALL(StreamBeginCapture, 10010, (Stream stream, int mode))                                   \
  CALL(StreamEndCapture, 10000, (Stream stream, Handle * graph))                               \
  CALL(GraphDestroy, 10000, (Handle graph))                                                    \
  CALL(ModuleLoadData, 2000, (Handle * module, const void* image))                             \
  CALL(ModuleGetFunction, 2000, (Handle * function, Handle module, const char* name))          \
  CALL(LaunchKernel, 4000,                                                                     \
       (Handle function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
        Stream stream, void** parameters, void** extra))

struct Calls {
#define HOTPACK_PROGRAM_MEMBER(name, version, parameters) int(*name) parameters = nullptr;
  HOTPACK_PROGRAM_CALLS(HOTPACK_PROGRAM_MEMBER)
#undef HOTPACK_PROGRAM_MEMBER
};
[[nodiscard]] const Calls& calls();  // null: this driver lacks the function

template <class Function, class... Arguments>
void call(const char* name, Function* function, const Arguments&... arguments) {
  if (function == nullptr) throw Skip(std::string("this driver has no ") + name);
  if (const int code = function(arguments...); code != 0)
    throw Failure(std::string(name) + " failed with code " + std::to_string(code));
}
#define CU(name, ...) \
  ::hotpack::gpu::call("cu" #name, ::hotpack::gpu::calls().name __VA_OPT__(, ) __VA_ARGS__)

// Returns why no case can run here. Empty if there is a real device, or if a stand-in was asked for
// with HOTPACK_GPU_CHECK_FAKE=1.
[[nodiscard]] std::optional<std::string> no_device();
[[nodiscard]] bool stand_in();  // the device is no GPU

// Memory of the current device.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : size_(bytes) {
    if (bytes != 0) CU(MemAlloc, &data_, bytes);
  }
  ~Memory() { calls().MemFree(data_); }
  Memory(Memory&& other) noexcept
      : size_(other.size_), data_(std::exchange(other.data_, nullptr)) {}
  Memory& operator=(Memory&&) = delete;
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  void* data_ = nullptr;
};

// A device. Its context is current for the calling thread, whose capture mode is the default one.
class Machine {
 public:
  explicit Machine(int ordinal = 0);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  [[nodiscard]] Handle context() const { return context_; }
  struct Bytes {
    std::size_t free = 0, total = 0;
  };
  [[nodiscard]] static Bytes bytes();
  // Returns the bytes after the stream has finished its work.
  [[nodiscard]] std::vector<std::byte> download(const void* memory, std::size_t bytes,
                                                Stream stream) const;
  // Queues copies within the device that keep a stream busy for about so long, at most some 10 ms.
  void keep_busy(Stream stream, double milliseconds);

 private:
  int ordinal_;
  Handle context_ = nullptr;
  std::optional<Memory> scratch_;
};

// A stream of the program.
class UserStream {
 public:
  explicit UserStream(bool blocking = false) {
    CU(StreamCreate, &handle_, blocking ? 0U : kNonBlocking);
  }
  ~UserStream() {
    calls().StreamSynchronize(handle_);
    calls().StreamDestroy(handle_);
  }
  UserStream(const UserStream&) = delete;
  UserStream& operator=(const UserStream&) = delete;
  operator Stream() const { return handle_; }

 private:
  Stream handle_ = nullptr;
};

// Holds a stream, with a function on the host, until let_go() or until `at_most` is over.
class Hold {
 public:
  Hold(Stream stream, std::chrono::milliseconds at_most);
  ~Hold() { let_go(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  [[nodiscard]] bool over() const;  // true if the stream has gone on
  void let_go();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the function
};

// ---- Comparison

inline constexpr Residency kPlaces[] = {Residency::page, Residency::device};
// A batch that has not arrived by then never will.
inline constexpr std::chrono::seconds kLongest{30};

// Bytes of a batch, copied within the device, to compare later.
struct Copy {
  DeviceBatchInfo info;
  Memory image;
  Memory label;
};
[[nodiscard]] Copy copy_on(Stream stream, const DeviceBatchInfo& batch);

// Compares data and description of a batch. Waits for the stream.
void check_same(const Machine& machine, const DeviceBatchInfo& found, const Batch& expected,
                Stream stream, const std::string& what);

// Each continues in the next epoch if one has ended.
[[nodiscard]] DeviceBatch next_batch(DeviceLoader& loader, Stream stream);
[[nodiscard]] Batch next_batch(Loader& loader);

// Memory of the program for next_into().
struct Buffers {
  explicit Buffers(const DeviceLoader& loader)
      : image(loader.image_batch_bytes()), label(loader.label_batch_bytes()) {}
  [[nodiscard]] DeviceBuffers all() const {
    return {image.data(), image.size(), label.data(), label.size()};
  }
  Memory image;
  Memory label;
};

// The data set and the options of most cases: batches of four, images and labels f16, one thread.
struct Training {
  explicit Training(std::size_t records = 40, Extent size = {64, 48});
  [[nodiscard]] static DeviceLoaderOptions options(Residency residency = Residency::page);
  [[nodiscard]] DeviceLoader open(Residency residency = Residency::page) const;
  [[nodiscard]] Loader open_host() const;

  Machine machine;
  const UserStream stream;
  const test::TinyPack pack;
  const Dataset dataset;
};

// Compares `steps` batches, and the end of each epoch on the way: every second pair of batches by
// next(), the others by next_into(). In the middle, the host's loader takes the device's state and
// the device's loader the host's. If the host's loader refuses the options, the device's must.
void compare_with_host(const Machine& machine, const Dataset& dataset,
                       const DeviceLoaderOptions& options, const std::string& what, Stream stream,
                       unsigned steps);

// ---- Benchmark

struct BenchArguments {
  std::string json;      // a file for the report; empty: none
  double seconds = 0.7;  // of each row
  std::uint64_t batch = 32;
  std::size_t records = 1024;
  test::TinyForm pack = {.storage = LabelStorage::index, .classes = 12, .size = Extent{512, 512}};
};

// Writes the pack of these arguments into an existing folder.
inline void write_bench_pack(const std::string& folder, const BenchArguments& arguments) {
  test::write_large_pack(folder, arguments.pack, arguments.records, 32);
}

// Prints each row, and writes the report after each. Figures below their targets are no failure.
void run_bench(const BenchArguments& arguments);

}  // namespace hotpack::gpu

#define GPU_CASE(name)                                                                  \
  static void gpu_case_##name();                                                        \
  static const hotpack::gpu::Registered gpu_registered_##name(#name, &gpu_case_##name); \
  static void gpu_case_##name()
