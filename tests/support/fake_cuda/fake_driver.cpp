#include "support/fake_cuda/fake_driver.hpp"

#include <unistd.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "support/fake_cuda/fake_state.hpp"

namespace hotpack::test {
namespace {

using device::StreamHandle;

// A call of the program, of the current context; without one of device 0.
Call program_call(FakeState& state, Lock& lock) {
  const auto& stack = state.thread().stack;
  return {state, lock, "FakeDriver", stack.empty() ? state.devices.at(0).get() : stack.back()};
}

}  // namespace

FakeDriver::FakeDriver(FakeOptions options) : state_(std::make_unique<FakeState>(options)) {}

FakeDriver::~FakeDriver() { run_all(); }

const device::DriverTable& FakeDriver::table() const { return state_->table; }

std::shared_ptr<const device::Driver> FakeDriver::driver() const {
  auto made = device::Driver::make(table());
  if (!made) throw std::logic_error(made.error().message);
  return std::move(made).value();
}

std::span<const std::byte> FakeDriver::kernels() {
  static constexpr std::byte kImage[16] = {};
  return kImage;
}

StreamHandle FakeDriver::stream(int device, bool blocking) {
  const Lock lock(state_->mutex);
  FakeContext& context = *state_->devices.at(static_cast<std::size_t>(device));
  context.used_by_program = true;
  auto added = state_->streams.add(context, blocking);
  added->program = true;
  StreamHandle handle = nullptr;
  state_->program_streams.add(&handle, std::move(added));
  return handle;
}

void FakeDriver::enqueue(StreamHandle stream, std::function<void()> work) {
  Lock lock(state_->mutex);
  Operation operation;
  operation.work = [&state = *state_, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& thrown) {
      state.note("work of enqueue()", thrown.what());
    }
  };
  state_->streams.give(*program_call(*state_, lock).any_stream(stream), std::move(operation));
}

void FakeDriver::block(StreamHandle stream) {
  Lock lock(state_->mutex);
  Operation operation;
  operation.closed = true;
  state_->streams.give(*program_call(*state_, lock).any_stream(stream), std::move(operation));
}

void FakeDriver::unblock(StreamHandle stream) {
  Lock lock(state_->mutex);
  for (auto& operation : program_call(*state_, lock).any_stream(stream)->pending)
    operation->closed = false;
  state_->streams.unblocked();
  state_->changed.notify_all();
}

void FakeDriver::run_all() {
  const Lock lock(state_->mutex);
  state_->streams.run_all();
}

void FakeDriver::synchronize(StreamHandle stream) {
  Lock lock(state_->mutex);
  const Call call = program_call(*state_, lock);
  try {
    call.wait(OperationPtr(call.any_stream(stream)->last));
  } catch (const Refusal& refusal) {
    throw std::runtime_error("FakeDriver::synchronize: code " + std::to_string(refusal.code));
  }
}

std::vector<std::byte> FakeDriver::bytes(device::Pointer memory, std::size_t size) const {
  Lock lock(state_->mutex);
  const auto* const begin = static_cast<const std::byte*>(host(memory));
  try {
    static_cast<void>(program_call(*state_, lock).range("what is read", memory, size));
    return {begin, begin + size};
  } catch (const Refusal&) {
    return {};
  }
}

void FakeDriver::set_managed(device::Pointer memory) {
  const Lock lock(state_->mutex);
  state_->memory.find(memory)->managed = true;
}

void FakeDriver::set_capturing(StreamHandle stream, bool capturing) {
  Lock lock(state_->mutex);
  program_call(*state_, lock).any_stream(stream)->capturing = capturing;
}

void FakeDriver::fail(const std::string& name, std::uint64_t occurrence, int code) {
  const Lock lock(state_->mutex);
  state_->failures[{name, calls(name) + occurrence}] = code;
}

void FakeDriver::break_context(int device, int code) {
  const Lock lock(state_->mutex);
  FakeContext& context = *state_->devices.at(static_cast<std::size_t>(device));
  context.broken = code;
  state_->streams.abandon(context);
  state_->changed.notify_all();
}

std::size_t FakeDriver::tear_down() { return state_->tear_down(); }

std::uint64_t FakeDriver::calls(const std::string& name) const {
  const Lock lock(state_->mutex);
  return state_->call_counts.at(name);
}

std::uint64_t FakeDriver::pageable_copies() const {
  const Lock lock(state_->mutex);
  return state_->pageable_copies;
}

std::uint64_t FakeDriver::spinning_waits() const {
  const Lock lock(state_->mutex);
  return state_->spinning_waits;
}

FakeDriver::Held FakeDriver::held() const {
  const Lock lock(state_->mutex);
  Held held;
  for (const auto& [begin, block] : state_->memory.live) {
    const bool device = block->kind == MemoryKind::device;
    ++(device ? held.device_blocks : held.pinned_blocks);
    (device ? held.device_bytes : held.pinned_bytes) += block->bytes;
  }
  for (const auto& [handle, stream] : state_->program_streams.all)
    held.streams += stream->program ? 0u : 1u;
  held.pools = state_->pools.all.size();
  held.events = state_->events.all.size();
  held.modules = state_->modules.all.size();
  for (const auto& context : state_->devices) held.retained += context->retained;
  return held;
}

std::vector<std::string> FakeDriver::violations() const {
  const Lock lock(state_->mutex);
  for (auto& [number, thread] : state_->threads) {
    if (!thread.life.expired() || thread.stack.empty() || number == ::getpid()) continue;
    state_->note("a thread ended",
                 std::to_string(thread.stack.size()) + " contexts were pushed and not popped");
    thread.stack.clear();
  }
  return state_->violations;
}

}  // namespace hotpack::test
