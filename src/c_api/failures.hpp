// The errors of a handle. Their texts stay at their addresses as long as the handle exists, so that
// C callers may keep the pointers.
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
  // What the latest error concerns, with texts that stay valid as long as that of latest();
  // HOTPACK_OK and empty texts before the first error.
  [[nodiscard]] hotpack_error_info latest_info() const noexcept;

 private:
  static constexpr std::size_t kKept = 64;
  struct Failure {
    Error error;
    std::string text;  // of Error::describe()
    bool operator==(const Failure& other) const;
  };
  void remember(Failure failure);
  void remember_fixed(const char* text, hotpack_status status) noexcept;
  mutable std::mutex mutex_;
  std::list<Failure> kept_;  // the latest one last, without duplicates
  const char* latest_ = "";
  hotpack_error_info info_ = described(HOTPACK_OK, "");

  [[nodiscard]] static hotpack_error_info described(hotpack_status status,
                                                    const char* message) noexcept;
};

// Implements the functions hotpack_…_error_info. USAGE for null and for a wrong struct_size, which
// are not remembered, because they would replace the error in question.
hotpack_status describe_error(const Failures* failures, hotpack_error_info* info) noexcept;

}  // namespace hotpack::c_api
