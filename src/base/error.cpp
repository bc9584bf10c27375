#include "base/error.hpp"

#include <cstring>

namespace hotpack {

namespace {

// A line feed in a file's name would end the message.
std::string one_line(const std::string& path) {
  std::string line;
  for (const char c : path) line += c == '\n' ? std::string("\\n") : std::string(1, c);
  return line;
}

}  // namespace

std::string Error::describe() const {
  std::string text = path.empty() ? message : one_line(path) + ": " + message;
  if (offset) text += " (at byte " + std::to_string(*offset) + ")";
  return text;
}

Error io_error(std::string what, std::string path, int errno_value) {
  return {ErrorCode::io, std::move(what) + ": " + std::strerror(errno_value), std::move(path), {}};
}

}  // namespace hotpack
