#include "c_api/user_memory.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace hotpack::c_api {

namespace {
constexpr std::uintptr_t kAlignment = 64;
}

Result<std::byte*> UserMemory::allocate(std::size_t bytes) {
  if (let_go_) return usage_error("the loader is closed, and its allocator is gone");
  void* const memory = give_(user_, bytes);
  if (memory == nullptr) {
    return Error{ErrorCode::io,
                 "the option allocate returned no memory for " + std::to_string(bytes) +
                     " bytes; use a smaller prefetch_batches or a smaller batch",
                 {},
                 {}};
  }
  if (reinterpret_cast<std::uintptr_t>(memory) % kAlignment == 0)
    return static_cast<std::byte*>(memory);
  take_(user_, memory, bytes);
  return usage_error("the option allocate returned memory that is not aligned to " +
                     std::to_string(kAlignment) + " bytes");
}

void UserMemory::release(std::byte* memory, std::size_t bytes) noexcept {
  if (!let_go_) take_(user_, memory, bytes);
}

std::shared_ptr<void> UserMemory::hold(std::shared_ptr<UserMemory> memory) {
  UserMemory* const held = memory.get();
  return {held, [kept = std::move(memory)](void*) { kept->let_go_ = true; }};
}

}  // namespace hotpack::c_api
