// The error texts of a handle. A text stays at its address as long as the handle exists, so that C
// callers may keep the pointer.
//
// Ownership: a Failures owns its texts. Thread-safe. Failure: nothing throws. If there is no memory
// for the text of an error, latest() returns a fixed text that says so.
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
  // The same for the exception that is being handled: code `internal`, or `io` for std::bad_alloc.
  hotpack_status add_exception() noexcept;
  // The latest text, or "". It stays valid until kKept other texts have been remembered.
  [[nodiscard]] const char* latest() const noexcept;

 private:
  static constexpr std::size_t kKept = 64;
  void remember(std::string text);
  mutable std::mutex mutex_;
  std::list<std::string> texts_;  // the latest one last, without duplicates
  const char* latest_ = "";
};

}  // namespace hotpack::c_api
