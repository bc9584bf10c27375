// Short ways to make an Error. Values only; thread-safe.
#pragma once

#include <string>
#include <utility>

#include "hotpack/result.hpp"

namespace hotpack {

inline Error usage_error(std::string message) {
  return {ErrorCode::usage, std::move(message), {}, {}};
}
inline Error data_error(std::string message, std::string path = {}) {
  return {ErrorCode::data, std::move(message), std::move(path), {}};
}
inline Error damaged_error(std::string message, std::string path = {},
                           std::optional<std::uint64_t> offset = {}) {
  return {ErrorCode::damaged, std::move(message), std::move(path), offset};
}
inline Error internal_error(std::string message) {
  return {ErrorCode::internal, std::move(message), {}, {}};
}

// Makes an I/O error. Its message is `what` and the system's text for `errno_value`, for example
// "cannot open: No such file or directory".
Error io_error(std::string what, std::string path, int errno_value);

}  // namespace hotpack
