// The failures of a handle, as texts with stable addresses.
//
// Ownership: a Failures owns its texts. Thread-safe. Failure: without memory for a text it
// returns a text that says so; nothing throws.
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
  // Remembers the error as the latest one and returns its status.
  hotpack_status add(const Error& error) noexcept;
  // The same for the exception in flight: code `internal`.
  hotpack_status add_exception() noexcept;
  // The latest text, or "". It stays until kKept other texts have followed.
  [[nodiscard]] const char* latest() const noexcept;

 private:
  static constexpr std::size_t kKept = 64;
  void remember(std::string text);
  mutable std::mutex mutex_;
  std::list<std::string> texts_;  // the latest one last, without duplicates
  const char* latest_ = "";
};

}  // namespace hotpack::c_api
