// Memory, pools, and what copies memory.
#include <cstring>
#include <utility>
#include <vector>

#include "support/fake_cuda/fake_state.hpp"

namespace hotpack::test {

using namespace device;

namespace {

BlockPtr take(const Call& call, MemoryKind kind, FakeContext& context, std::size_t bytes) {
  FakeState& state = call.state;
  const bool on_device = kind == MemoryKind::device;
  std::uint64_t& used = on_device ? context.device_bytes : state.pinned_bytes;
  const std::uint64_t most = on_device ? state.options.device_bytes : state.options.pinned_bytes;
  call.require(bytes > 0, code::kInvalidValue);
  call.require(bytes <= most - used, code::kOutOfMemory);
  auto block = state.memory.take(kind, context, bytes);
  call.require(block != nullptr, code::kOutOfMemory);
  used += bytes;
  return block;
}

// The block that is to be freed, which find() no longer gives.
BlockPtr forget(const Call& call, MemoryKind kind, std::uintptr_t begin) {
  Operation none;
  auto block = call.use(none, "what is freed", kind, begin, 1).block;
  if (block->begin != begin) call.refuse(code::kInvalidValue, "not the beginning of a block");
  if (!call.state.memory.is_intact(*block)) {
    call.note("something was written behind the end of a block of " + std::to_string(block->bytes) +
              " bytes");
  }
  (kind == MemoryKind::device ? block->context->device_bytes : call.state.pinned_bytes) -=
      block->bytes;
  call.state.memory.forget(block);
  return block;
}

void free_now(const Call& call, MemoryKind kind, std::uintptr_t begin) {
  if (begin == 0) return;
  const BlockPtr block = forget(call, kind, begin);
  FakeMemory::wipe(*block, block->pending > 0);
  if (block->pending == 0 || call.result != 0) return;
  call.note(std::to_string(block->pending) + " operations in flight use the block of " +
            std::to_string(block->bytes) + " bytes");
}

bool pinned_ever(const Call& call, const void* memory) {
  return call.state.memory.find(address(memory)) != nullptr ||
         call.state.memory.was_freed(address(memory));
}

}  // namespace

void calls::MemGetInfo(Call& call, std::size_t* free, std::size_t* total) {
  *free = call.state.options.device_bytes - call.context->device_bytes;
  *total = call.state.options.device_bytes;
}

void calls::MemAlloc(Call& call, Pointer* memory, std::size_t bytes) {
  *memory = take(call, MemoryKind::device, *call.context, bytes)->begin;
}

void calls::MemHostAlloc(Call& call, void** memory, std::size_t bytes, unsigned /*flags*/) {
  *memory = host(take(call, MemoryKind::pinned, *call.context, bytes)->begin);
}

void calls::MemFree(Call& call, Pointer memory) { free_now(call, MemoryKind::device, memory); }

void calls::MemFreeHost(Call& call, void* memory) {
  free_now(call, MemoryKind::pinned, address(memory));
}

void calls::PointerGetAttributes(Call& call, unsigned count, int* attributes, void** values,
                                 Pointer memory) {
  const auto block = call.state.memory.find(memory);
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i] == kPointerMemoryType) {
      *static_cast<int*>(values[i]) = block == nullptr                    ? 0
                                      : block->kind == MemoryKind::device ? kMemoryDevice
                                                                          : kMemoryHost;
    } else if (attributes[i] == kPointerOrdinal) {
      *static_cast<int*>(values[i]) = block == nullptr ? -2 : block->context->ordinal;
    } else {
      call.require(attributes[i] == kPointerManaged, code::kInvalidValue);
      *static_cast<bool*>(values[i]) = block != nullptr && block->managed;
    }
  }
}

// ---- Pools. Allocation and free are operations that write the whole block, so work that is not
// ordered between them is a race. The bytes count until the free is given: later allocations of the
// stream may have them.

void calls::MemPoolCreate(Call& call, PoolHandle* handle, const PoolProperties* properties) {
  const PoolProperties plain;
  call.require(call.state.options.pools, code::kNotSupported);
  call.require(properties->allocation == plain.allocation && properties->handles == plain.handles &&
                   properties->location == plain.location && properties->ordinal >= 0 &&
                   properties->ordinal < call.state.options.devices,
               code::kInvalidValue);
  call.state.pools.add(handle, call.state.devices[static_cast<std::size_t>(properties->ordinal)]);
}

