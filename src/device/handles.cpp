#include "device/handles.hpp"

#include <chrono>
#include <new>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/late_free.hpp"

namespace hotpack::device {
namespace {

// An object of the driver that the reaper, the thread of late_free.hpp, releases.
class Owed {
 public:
  Owed(std::shared_ptr<const Context> context, std::function<int()> call)
      : context_(std::move(context)), call_(std::move(call)) {}
  ~Owed() { give_back(std::move(context_), std::move(call_)); }
  Owed(const Owed&) = delete;
  Owed& operator=(const Owed&) = delete;

 private:
  std::shared_ptr<const Context> context_;
  std::function<int()> call_;
};

// Returns null if the host lacks memory.
std::shared_ptr<Owed> owe(const std::shared_ptr<const Context>& context,
                          const std::function<int()>& call) noexcept {
  try {
    return std::make_shared<Owed>(context, call);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Returns a text for errors of memory: "; memory that is being released is not free yet …" if the
// list of late_free.hpp has entries; otherwise "".
std::string late_text() {
  const std::size_t late = late_count();
  if (late == 0) return "";
  return "; memory that is being released is not free yet, because streams may still use it (" +
         std::to_string(late) + (late == 1 ? " block" : " blocks") +
         "); synchronize the streams, then try again";
}

std::string count_text(std::uint64_t bytes) {
  return std::to_string(bytes) + " bytes (" + std::to_string(bytes >> 20) + " MiB)";
}

// Returns "; 123 bytes (0 MiB) of … are free"; "" if the driver cannot tell.
std::string free_text(const Context& context) {
  const auto memory = context.memory();
  if (!memory.ok()) return "";
  return "; " + count_text(memory->free) + " of its " + count_text(memory->total) + " are free";
}

Error device_memory_error(const Context& context, std::uint64_t bytes, const Error& failed) {
  return {ErrorCode::io,
          "device " + std::to_string(context.ordinal()) + " cannot give " + count_text(bytes) +
              " of memory: " + failed.message + free_text(context) + late_text(),
          {},
          {}};
}

Error pinned_memory_error(const Context& context, std::uint64_t bytes, const Error& failed) {
  return {ErrorCode::io,
          "cannot take " + count_text(bytes) + " of pinned host memory for device " +
              std::to_string(context.ordinal()) + ": " + failed.message +
              "; use smaller batches, a smaller prefetch_batches or a smaller pinned_budget_bytes" +
              late_text(),
          {},
          {}};
}

class PinnedAllocator final : public SlotAllocator {
 public:
  explicit PinnedAllocator(std::shared_ptr<const Context> context) : context_(std::move(context)) {}

  Result<std::byte*> allocate(std::size_t bytes) override {
    const CurrentContext current(*context_);
    HOTPACK_TRY(current.status());
    void* memory = nullptr;
    const int code = take_patiently(
        [&] { return context_->api().MemHostAlloc(&memory, bytes, kHostAllocPortable); });
    const Status taken = context_->driver().check("cuMemHostAlloc", code);
    if (!taken.ok()) return pinned_memory_error(*context_, bytes, taken.error());
    return static_cast<std::byte*>(memory);
  }

  void release(std::byte* memory, std::size_t /*bytes*/) noexcept override {
    give_back(context_, [&api = context_->api(), memory] { return api.MemFreeHost(memory); });
  }

 private:
  std::shared_ptr<const Context> context_;
};

}  // namespace

void give_back(std::shared_ptr<const Context> context, std::function<int()> call) noexcept {
  if (FreesLate::here()) {
    if (auto owed = owe(context, call)) return free_late(std::move(owed), {});
  }
  const int done = [&] {
    const CurrentContext current(*context);
    return current.code() == code::kSuccess ? call() : code::kSuccess;
  }();
  if (code::is_of_a_capture(done)) free_again(owe(context, call));
}

// ---- Context

Result<std::shared_ptr<const Context>> Context::retain(std::shared_ptr<const Driver> driver,
                                                       int ordinal) {
  const int devices = driver->devices();
  if (ordinal < 0 || ordinal >= devices) {
    return usage_error("there is no device " + std::to_string(ordinal) + "; " +
                       (devices == 1
                            ? "this process sees only device 0"
                            : "this process sees devices 0 … " + std::to_string(devices - 1)) +
                       " (CUDA_VISIBLE_DEVICES decides which)");
  }
  const std::shared_ptr<Context> context(new Context(std::move(driver), ordinal));
  HOTPACK_TRY(HOTPACK_DRIVER(context->driver(), DeviceGet, &context->device_, ordinal));
  HOTPACK_TRY(HOTPACK_DRIVER(context->driver(), DeviceGetAttribute, &context->multiprocessors_,
                             kAttributeMultiprocessors, context->device_));
  HOTPACK_TRY(HOTPACK_DRIVER(context->driver(), DevicePrimaryCtxRetain, &context->handle_,
                             context->device_));
  return std::shared_ptr<const Context>(context);
}

Context::~Context() {
  if (handle_ != nullptr) static_cast<void>(api().DevicePrimaryCtxRelease(device_));
}

Result<Context::Memory> Context::memory() const {
  const CurrentContext current(*this);
  HOTPACK_TRY(current.status());
  std::size_t free = 0;
  std::size_t total = 0;
  HOTPACK_TRY(HOTPACK_DRIVER(driver(), MemGetInfo, &free, &total));
  return Memory{free, total};
}

CurrentContext::CurrentContext(const Context& context)
    : context_(context), code_(context.api().CtxPushCurrent(context.handle())) {
  if (code_ == code::kSuccess)
    static_cast<void>(context_.api().ThreadExchangeStreamCaptureMode(&capture_mode_));
}

CurrentContext::~CurrentContext() {
  if (code_ != code::kSuccess) return;
  static_cast<void>(context_.api().ThreadExchangeStreamCaptureMode(&capture_mode_));
  ContextHandle popped = nullptr;
  static_cast<void>(context_.api().CtxPopCurrent(&popped));
}

Status CurrentContext::status() const { return context_.driver().check("cuCtxPushCurrent", code_); }

// ---- Stream

Result<Stream> Stream::create(std::shared_ptr<const Context> context) {
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  Stream stream;
  HOTPACK_TRY(HOTPACK_DRIVER(context->driver(), StreamCreate, &stream.handle_, kStreamNonBlocking));
  stream.context_ = std::move(context);
  return stream;
}

Stream::~Stream() {
  if (handle_ == nullptr) return;
  give_back(context_,
            [&api = context_->api(), handle = handle_] { return api.StreamDestroy(handle); });
}

Stream::Stream(Stream&& other) noexcept
    : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  Stream taken(std::move(other));
  std::swap(context_, taken.context_);
  std::swap(handle_, taken.handle_);
  return *this;
}

Status Stream::synchronize() const {
  const CurrentContext current(*context_);
  HOTPACK_TRY(current.status());
  return HOTPACK_DRIVER(context_->driver(), StreamSynchronize, handle_);
}

// ---- Event

Result<Event> Event::create(std::shared_ptr<const Context> context, unsigned more_flags) {
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  Event event;
  HOTPACK_TRY(HOTPACK_DRIVER(context->driver(), EventCreate, &event.handle_,
                             kEventDisableTiming | more_flags));
  event.context_ = std::move(context);
  return event;
}

Event::~Event() {
  if (handle_ == nullptr) return;
  give_back(context_,
            [&api = context_->api(), handle = handle_] { return api.EventDestroy(handle); });
}

Event::Event(Event&& other) noexcept
    : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  Event taken(std::move(other));
  std::swap(context_, taken.context_);
  std::swap(handle_, taken.handle_);
  return *this;
}

Status Event::record(StreamHandle stream) const {
  return HOTPACK_DRIVER(context_->driver(), EventRecord, handle_, stream);
}

Status Event::make_wait(StreamHandle stream) const {
  return HOTPACK_DRIVER(context_->driver(), StreamWaitEvent, stream, handle_, 0);
}

Result<bool> Event::query() const {
  if (handle_ == nullptr) return true;
  const CurrentContext current(*context_);
  HOTPACK_TRY(current.status());
  const int code = context_->api().EventQuery(handle_);
  // incomplete, or a capture forbids to query it now
  if (code == code::kNotReady || code::is_of_a_capture(code)) return false;
  HOTPACK_TRY(context_->driver().check("cuEventQuery", code));
  return true;
}

// ---- memory

Result<DeviceMemory> DeviceMemory::take(std::shared_ptr<const Context> context,
                                        std::uint64_t bytes) {
  DeviceMemory memory;
  if (bytes == 0) return memory;
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  const int code = take_patiently([&] { return context->api().MemAlloc(&memory.address_, bytes); });
  const Status taken = context->driver().check("cuMemAlloc", code);
  if (!taken.ok()) return device_memory_error(*context, bytes, taken.error());
  memory.size_ = bytes;
  memory.context_ = std::move(context);
  return memory;
}

Status record_surely(const Event& event, StreamHandle stream) {
  Status first = event.record(stream);
  if (!first.ok()) (void)event.record(stream).ok();
  return first;
}

DeviceMemory::~DeviceMemory() {
  if (size_ == 0) return;
  give_back(context_,
            [&api = context_->api(), address = address_] { return api.MemFree(address); });
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : context_(std::move(other.context_)),
      address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  DeviceMemory taken(std::move(other));
  std::swap(context_, taken.context_);
  std::swap(address_, taken.address_);
  std::swap(size_, taken.size_);
  return *this;
}

Result<PinnedMemory> PinnedMemory::take(std::shared_ptr<const Context> context,
                                        std::uint64_t bytes) {
  PinnedMemory memory;
  if (bytes == 0) return memory;
  HOTPACK_ASSIGN(memory.data_, PinnedAllocator(context).allocate(bytes));
  memory.size_ = bytes;
  memory.context_ = std::move(context);
  return memory;
}

PinnedMemory::~PinnedMemory() {
  if (size_ != 0) PinnedAllocator(context_).release(data_, size_);
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : context_(std::move(other.context_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  PinnedMemory taken(std::move(other));
  std::swap(context_, taken.context_);
  std::swap(data_, taken.data_);
  std::swap(size_, taken.size_);
  return *this;
}

std::shared_ptr<SlotAllocator> pinned_allocator(std::shared_ptr<const Context> context) {
  return std::make_shared<PinnedAllocator>(std::move(context));
}

}  // namespace hotpack::device
