// What the driver hands out, each with an owner that gives it back: contexts, streams, events, memory.
//
// Ownership: moved, not copied; each keeps its Context. Destructors make the context current for as long as they need it, never report, and
// never wait: see the notes of each. Thread-safety: a handle belongs to one thread at a time, a Context to any number.
// Failure: as Driver::check, `io`; memory errors name bytes, device and what is free.
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
  // Code `usage` for an ordinal that does not exist, with those that do.
  [[nodiscard]] static Result<std::shared_ptr<const Context>> retain(std::shared_ptr<const Driver> driver, int ordinal);
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
  Context(std::shared_ptr<const Driver> driver, int ordinal) : driver_(std::move(driver)), ordinal_(ordinal) {}
  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  Ordinal device_ = 0;
  ContextHandle handle_ = nullptr;
  int multiprocessors_ = 1;
};

// Makes a context current for a scope; afterwards the thread's own one is again, whatever it was. While it lives the thread may query
// events and take memory although another stream of the program is being captured into a graph: nothing of hotpack touches such a stream.
//   const CurrentContext current(*context);
//   HOTPACK_TRY(current.status());
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
  int capture_mode_ = kCaptureModeRelaxed;  // then the thread's own
};

// Gives something back to the driver: `call` does, with the context current. Where a capture of the program is in the way, or this thread
// is not to wait for what the driver may wait for (FreesLate), late_free.hpp does it. Nothing where the driver has been torn down, and what
// it handed out with it.
void give_back(std::shared_ptr<const Context> context, std::function<int()> call) noexcept;

// A stream of the loader's own; does not wait for the legacy stream. Precondition of the destructor: nothing is on it, or the context has
// failed.
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

// An event without time-stamps. The functions need the context current, but for query(). One that was never recorded is complete.
class Event {
 public:
  Event() = default;
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  // With kEventBlockingSync a host thread that waits for it sleeps; else it spins.
  [[nodiscard]] static Result<Event> create(std::shared_ptr<const Context> context, unsigned more_flags = 0);
  [[nodiscard]] EventHandle handle() const { return handle_; }
  [[nodiscard]] Status record(StreamHandle stream) const;
  [[nodiscard]] Status make_wait(StreamHandle stream) const;  // what `stream` is given from now on waits for what was recorded
  [[nodiscard]] Result<bool> query() const;                   // whether it is over; an error of the context comes out here
 private:
  std::shared_ptr<const Context> context_;
  EventHandle handle_ = nullptr;
};

// Records, once more where that fails: memory that work in flight uses must not be taken for free. The first error, if any.
[[nodiscard]] Status record_surely(const Event& event, StreamHandle stream);

// Memory of a device, aligned to 256 bytes. Precondition of the destructor: no work in flight uses it (late_free.hpp), or the context has
// failed.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  [[nodiscard]] static Result<DeviceMemory> take(std::shared_ptr<const Context> context, std::uint64_t bytes);  // 0 bytes: empty
  [[nodiscard]] Pointer address() const { return address_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::shared_ptr<const Context> context_;
  Pointer address_ = 0;
  std::uint64_t size_ = 0;
};

// Pinned host memory that every device can copy from. Precondition of the destructor as DeviceMemory's.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  [[nodiscard]] static Result<PinnedMemory> take(std::shared_ptr<const Context> context, std::uint64_t bytes);  // 0 bytes: empty
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::shared_ptr<const Context> context_;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// Slots in pinned memory.
[[nodiscard]] std::shared_ptr<SlotAllocator> pinned_allocator(std::shared_ptr<const Context> context);

}  // namespace hotpack::device
