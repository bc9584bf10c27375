// Memory, and what copies it.
#include <cstring>
#include <utility>
#include <vector>

#include "support/fake_cuda/fake_call.hpp"

namespace hotpack::test {
namespace {

using device::Pointer;
using device::StreamHandle;
namespace code = device::code;

// ---- Memory.

int mem_get_info(std::size_t* free, std::size_t* total) {
  return enter(CallId::MemGetInfo, Needs::context, [&](Call& call) {
    *free = call.state.options.device_bytes - call.context->device_bytes;
    *total = call.state.options.device_bytes;
    return code::kSuccess;
  });
}

std::shared_ptr<Block> take(Call& call, MemoryKind kind, std::size_t bytes, std::uint64_t& used,
                            std::uint64_t most) {
  if (bytes > most - used) return nullptr;
  auto block = call.state.memory.take(kind, call.context, bytes);
  if (block != nullptr) used += bytes;
  return block;
}

int mem_alloc(Pointer* memory, std::size_t bytes) {
  return enter(CallId::MemAlloc, Needs::context, [&](Call& call) {
    if (bytes == 0) return code::kInvalidValue;
    const auto block = take(call, MemoryKind::device, bytes, call.context->device_bytes,
                            call.state.options.device_bytes);
    if (block == nullptr) return code::kOutOfMemory;
    *memory = block->begin;
    return code::kSuccess;
  });
}

int mem_host_alloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  return enter(CallId::MemHostAlloc, Needs::context, [&](Call& call) {
    if (bytes == 0) return code::kInvalidValue;
    const auto block = take(call, MemoryKind::pinned, bytes, call.state.pinned_bytes,
                            call.state.options.pinned_bytes);
    if (block == nullptr) return code::kOutOfMemory;
    *memory = host(block->begin);
    return code::kSuccess;
  });
}

int give_back(Call& call, MemoryKind kind, std::uintptr_t begin) {
  if (begin == 0) return code::kSuccess;
  call.state.wait_before_free(call.lock, *call.context, call.name);
  const auto block = call.state.range(call.name, "what is freed", kind, begin, 1);
  if (block == nullptr) return code::kInvalidValue;
  if (block->begin != begin) {
    call.state.note(std::string(call.name) + ": not the beginning of a block");
    return code::kInvalidValue;
  }
  call.state.free(call.name, block, call.context->broken != 0);
  return code::kSuccess;
}

int mem_free(Pointer memory) {
  return enter_to_give_back(CallId::MemFree, [&](Call& call) {
    return give_back(call, MemoryKind::device, address(memory));
  });
}

int mem_free_host(void* memory) {
  return enter_to_give_back(CallId::MemFreeHost, [&](Call& call) {
    return give_back(call, MemoryKind::pinned, address(memory));
  });
}

// What a program can ask of any address; of one that the driver does not know, too.
int attribute_of(const Block* block, int attribute, void* value) {
  const auto number_is = [value](int number) { *static_cast<int*>(value) = number; };
  switch (attribute) {
    case device::kPointerMemoryType:
      number_is(block == nullptr                    ? 0
                : block->kind == MemoryKind::device ? device::kMemoryDevice
                                                    : device::kMemoryHost);
      return code::kSuccess;
    case device::kPointerOrdinal:
      number_is(block == nullptr ? -2 : block->context->ordinal);
      return code::kSuccess;
    case device::kPointerManaged:
      *static_cast<bool*>(value) = block != nullptr && block->managed;
      return code::kSuccess;
    case device::kPointerLegacyIpc:
      *static_cast<bool*>(value) = block != nullptr && block->kind == MemoryKind::device &&
                                   !block->managed && !block->mapped;
      return code::kSuccess;
    case device::kPointerRangeStart:
      *static_cast<Pointer*>(value) = block == nullptr ? 0 : block->begin;
      return code::kSuccess;
    case device::kPointerRangeSize:
      *static_cast<std::size_t*>(value) = block == nullptr ? 0 : block->bytes;
      return code::kSuccess;
    default:
      return code::kInvalidValue;
  }
}

int pointer_get_attributes(unsigned count, int* attributes, void** values, Pointer memory) {
  return enter(CallId::PointerGetAttributes, Needs::context, [&](Call& call) {
    const auto block = call.state.memory.find(address(memory));
    int found = code::kSuccess;
    for (unsigned i = 0; i < count && found == code::kSuccess; ++i)
      found = attribute_of(block.get(), attributes[i], values[i]);
    return found;
  });
}

// ---- Copies.

bool pinned_ever(const Call& call, const void* memory) {
  return call.state.memory.find(address(memory)) != nullptr ||
         call.state.memory.was_freed(address(memory));
}

int copy_from_host(Pointer to, const void* from, std::size_t bytes, StreamHandle handle) {
  return enter_stream(CallId::MemcpyHtoDAsync, handle, [&](Call& call, FakeStream& stream) {
    if (bytes == 0) return code::kSuccess;
    Operation copy;
    if (!add_use(call, copy, "the target", MemoryKind::device, address(to), bytes, true))
      return code::kInvalidValue;
    if (pinned_ever(call, from)) {
      if (!add_use(call, copy, "the source", MemoryKind::pinned, address(from), bytes, false))
        return code::kInvalidValue;
      copy.work = [=] { std::memcpy(host(to), from, bytes); };
    } else {
      // Pageable memory: the driver takes a copy at once.
      ++call.state.pageable_copies;
      const auto* const begin = static_cast<const std::byte*>(from);
      copy.work = [to, staged = std::vector<std::byte>(begin, begin + bytes)] {
        std::memcpy(host(to), staged.data(), staged.size());
      };
    }
    give(call, stream, std::move(copy));
    return code::kSuccess;
  });
}

int copy_to_host(void* to, Pointer from, std::size_t bytes, StreamHandle handle) {
  return enter_stream(CallId::MemcpyDtoHAsync, handle, [&](Call& call, FakeStream& stream) {
    if (bytes == 0) return code::kSuccess;
    Operation copy;
    if (!add_use(call, copy, "the source", MemoryKind::device, address(from), bytes, false))
      return code::kInvalidValue;
    const bool pinned = pinned_ever(call, to);
    if (pinned && !add_use(call, copy, "the target", MemoryKind::pinned, address(to), bytes, true))
      return code::kInvalidValue;
    copy.work = [=] { std::memcpy(to, host(from), bytes); };
    const OperationPtr given = give(call, stream, std::move(copy));
    if (pinned) return code::kSuccess;
    ++call.state.pageable_copies;  // the driver waits for it
    return call.state.wait(call.lock, given, call.name);
  });
}

int copy_on_device(Pointer to, Pointer from, std::size_t bytes, StreamHandle handle) {
  return enter_stream(CallId::MemcpyDtoDAsync, handle, [&](Call& call, FakeStream& stream) {
    if (bytes == 0) return code::kSuccess;
    Operation copy;
    const bool good =
        add_use(call, copy, "the source", MemoryKind::device, address(from), bytes, false) &&
        add_use(call, copy, "the target", MemoryKind::device, address(to), bytes, true);
    if (!good) return code::kInvalidValue;
    copy.work = [=] { std::memmove(host(to), host(from), bytes); };
    give(call, stream, std::move(copy));
    return code::kSuccess;
  });
}

int memset_bytes(Pointer to, unsigned char value, std::size_t bytes, StreamHandle handle) {
  return enter_stream(CallId::MemsetD8Async, handle, [&](Call& call, FakeStream& stream) {
    if (bytes == 0) return code::kSuccess;
    Operation set;
    if (!add_use(call, set, "the target", MemoryKind::device, address(to), bytes, true))
      return code::kInvalidValue;
    set.work = [=] { std::memset(host(to), value, bytes); };
    give(call, stream, std::move(set));
    return code::kSuccess;
  });
}

}  // namespace

void fill_memory_calls(device::DriverTable& table) {
  table.MemGetInfo = mem_get_info;
  table.MemAlloc = mem_alloc;
  table.MemFree = mem_free;
  table.MemHostAlloc = mem_host_alloc;
  table.MemFreeHost = mem_free_host;
  table.PointerGetAttributes = pointer_get_attributes;
  table.MemcpyHtoDAsync = copy_from_host;
  table.MemcpyDtoHAsync = copy_to_host;
  table.MemcpyDtoDAsync = copy_on_device;
  table.MemsetD8Async = memset_bytes;
}

}  // namespace hotpack::test
