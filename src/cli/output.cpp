#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/error.hpp"
#include "cli/descriptor.hpp"

namespace hotpack::cli {

namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

// Some file systems report a full disk only when a descriptor of the file is closed. 0 or an errno.
int close_a_copy(int descriptor) {
  const int copy = ::dup(descriptor);
  if (copy < 0) return errno;
  return ::close(copy) == 0 || errno == EINTR ? 0 : errno;
}

}  // namespace

void Output::write(std::string_view text) {
  used_ = used_ || !text.empty();
  if (!good()) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void Output::line(std::string_view text) {
  write(text);
  write("\n");
}

Status Output::finish() {
  if (!used_) return {};
  if (good()) flush();
  if (good()) errno_value_ = close_a_copy(descriptor_);
  if (!good()) return io_error("cannot write the results", "standard output", errno_value_);
  return {};
}

void Output::flush() {
  errno_value_ = write_fully(descriptor_, buffer_);
  buffer_.clear();
}

}  // namespace hotpack::cli
