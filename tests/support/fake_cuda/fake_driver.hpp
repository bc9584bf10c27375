// A CUDA driver without a device: memory is guarded host memory, streams are queues, kernels are
// their bodies run on the host.
//
// Work runs as late as is legal (only when somebody waits for it), or in a random legal order
// that a seed determines. So a missing wait, or memory that is released or overwritten too early,
// shows in every run: as wrong bytes, as a memory fault, or in violations(). Any call can be made
// to fail. Streams, events, contexts and memory follow CUDA's rules: the legacy stream and
// blocking streams wait for each other, a wait covers the work recorded by then, and memory of a
// pool is for work between its allocation and its free.
// Ownership: owns every object until it is released; there is one FakeDriver per process at a
// time, because the table's functions have no other way to find it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/driver.hpp"
#include "device/driver_api.hpp"

namespace hotpack::test {

struct FakeState;

enum class Schedule {
  late,    // an operation runs when the host waits for it, and then only with those that it needs
  random,  // every call may run operations that are due, chosen by the seed
  eager,   // an operation runs when it is queued, in order: for whole programs
};

struct FakeOptions {
  int devices = 1;
  Schedule schedule = Schedule::late;
  std::uint64_t seed = 0;
  std::uint64_t device_bytes = std::uint64_t{256} << 20;  // memory of each device
  std::uint64_t pinned_bytes = std::uint64_t{256} << 20;  // most of pinned memory
  int version = 13000;
  bool fences = true;  // protected pages around every block, and poison; false: for whole programs
  bool pools = true;   // false: devices without memory pools
};

class FakeDriver {
 public:
  explicit FakeDriver(FakeOptions options = {});
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  [[nodiscard]] const device::DriverTable& table() const;
  // Driver::make of the table; throws std::logic_error with its text.
  [[nodiscard]] std::shared_ptr<const device::Driver> driver() const;
  [[nodiscard]] static std::span<const std::byte> kernels();  // for ModuleLoadData

  // Streams of the program, which live as long as the FakeDriver. Blocking ones and the legacy
  // stream wait for each other.
  [[nodiscard]] device::StreamHandle stream(int device = 0, bool blocking = false);
  // Queues the program's work on any stream, including kLegacyStream (with null) and
  // kPerThreadStream of the current context (device 0 without one). It may use memory and call
  // bytes(), but not the driver.
  void enqueue(device::StreamHandle stream, std::function<void()> work);
  // Work queued on the stream from now on does not run before unblock(). If the host waits for
  // it, it waits up to 20 s for another thread to unblock it or to break the context; then
  // synchronize() throws, and calls of the table note a violation and return CUDA_ERROR_UNKNOWN.
  void block(device::StreamHandle stream);
  void unblock(device::StreamHandle stream);
  void run_all();                                 // everything that no block delays
  void synchronize(device::StreamHandle stream);  // waits as a program does
  // The current bytes. Empty, and a violation, if they are not all in one block of memory.
  [[nodiscard]] std::vector<std::byte> bytes(device::Pointer memory, std::size_t size) const;

  // Makes this block managed memory, which every device may use.
  void set_managed(device::Pointer memory);
  void set_capturing(device::StreamHandle stream, bool capturing);

  // Makes call number `occurrence` (0: the next one) of cu<name> return `code` and do nothing.
  // The name is without "cu".
  void fail(const std::string& name, std::uint64_t occurrence, int code);
  // Makes every call that needs the device's context return `code`; work on its streams never
  // runs. Calls that release something return `code` too, but held() no longer counts the
  // released object.
  void break_context(int device, int code);
  // Ends the driver as at the end of its process: calls return CUDA_ERROR_DEINITIALIZED and do
  // nothing, work in flight never runs, and touching pinned memory faults. Returns how many
  // pinned blocks were left.
  std::size_t tear_down();
  [[nodiscard]] std::uint64_t calls(const std::string& name) const;  // so far
  // Copies to or from memory that is not pinned: legal, but the driver copies twice or waits.
  [[nodiscard]] std::uint64_t pageable_copies() const;
  // Waits of the host for an event that was not created for sleeping waits: legal, but the thread
  // spins.
  [[nodiscard]] std::uint64_t spinning_waits() const;

  struct Held {
    std::size_t device_blocks = 0;  // of pools too, until MemFreeAsync
    std::uint64_t device_bytes = 0;
    std::size_t pinned_blocks = 0;
    std::uint64_t pinned_bytes = 0;
    std::size_t pools = 0;
    std::size_t streams = 0;  // not those of stream()
    std::size_t events = 0;
    std::size_t modules = 0;
    int retained = 0;  // of primary contexts
    bool operator==(const Held&) const = default;
  };
  [[nodiscard]] Held held() const;
  // Errors that a real driver would punish some day, one per line: invalid handles, a context
  // that is not current, ranges outside an allocation, memory freed or a module unloaded while
  // work in flight uses it, unordered work on the same bytes, work on a stream that is being
  // captured, and a context that a thread pushed and never popped, or that was released with
  // objects in it.
  [[nodiscard]] std::vector<std::string> violations() const;

 private:
  std::unique_ptr<FakeState> state_;
};

}  // namespace hotpack::test