void calls::MemPoolSetAttribute(Call& call, PoolHandle handle, int attribute, void* /*value*/) {
  static_cast<void>(call.object(call.state.pools, handle, "pool"));
  call.require(attribute == kPoolReleaseThreshold, code::kInvalidValue);
}

void calls::MemPoolDestroy(Call& call, PoolHandle handle) {
  static_cast<void>(call.object(call.state.pools, handle, "pool"));
  call.state.pools.all.erase(address(handle));
}

void calls::MemAllocFromPoolAsync(Call& call, Pointer* memory, std::size_t bytes, PoolHandle handle,
                                  StreamHandle stream_handle) {
  call.require(call.state.options.pools, code::kNotSupported);
  const StreamPtr stream = call.open_stream(stream_handle);
  const auto pool = call.object(call.state.pools, handle, "pool");
  const BlockPtr block = take(call, MemoryKind::device, *pool, bytes);
  block->of_pool = true;
  *memory = block->begin;
  Operation allocation;
  allocation.uses.push_back({block, block->begin, bytes, true});
  call.give(*stream, std::move(allocation));
}

void calls::MemFreeAsync(Call& call, Pointer memory, StreamHandle stream_handle) {
  call.require(call.state.options.pools, code::kNotSupported);
  const auto found = call.state.memory.find(memory);
  if (found != nullptr && !found->of_pool)
    call.refuse(code::kInvalidValue, "what is freed is not of a pool");
  if (call.result != 0) return free_now(call, MemoryKind::device, memory);
  const StreamPtr stream = call.open_stream(stream_handle);
  const BlockPtr block = forget(call, MemoryKind::device, memory);
  Operation end;
  end.uses.push_back({block, block->begin, block->bytes, true});
  end.work = [block] { FakeMemory::wipe(*block, block->pending > 1); };
  call.give(*stream, std::move(end));
}

// ---- Copies.

void calls::MemcpyHtoDAsync(Call& call, Pointer to, const void* from, std::size_t bytes,
                            StreamHandle handle) {
  const StreamPtr stream = call.open_stream(handle);
  if (bytes == 0) return;
  Operation copy;
  call.use(copy, "the target", MemoryKind::device, to, bytes, true);
  if (pinned_ever(call, from)) {
    call.use(copy, "the source", MemoryKind::pinned, address(from), bytes);
    copy.work = [=] { std::memcpy(host(to), from, bytes); };
  } else {
    // Pageable memory: the driver takes a copy at once.
    ++call.state.pageable_copies;
    const auto* const begin = static_cast<const std::byte*>(from);
    copy.work = [to, staged = std::vector<std::byte>(begin, begin + bytes)] {
      std::memcpy(host(to), staged.data(), staged.size());
    };
  }
  call.give(*stream, std::move(copy));
}

void calls::MemcpyDtoHAsync(Call& call, void* to, Pointer from, std::size_t bytes,
                            StreamHandle handle) {
  const StreamPtr stream = call.open_stream(handle);
  if (bytes == 0) return;
  Operation copy;
  const bool pinned = pinned_ever(call, to);
  call.use(copy, "the source", MemoryKind::device, from, bytes);
  if (pinned) call.use(copy, "the target", MemoryKind::pinned, address(to), bytes, true);
  copy.work = [=] { std::memcpy(to, host(from), bytes); };
  const OperationPtr given = call.give(*stream, std::move(copy));
  if (pinned) return;
  ++call.state.pageable_copies;  // the driver waits for it
  call.wait(given);
}

void calls::MemcpyDtoDAsync(Call& call, Pointer to, Pointer from, std::size_t bytes,
                            StreamHandle handle) {
  const StreamPtr stream = call.open_stream(handle);
  if (bytes == 0) return;
  Operation copy;
  call.use(copy, "the source", MemoryKind::device, from, bytes);
  call.use(copy, "the target", MemoryKind::device, to, bytes, true);
  copy.work = [=] { std::memmove(host(to), host(from), bytes); };
  call.give(*stream, std::move(copy));
}

void calls::MemsetD8Async(Call& call, Pointer to, unsigned char value, std::size_t bytes,
                          StreamHandle handle) {
  const StreamPtr stream = call.open_stream(handle);
  if (bytes == 0) return;
  Operation set;
  call.use(set, "the target", MemoryKind::device, to, bytes, true);
  set.work = [=] { std::memset(host(to), value, bytes); };
  call.give(*stream, std::move(set));
}

}  // namespace hotpack::test
