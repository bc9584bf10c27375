// The GPU of this machine as a program of the user's sees it: streams and memory of its own, copies
// back to the host.
//
// Ownership: a Machine is one device; streams and memory are given back by their owners.
// Thread-safety: none. Failure: exceptions of registry.hpp; Skip where there is no real device.
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

// Why nothing can be run here; nothing where a real device is (or the self-test of
// scripts/gpu-check asks for a stand-in).
[[nodiscard]] std::optional<std::string> no_device();
[[nodiscard]] bool stand_in();  // the device is no GPU

// Makes a context current for a scope, as a program does. Unlike device::CurrentContext it leaves
// the thread's capture mode as it is: global, in which calls of hotpack that are not to disturb a
// capture must do without help of the case.
class MadeCurrent {
 public:
  explicit MadeCurrent(std::shared_ptr<const device::Context> context);
  ~MadeCurrent();
  MadeCurrent(const MadeCurrent&) = delete;
  MadeCurrent& operator=(const MadeCurrent&) = delete;

 private:
  const std::shared_ptr<const device::Context> context_;
};

// A device with its context current for the calling thread.
class Machine {
 public:
  explicit Machine(int ordinal = 0);
  [[nodiscard]] int ordinal() const { return context_->ordinal(); }
  [[nodiscard]] const std::shared_ptr<const device::Context>& context() const { return context_; }
  [[nodiscard]] const device::DriverTable& api() const { return context_->api(); }
  // While they are held, loaders share them: cases that open hundreds would else load and unload
  // them as often.
  [[nodiscard]] std::shared_ptr<const device::KernelModules> kernels() const;
  void ok(const char* call, int code) const { require(context_->driver().check(call, code)); }

  [[nodiscard]] std::uint64_t free_bytes() const;
  void synchronize(StreamHandle stream) const;
  // The bytes once the stream has finished its work.
  [[nodiscard]] std::vector<std::byte> download(const void* memory, std::size_t bytes,
                                                StreamHandle stream) const;
  [[nodiscard]] std::vector<std::byte> download(const DeviceField& field,
                                                StreamHandle stream) const;
  [[nodiscard]] device::DeviceMemory memory(std::uint64_t bytes) const;
  [[nodiscard]] device::DeviceMemory upload(const std::vector<std::byte>& bytes) const;

  // Work that keeps a stream busy for about so long: copies within the device. A stream takes about
  // 1,000 of these before the caller has to wait, so this is for some 10 ms.
  void keep_busy(StreamHandle stream, double milliseconds);

 private:
  const std::shared_ptr<const device::Context> context_;
  const MadeCurrent current_;
  device::DeviceMemory scratch_;
};

// The stream comes no further until it is let go, or `at_most` is over: a function on the host.
// Nothing where the driver has none, as a stand-in has not.
class Hold {
 public:
  Hold(const Machine& machine, StreamHandle stream, std::chrono::milliseconds at_most);
  ~Hold() { let_go(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  [[nodiscard]] bool over() const;  // the stream has gone on; never of a stand-in
  void let_go();

 private:
  struct State;
  static void wait(void* state);
  std::shared_ptr<State> state_;  // the function's too
};

// A stream of the program's.
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
