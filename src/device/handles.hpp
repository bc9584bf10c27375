// Owners of the driver's objects: contexts, streams, events and memory. Their destructors release
// the objects.
//
// Ownership: moved, not copied; each object keeps its Context. Destructors make the context current
// while they need it. They never report an error and never wait; see the notes of each class.
// Thread-safety: one thread at a time per handle; any number of threads per Context. Failure: as
// Driver::check, `io`; errors of memory name the bytes, the device and the free memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "device/driver.hpp"
#include "hotpack/result.hpp"
#include "hotpack/slot_memory.hpp"

namespace hotpack::device {

// The primary context of a device, which programs that use CUDA's runtime share.
class Context {
 public:
  // Fails with code `usage` if the ordinal does not exist; the text names the existing ones.
  [[nodiscard]] static Result<std::shared_ptr<const Context>> retain(
      std::shared_ptr<const Driver> driver, int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Driver& driver() const { return *driver_; }
  [[nodiscard]] const DriverTable& api() const { return driver_->api(); }
  [[nodiscard]] ContextHandle handle() const { return handle_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  struct Memory {
    std::uint64_t free = 0;
    std::uint64_t total = 0;
  };
  [[nodiscard]] Result<Memory> memory() const;

 private:
  Context(std::shared_ptr<const Driver> driver, int ordinal)
      : driver_(std::move(driver)), ordinal_(ordinal) {}
  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  Ordinal device_ = 0;
  ContextHandle handle_ = nullptr;
  int multiprocessors_ = 1;
};

// Makes a context current on this thread while the object exists; the destructor restores the
// thread's previous context. Meanwhile the thread may query events and allocate memory even if
// another stream of the program is being captured into a graph. This is safe because hotpack never
// uses a stream under capture.
//     const CurrentContext current(*context);
//     HOTPACK_TRY(current.status());
class CurrentContext {
 public:
  explicit CurrentContext(const Context& context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  [[nodiscard]] Status status() const;
  [[nodiscard]] int code() const { return code_; }

 private:
  const Context& context_;
  int code_;
  int capture_mode_ = kCaptureModeRelaxed;  // the constructor stores the thread's own mode here
};

// Releases an object of the driver by calling `call` with the context current. In two cases the
// reaper (late_free.hpp) releases it later: if a capture of the program prevents the release now,
// and if the driver may wait but this thread must not (FreesLate). Does nothing if the driver has
// been shut down, because its objects are then gone.
void give_back(std::shared_ptr<const Context> context, std::function<int()> call) noexcept;

// A stream of the loader. It does not wait for the legacy stream. Precondition of the destructor:
// the stream is idle, or the context has failed.
class Stream {
 public:
  Stream() = default;
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  [[nodiscard]] static Result<Stream> create(std::shared_ptr<const Context> context);
  [[nodiscard]] StreamHandle handle() const { return handle_; }
  [[nodiscard]] Status synchronize() const;

 private:
  std::shared_ptr<const Context> context_;
  StreamHandle handle_ = nullptr;
};

// An event without time stamps. For all functions except query(), the context must be current. An
// event that was never recorded counts as complete.
class Event {
 public:
  Event() = default;
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  // Makes an event. With kEventBlockingSync in `more_flags`, a host thread that waits for the event
  // sleeps; without it, the thread waits in a busy loop.
  [[nodiscard]] static Result<Event> create(std::shared_ptr<const Context> context,
                                            unsigned more_flags = 0);
  [[nodiscard]] EventHandle handle() const { return handle_; }
  [[nodiscard]] Status record(StreamHandle stream) const;
  // makes later work on `stream` wait for the recorded work
  [[nodiscard]] Status make_wait(StreamHandle stream) const;
  // returns true if the event is complete; fails if the context has failed
  [[nodiscard]] Result<bool> query() const;

 private:
  std::shared_ptr<const Context> context_;
  EventHandle handle_ = nullptr;
};

// Records the event on the stream. If that fails, tries once more, because without the event,
// memory that work in flight uses would count as free. Returns the first error.
[[nodiscard]] Status record_surely(const Event& event, StreamHandle stream);

// Memory of a device, aligned to 256 bytes. Precondition of the destructor: no work in flight uses
// the memory, or the context has failed. If work may use it, call free_late() instead.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  [[nodiscard]] static Result<DeviceMemory> take(std::shared_ptr<const Context> context,
                                                 std::uint64_t bytes);  // 0 bytes: empty
  [[nodiscard]] Pointer address() const { return address_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::shared_ptr<const Context> context_;
  Pointer address_ = 0;
  std::uint64_t size_ = 0;
};

// Pinned host memory from which every device can copy. Precondition of the destructor: no work in
// flight uses the memory, or the context has failed.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  [[nodiscard]] static Result<PinnedMemory> take(std::shared_ptr<const Context> context,
                                                 std::uint64_t bytes);  // 0 bytes: empty
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::shared_ptr<const Context> context_;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// Allocates slots in pinned memory.
[[nodiscard]] std::shared_ptr<SlotAllocator> pinned_allocator(
    std::shared_ptr<const Context> context);

}  // namespace hotpack::device
