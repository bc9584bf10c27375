#include "base/error.hpp"

#include <cstring>
#include <string_view>
#include <utility>

namespace hotpack {

namespace {

// Returns the path with control characters escaped: a line feed would end the message, and an
// escape character could control the terminal.
std::string printable(const std::string& path) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = byte < 0x20 || byte == 0x7F;
    line += c == '\n' ? "\\n"
            : control ? std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15]
                      : std::string(1, c);
  }
  return line;
}

}  // namespace

std::string Error::describe() const {
  std::string text = path.empty() ? message : printable(path) + ": " + message;
  if (offset) text += " (at byte " + std::to_string(*offset) + ")";
  return text;
}

Error usage_error(std::string message) { return {ErrorCode::usage, std::move(message), {}, {}}; }
Error data_error(std::string message, std::string path) {
  return {ErrorCode::data, std::move(message), std::move(path), {}};
}
Error damaged_error(std::string message, std::string path, std::optional<std::uint64_t> offset) {
  return {ErrorCode::damaged, std::move(message), std::move(path), offset};
}
Error internal_error(std::string message) {
  return {ErrorCode::internal, std::move(message), {}, {}};
}

Error io_error(std::string what, std::string path, int errno_value) {
  return {ErrorCode::io, std::move(what) + ": " + std::strerror(errno_value), std::move(path), {}};
}

}  // namespace hotpack
