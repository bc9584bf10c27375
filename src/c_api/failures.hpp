// What went wrong with a handle, as texts that stay where they are.
//
// Ownership: a Failures owns its texts. Thread-safe. Failure: without memory for a text the caller learns that instead; nothing throws.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>

#include "hotpack/hotpack.h"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

class Failures {
 public:
  // Remembers the error as the latest one; its status.
  hotpack_status add(const Error& error) noexcept;
  // The same for the exception that is being handled: code `internal`.
  hotpack_status add_exception() noexcept;
  // The latest text, "" when there is none. It stays until kKept other texts have come.
  [[nodiscard]] const char* latest() const noexcept;

 private:
  static constexpr std::size_t kKept = 64;
  void remember(std::string text);
  mutable std::mutex mutex_;
  std::list<std::string> texts_;  // the latest one last, no text twice
  const char* latest_ = "";
};

}  // namespace hotpack::c_api
