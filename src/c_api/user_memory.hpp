// Memory for slots from the caller's two functions, allocate and free.
//
// Ownership: the two functions own the memory. They are called only while a holder exists, which
// hold() returns. A thread that hangs, so that Loader::close() has abandoned it, may release blocks
// after the last holder is gone. These blocks are leaked, because the caller's functions may no
// longer exist. Thread-safety: that of the functions. Failure: code `io` if there is no memory;
// `usage` if the memory is not aligned to 64 bytes, or if no holder exists.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "hotpack/hotpack.h"
#include "hotpack/result.hpp"
#include "hotpack/slot_memory.hpp"

namespace hotpack::c_api {

class UserMemory final : public SlotAllocator {
 public:
  UserMemory(hotpack_allocate_function give, hotpack_free_function take, void* user)
      : give_(give), take_(take), user_(user) {}
  [[nodiscard]] Result<std::byte*> allocate(std::size_t bytes) override;
  void release(std::byte* memory, std::size_t bytes) noexcept override;

  // Returns a holder. As long as a copy of the holder exists, the caller's two functions and `user`
  // are in use; afterwards the caller may destroy them. Call hold() once per UserMemory.
  [[nodiscard]] static std::shared_ptr<void> hold(std::shared_ptr<UserMemory> memory);

 private:
  hotpack_allocate_function give_;
  hotpack_free_function take_;
  void* user_;
  std::atomic<bool> let_go_ = false;
};

}  // namespace hotpack::c_api
