// Slot memory from functions of the caller.
//
// Ownership: the caller's, by the two functions; `user` is passed on. They are called while somebody holds the memory, see hold(). A thread
// that the Loader left behind at close may come later: its blocks are leaked, for it may still write to them. Thread-safety: that of the
// functions. Failure: code `io` where there is no memory, `usage` for memory that is not aligned to 64 bytes and when nobody holds it.
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
  UserMemory(hotpack_allocate_function give, hotpack_free_function take, void* user) : give_(give), take_(take), user_(user) {}
  [[nodiscard]] Result<std::byte*> allocate(std::size_t bytes) override;
  void release(std::byte* memory, std::size_t bytes) noexcept override;

  // With the last copy of what this gives, the caller's functions and `user` may go. Once for a UserMemory.
  [[nodiscard]] static std::shared_ptr<void> hold(std::shared_ptr<UserMemory> memory);

 private:
  hotpack_allocate_function give_;
  hotpack_free_function take_;
  void* user_;
  std::atomic<bool> let_go_ = false;
};

}  // namespace hotpack::c_api
