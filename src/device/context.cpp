#include "device/context.hpp"

#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::device {
namespace {

class PinnedAllocator final : public SlotAllocator {
 public:
  explicit PinnedAllocator(std::shared_ptr<const Context> context) : context_(std::move(context)) {}

  Result<std::byte*> allocate(std::size_t bytes) override {
    const CurrentContext current(*context_);
    HOTPACK_TRY(current.status());
    void* memory = nullptr;
    Status taken =
        HOTPACK_DRIVER(context_->driver(), MemHostAlloc, &memory, bytes, kHostAllocPortable);
    if (taken.ok()) return static_cast<std::byte*>(memory);
    Error error = std::move(taken).error();
    error.message = "cannot take " + std::to_string(bytes) +
                    " bytes of pinned memory: " + error.message +
                    "; use smaller batches or a smaller prefetch_batches";
    return error;
  }

  void release(std::byte* memory, std::size_t /*bytes*/) noexcept override {
    const CurrentContext current(*context_);
    if (current.ok()) static_cast<void>(context_->api().MemFreeHost(memory));
  }

 private:
  std::shared_ptr<const Context> context_;
};

}  // namespace

Context::Context(std::shared_ptr<const Driver> driver, int ordinal)
    : driver_(std::move(driver)), ordinal_(ordinal), process_(::getpid()) {}

Result<std::shared_ptr<const Context>> Context::retain(std::shared_ptr<const Driver> driver,
                                                       int ordinal) {
  const int devices = driver->devices();
  if (ordinal < 0 || ordinal >= devices) {
    Error error = usage_error("there is no device " + std::to_string(ordinal) +
                              "; this process has devices 0 … " + std::to_string(devices - 1) +
                              " (CUDA_VISIBLE_DEVICES decides which)");
    error.option = "device";
    return error;
  }
  const std::shared_ptr<Context> context(new Context(std::move(driver), ordinal));
  const Driver& own = context->driver();
  HOTPACK_TRY(HOTPACK_DRIVER(own, DeviceGet, &context->device_, ordinal));
  HOTPACK_TRY(HOTPACK_DRIVER(own, DeviceGetAttribute, &context->has_pools_, kAttributeMemoryPools,
                             context->device_));
  HOTPACK_TRY(HOTPACK_DRIVER(own, DevicePrimaryCtxRetain, &context->handle_, context->device_));
  return std::shared_ptr<const Context>(context);
}

Context::~Context() {
  if (handle_ != nullptr && !forked()) static_cast<void>(api().DevicePrimaryCtxRelease(device_));
}

bool Context::forked() const { return ::getpid() != process_; }

Status Context::check_process() const {
  if (!forked()) return {};
  return usage_error("this loader was opened before a fork; open a loader in the child");
}

Result<std::pair<std::uint64_t, std::uint64_t>> Context::memory() const {
  const CurrentContext current(*this);
  HOTPACK_TRY(current.status());
  std::size_t free = 0, all = 0;
  HOTPACK_TRY(HOTPACK_DRIVER(driver(), MemGetInfo, &free, &all));
  return std::pair<std::uint64_t, std::uint64_t>{free, all};
}

Error Context::memory_error(std::uint64_t bytes, Error error) const {
  const auto own = memory();
  error.message = "device " + std::to_string(ordinal_) + " cannot give " + std::to_string(bytes) +
                  " bytes of memory: " + error.message;
  if (own.ok())
    error.message += "; " + std::to_string(own->first) + " of its " + std::to_string(own->second) +
                     " bytes are free";
  return error;
}

CurrentContext::CurrentContext(const Context& context)
    : context_(context),
      code_(context.forked() ? code::kNotInitialized
                             : context.api().CtxPushCurrent(context.handle())) {
  if (ok()) static_cast<void>(context_.api().ThreadExchangeStreamCaptureMode(&capture_mode_));
}

CurrentContext::~CurrentContext() {
  if (!ok()) return;
  static_cast<void>(context_.api().ThreadExchangeStreamCaptureMode(&capture_mode_));
  ContextHandle popped = nullptr;
  static_cast<void>(context_.api().CtxPopCurrent(&popped));
}

Status CurrentContext::status() const {
  HOTPACK_TRY(context_.check_process());
  return context_.driver().check("cuCtxPushCurrent", code_);
}

bool is_captured(const Context& context, StreamHandle stream) {
  int capture = kCaptureNone;
  const int known = context.api().StreamIsCapturing(stream, &capture);
  return known == code::kStreamCaptureImplicit ||
         (known == code::kSuccess && capture != kCaptureNone);
}

Status check_stream(const Context& context, StreamHandle stream) {
  const auto refuse = [&context](const char* why) {
    return usage_error("the stream (for device " + std::to_string(context.ordinal()) + ") " + why);
  };
  int capture = kCaptureNone;
  const int known = context.api().StreamIsCapturing(stream, &capture);
  if (known == code::kStreamCaptureImplicit)
    return refuse(
        "waits for a stream that is being captured into a CUDA graph; pass a stream made with "
        "cudaStreamNonBlocking, or end the capture first");
  if (known == code::kSuccess && capture != kCaptureNone)
    return refuse(
        "is being captured into a CUDA graph, but each step of a loader is different work; call "
        "next_into() on fixed buffers before each launch of the graph");
  ContextHandle owner = nullptr;  // for special streams, the driver gives the current context
  if (known == code::kInvalidHandle || known == code::kInvalidContext)
    return refuse("does not exist in this process, or was destroyed; pass an existing stream");
  HOTPACK_TRY(context.driver().check("cuStreamIsCapturing", known));
  HOTPACK_TRY(HOTPACK_DRIVER(context.driver(), StreamGetCtx, stream, &owner));
  if (owner == context.handle()) return {};
  return refuse(
      "was made in another context; make it in the primary context of that device, which the CUDA "
      "runtime uses");
}

Status check_memory(const Context& context, const std::string& which, const void* memory) {
  int type = 0, ordinal = -1;
  unsigned managed = 0;
  std::array<int, 3> attributes{kPointerMemoryType, kPointerManaged, kPointerOrdinal};
  std::array<void*, 3> values{&type, &managed, &ordinal};
  HOTPACK_TRY(HOTPACK_DRIVER(context.driver(), PointerGetAttributes, 3, attributes.data(),
                             values.data(), reinterpret_cast<std::uintptr_t>(memory)));
  if (managed != 0 || (type == kMemoryDevice && ordinal == context.ordinal())) return {};
  return usage_error(which + " is in " +
                     (type == kMemoryDevice ? "memory of device " + std::to_string(ordinal)
                                            : std::string("host memory")) +
                     "; pass memory of device " + std::to_string(context.ordinal()) +
                     ", or managed memory");
}

std::shared_ptr<SlotAllocator> pinned_allocator(std::shared_ptr<const Context> context) {
  return std::make_shared<PinnedAllocator>(std::move(context));
}

}  // namespace hotpack::device
