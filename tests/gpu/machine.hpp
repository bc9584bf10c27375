// The GPU of this machine as a user's program sees it: own streams and memory, and copies back to
// the host.
//
// Ownership: a Machine is one device; owners of streams and memory return them. Not thread-safe.
// Failure: exceptions of registry.hpp; Skip if there is no real device.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/handles.hpp"
#include "device/kernel_modules.hpp"
#include "gpu/registry.hpp"
#include "hotpack/device_loader.hpp"

namespace hotpack::gpu {

using device::StreamHandle;

// Returns why no case can run here. Empty if there is a real device, or if a stand-in was asked for
// (by the self-test of scripts/gpu-check).
[[nodiscard]] std::optional<std::string> no_device();
[[nodiscard]] bool stand_in();  // the device is no GPU

// Makes a context current for a scope, as a program does. Unlike device::CurrentContext, it leaves
// the thread's capture mode unchanged: global. In this mode, calls of hotpack must not disturb a
// capture, without help from the case.
class MadeCurrent {
 public:
  explicit MadeCurrent(std::shared_ptr<const device::Context> context);
  ~MadeCurrent();
  MadeCurrent(const MadeCurrent&) = delete;
  MadeCurrent& operator=(const MadeCurrent&) = delete;

 private:
  const std::shared_ptr<const device::Context> context_;
};

// A device. Its context is current for the calling thread.
class Machine {
 public:
  explicit Machine(int ordinal = 0);
  [[nodiscard]] int ordinal() const { return context_->ordinal(); }
  [[nodiscard]] const std::shared_ptr<const device::Context>& context() const { return context_; }
  [[nodiscard]] const device::DriverTable& api() const { return context_->api(); }
  // Returns the kernels. While they are held, loaders share them. Otherwise cases that open
  // hundreds of loaders would load and unload them each time.
  [[nodiscard]] std::shared_ptr<const device::KernelModules> kernels() const;
  void ok(const char* call, int code) const { require(context_->driver().check(call, code)); }

  [[nodiscard]] std::uint64_t free_bytes() const;
  void synchronize(StreamHandle stream) const;
  // Returns the bytes after the stream has finished its work.
  [[nodiscard]] std::vector<std::byte> download(const void* memory, std::size_t bytes,
                                                StreamHandle stream) const;
  [[nodiscard]] std::vector<std::byte> download(const DeviceField& field,
                                                StreamHandle stream) const;
  [[nodiscard]] device::DeviceMemory memory(std::uint64_t bytes) const;
  [[nodiscard]] device::DeviceMemory upload(const std::vector<std::byte>& bytes) const;

  // Queues copies within the device that keep a stream busy for about so long. A stream takes about
  // 1,000 of these before the caller has to wait, so this is for some 10 ms.
  void keep_busy(StreamHandle stream, double milliseconds);

 private:
  const std::shared_ptr<const device::Context> context_;
  const MadeCurrent current_;
  device::DeviceMemory scratch_;
};

// Holds a stream, with a function on the host, until let_go() or until `at_most` is over. Has no
// effect if the driver cannot do that, as with a stand-in.
class Hold {
 public:
  Hold(const Machine& machine, StreamHandle stream, std::chrono::milliseconds at_most);
  ~Hold() { let_go(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  [[nodiscard]] bool over() const;  // true if the stream has gone on; never true for a stand-in
  void let_go();

 private:
  struct State;
  static void wait(void* state);
  std::shared_ptr<State> state_;  // shared with the function
};

// A stream of the program.
class UserStream {
 public:
  UserStream(const Machine& machine, bool blocking);
  ~UserStream();
  UserStream(const UserStream&) = delete;
  UserStream& operator=(const UserStream&) = delete;
  [[nodiscard]] StreamHandle handle() const { return handle_; }

 private:
  const Machine& machine_;
  StreamHandle handle_ = nullptr;
};

[[nodiscard]] inline void* pointer(device::Pointer memory) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory));
}
[[nodiscard]] inline device::Pointer address(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

}  // namespace hotpack::gpu
