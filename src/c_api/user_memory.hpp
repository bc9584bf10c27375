// Slot memory from functions of the caller.
//
// Ownership: the caller's, by the two functions; `user` is passed on. Thread-safety: that of the functions. Failure: code `io` where there
// is no memory, `usage` for memory that is not aligned to 64 bytes.
#pragma once

#include <cstddef>

#include "hotpack/hotpack.h"
#include "hotpack/result.hpp"
#include "hotpack/slot_memory.hpp"

namespace hotpack::c_api {

class UserMemory final : public SlotAllocator {
 public:
  UserMemory(hotpack_allocate_function give, hotpack_free_function take, void* user) : give_(give), take_(take), user_(user) {}
  [[nodiscard]] Result<std::byte*> allocate(std::size_t bytes) override;
  void release(std::byte* memory, std::size_t bytes) noexcept override { take_(user_, memory, bytes); }

 private:
  hotpack_allocate_function give_;
  hotpack_free_function take_;
  void* user_;
};

}  // namespace hotpack::c_api
