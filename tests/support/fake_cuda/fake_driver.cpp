#include "support/fake_cuda/fake_driver.hpp"

#include <chrono>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

#include "device/late_free.hpp"
#include "support/fake_cuda/fake_state.hpp"

namespace hotpack::test {

using device::StreamHandle;
using Lock = std::unique_lock<std::recursive_mutex>;

struct FakeDriver::Impl {
  explicit Impl(const FakeOptions& options) : state(options) {}
  // The context of the calling thread; without one that of device 0.
  [[nodiscard]] FakeContext& context() {
    const auto& stack = state.thread().stack;
    return stack.empty() ? *state.contexts.at(0) : *stack.back();
  }
  [[nodiscard]] std::shared_ptr<FakeStream> stream(StreamHandle handle) {
    std::shared_ptr<FakeStream> found;
    if (state.find_stream(handle, context(), "FakeDriver", found) != 0 && found == nullptr) {
      throw std::logic_error("FakeDriver: not a stream, or no longer");
    }
    return found;
  }
  FakeState state;
};

FakeDriver::FakeDriver(FakeOptions options) : impl_(std::make_unique<Impl>(options)) {}

// Late frees, including running ones, belong to this driver: the next one must not see them.
FakeDriver::~FakeDriver() {
  run_all();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (device::late_count() > 0 && std::chrono::steady_clock::now() < end) {
    device::sweep_late();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

const device::DriverTable& FakeDriver::table() const { return impl_->state.table; }

std::shared_ptr<const device::Driver> FakeDriver::driver() const {
  auto made = device::Driver::make(table());
  if (!made) throw std::logic_error(made.error().message);
  return std::move(made).value();
}

device::KernelImages FakeDriver::kernels() const { return fake_kernel_images(); }

StreamHandle FakeDriver::stream(int device, bool blocking) {
  const Lock lock(impl_->state.mutex);
  FakeContext& context = *impl_->state.contexts.at(static_cast<std::size_t>(device));
  context.used_by_program = true;
  auto added = impl_->state.streams.add(context, blocking);
  added->program = true;
  return reinterpret_cast<StreamHandle>(impl_->state.stream_handles.add(
      HandleKind::stream, impl_->state.generation, std::move(added)));
}

void FakeDriver::enqueue(StreamHandle stream, std::function<void()> work) {
  const Lock lock(impl_->state.mutex);
  Operation operation;
  operation.work = [&state = impl_->state, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& thrown) {
      state.note(std::string("work of enqueue() threw: ") + thrown.what());
    } catch (...) {
      state.note("work of enqueue() threw");
    }
  };
  impl_->state.streams.give(*impl_->stream(stream), std::move(operation));
}

void FakeDriver::block(StreamHandle stream) {
  const Lock lock(impl_->state.mutex);
  Operation operation;
  operation.closed = true;
  impl_->state.streams.give(*impl_->stream(stream), std::move(operation));
}

void FakeDriver::unblock(StreamHandle stream) {
  const Lock lock(impl_->state.mutex);
  for (const auto& operation : impl_->stream(stream)->pending) operation->closed = false;
  impl_->state.streams.unblocked();
  impl_->state.changed.notify_all();
}

void FakeDriver::run_all() {
  const Lock lock(impl_->state.mutex);
  impl_->state.streams.run_all();
}

void FakeDriver::synchronize(StreamHandle stream) {
  Lock lock(impl_->state.mutex);
  const int code =
      impl_->state.wait(lock, OperationPtr(impl_->stream(stream)->last), "FakeDriver::synchronize");
  if (code != 0) throw std::runtime_error("FakeDriver::synchronize: code " + std::to_string(code));
}

std::vector<std::byte> FakeDriver::bytes(device::Pointer memory, std::size_t size) const {
  const Lock lock(impl_->state.mutex);
  const auto address = static_cast<std::uintptr_t>(memory);
  if (impl_->state.range("FakeDriver::bytes", "what is read", address, size) == nullptr) return {};
  const auto* const begin = reinterpret_cast<const std::byte*>(address);
  return {begin, begin + size};
}

void FakeDriver::set_managed(device::Pointer memory) {
  const Lock lock(impl_->state.mutex);
  impl_->state.memory.find(static_cast<std::uintptr_t>(memory))->managed = true;
}

void FakeDriver::set_mapped(device::Pointer memory) {
  const Lock lock(impl_->state.mutex);
  impl_->state.memory.find(static_cast<std::uintptr_t>(memory))->mapped = true;
}

void FakeDriver::set_capturing(StreamHandle stream, bool capturing) {
  const Lock lock(impl_->state.mutex);
  impl_->stream(stream)->capturing = capturing;
}

void FakeDriver::set_capturing_globally(bool capturing) {
  const Lock lock(impl_->state.mutex);
  impl_->state.capturing_globally = capturing;
}

void FakeDriver::fail(const std::string& name, std::uint64_t occurrence, int code) {
  const Lock lock(impl_->state.mutex);
  const CallId call = call_named(name);
  impl_->state.failures.push_back(
      {call, impl_->state.calls[static_cast<std::size_t>(call)] + occurrence, code});
}

void FakeDriver::break_context(int device, int code) {
  const Lock lock(impl_->state.mutex);
  FakeContext& context = *impl_->state.contexts.at(static_cast<std::size_t>(device));
  context.broken = code;
  impl_->state.streams.abandon(context);
  impl_->state.changed.notify_all();
}

std::size_t FakeDriver::tear_down() { return impl_->state.tear_down(); }

std::uint64_t FakeDriver::calls(const std::string& name) const {
  const Lock lock(impl_->state.mutex);
  return impl_->state.calls[static_cast<std::size_t>(call_named(name))];
}

std::uint64_t FakeDriver::pageable_copies() const {
  const Lock lock(impl_->state.mutex);
  return impl_->state.pageable_copies;
}

std::uint64_t FakeDriver::spinning_waits() const {
  const Lock lock(impl_->state.mutex);
  return impl_->state.spinning_waits;
}

FakeDriver::Held FakeDriver::held() const {
  const Lock lock(impl_->state.mutex);
  Held held;
  for (const auto& [begin, block] : impl_->state.memory.live()) {
    const bool device = block->kind == MemoryKind::device;
    ++(device ? held.device_blocks : held.pinned_blocks);
    (device ? held.device_bytes : held.pinned_bytes) += block->bytes;
  }
  for (const auto& [handle, stream] : impl_->state.stream_handles.values())
    held.streams += stream->program ? 0u : 1u;
  held.events = impl_->state.event_handles.values().size();
  held.modules = impl_->state.module_handles.values().size();
  for (const auto& context : impl_->state.contexts) held.retained += context->retained;
  return held;
}

std::vector<std::string> FakeDriver::violations() const {
  const Lock lock(impl_->state.mutex);
  return impl_->state.violations;
}

}  // namespace hotpack::test
