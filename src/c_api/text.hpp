// Copies texts into the caller's memory. Pure functions; thread-safe. Failure: code `usage` for a
// buffer that is too small.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// Writes the text and a NUL to `into`, a buffer of `size` bytes. If `length` is not null, *length
// becomes the length of the text without the NUL, even if the text does not fit. If `into` is null
// and `size` is 0, only sets *length.
[[nodiscard]] inline Status copy_text(std::string_view text, char* into, std::size_t size,
                                      std::size_t* length) {
  if (length != nullptr) *length = text.size();
  if (into == nullptr && size == 0 && length != nullptr) return {};
  if (into == nullptr || size <= text.size()) {
    return usage_error("the text has " + std::to_string(text.size()) +
                       " bytes and a NUL; there is room for " +
                       std::to_string(into == nullptr ? 0 : size));
  }
  std::memcpy(into, text.data(), text.size());
  into[text.size()] = '\0';
  return {};
}

}  // namespace hotpack::c_api
