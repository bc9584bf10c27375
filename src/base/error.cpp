#include "base/error.hpp"

#include <cstring>

namespace hotpack {

std::string Error::describe() const {
  std::string text = path.empty() ? message : path + ": " + message;
  if (offset) text += " (at byte " + std::to_string(*offset) + ")";
  return text;
}

Error io_error(std::string what, std::string path, int errno_value) {
  return {ErrorCode::io, std::move(what) + ": " + std::strerror(errno_value), std::move(path), {}};
}

}  // namespace hotpack
