#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/error.hpp"
#include "cli/descriptor.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr std::size_t kKeptBytes = 64 * 1024;

// Returns the length of the text without a last character that may be incomplete.
std::size_t whole_characters(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && (static_cast<unsigned char>(text[end - 1]) & 0xC0U) == 0x80U) --end;
  return end > 0 && static_cast<unsigned char>(text[end - 1]) >= 0xC0U ? end - 1 : end;
}

// Duplicates the descriptor and closes the duplicate, because some file systems report a full disk
// only at close. Returns 0 or an errno.
int close_a_copy(int descriptor) {
  const int copy = ::dup(descriptor);
  if (copy < 0) return errno;
  return ::close(copy) == 0 || errno == EINTR ? 0 : errno;
}

}  // namespace

void Output::write(std::string_view text) {
  used_ = used_ || !text.empty();
  if (!good()) return;
  line_ += text;
  put_lines(false);
}

void Output::write_painted(std::string_view text) {
  used_ = used_ || !text.empty();
  put_lines(true);
  put(text);
}

void Output::line(std::string_view text) {
  write(text);
  write("\n");
}

Status Output::finish() {
  if (!used_) return {};
  put_lines(true);
  if (good()) flush();
  if (good()) errno_value_ = close_a_copy(descriptor_);
  if (!good()) return io_error("cannot write the results", "standard output", errno_value_);
  return {};
}

bool Output::abandoned() const { return errno_value_ == EPIPE; }

// Formats text that is waiting in line_ and moves it to the buffer. With `all`, moves everything;
// otherwise only whole lines, because fitted() needs whole lines. If line_ is longer than the
// buffer and has no newline, moves everything except an incomplete last character.
void Output::put_lines(bool all) {
  const bool endless =
      !all && line_.size() >= kBufferBytes && line_.find('\n') == std::string::npos;
  const std::size_t end = all       ? line_.size()
                          : endless ? whole_characters(line_)
                                    : line_.rfind('\n') + 1;
  if (end == 0) return;
  put(fitted(printable(std::string_view(line_).substr(0, end)), columns_));
  line_.erase(0, end);
}

void Output::put(std::string_view printable_text) {
  if (!good()) return;
  buffer_ += printable_text;
  if (keeps_ && kept_.size() < kKeptBytes)
    kept_ += printable_text.substr(0, kKeptBytes - kept_.size());
  if (buffer_.size() >= kBufferBytes) flush();
}

void Output::flush() {
  errno_value_ = write_fully(descriptor_, buffer_);
  buffer_.clear();
}

}  // namespace hotpack::cli
