// Memory for slots from functions of the caller.
//
// Ownership: the caller's, through the two functions, which get `user`. They are called only
// while somebody holds the memory, see hold(). A thread that the Loader left behind at close may
// release blocks later: these are leaked, because the thread may still write to them.
// Thread-safety: that of the functions.
// Failure: code `io` if there is no memory, `usage` if it is not aligned to 64 bytes or nobody
// holds it.
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

  // Returns a holder. After its last copy is gone, the caller's functions and `user` may go. Call
  // it once per UserMemory.
  [[nodiscard]] static std::shared_ptr<void> hold(std::shared_ptr<UserMemory> memory);

 private:
  hotpack_allocate_function give_;
  hotpack_free_function take_;
  void* user_;
  std::atomic<bool> let_go_ = false;
};

}  // namespace hotpack::c_api
