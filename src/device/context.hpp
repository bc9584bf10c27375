// The primary context of a device, and checks of the streams and of the memory that a program
// passes.
//
// Thread-safe. Failure: `usage` for a device, stream or buffer that cannot be used, and in a
// process that was forked; otherwise as Driver::check, `io`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "device/driver.hpp"
#include "hotpack/result.hpp"
#include "hotpack/slot_memory.hpp"

namespace hotpack::device {

// The primary context, which programs that use CUDA's runtime share.
class Context {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const Context>> retain(
      std::shared_ptr<const Driver> driver, int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Driver& driver() const { return *driver_; }
  [[nodiscard]] const DriverTable& api() const { return driver_->api(); }
  [[nodiscard]] ContextHandle handle() const { return handle_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] bool has_pools() const { return has_pools_ != 0; }
  [[nodiscard]] bool forked() const;           // true in a child of the process that retained it
  [[nodiscard]] Status check_process() const;  // refuses calls in such a child
  // Free and all memory of the device, in bytes.
  [[nodiscard]] Result<std::pair<std::uint64_t, std::uint64_t>> memory() const;
  // Adds to the error of an allocation how much was wanted and how much is free.
  [[nodiscard]] Error memory_error(std::uint64_t bytes, Error error) const;

 private:
  Context(std::shared_ptr<const Driver> driver, int ordinal);
  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  int process_;
  int has_pools_ = 0;
  Ordinal device_ = 0;
  ContextHandle handle_ = nullptr;
};

// Makes a context current on this thread while the object exists. Meanwhile the thread may allocate
// memory although a stream of the program is captured: hotpack never uses such a stream.
class CurrentContext {
 public:
  explicit CurrentContext(const Context& context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  [[nodiscard]] Status status() const;
  [[nodiscard]] bool ok() const { return code_ == code::kSuccess; }

 private:
  const Context& context_;
  int code_;
  int capture_mode_ = kCaptureModeRelaxed;  // the constructor stores the thread's own mode here
};

// The context must be current for the next three functions. Refuses a stream that is being
// captured, is not of the context, or does not exist.
[[nodiscard]] Status check_stream(const Context& context, StreamHandle stream);
[[nodiscard]] bool is_captured(const Context& context, StreamHandle stream);
// Refuses host memory and memory of another device. `which` names the buffer.
[[nodiscard]] Status check_memory(const Context& context, const std::string& which,
                                  const void* memory);

// Allocates slots in pinned memory, from which every device can copy.
[[nodiscard]] std::shared_ptr<SlotAllocator> pinned_allocator(
    std::shared_ptr<const Context> context);

}  // namespace hotpack::device
