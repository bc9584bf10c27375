#include "cli/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace hotpack::cli {

namespace {

void wait_until_writable(int descriptor) {
  pollfd waiting{descriptor, POLLOUT, 0};
  ::poll(&waiting, 1, -1);
}

}  // namespace

int write_fully(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written == 0) return ENOSPC;  // nothing more can be written, and the system gives no reason
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      wait_until_writable(descriptor);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void occupy_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // open() returns the lowest free number, which is `descriptor`.
    [[maybe_unused]] const int occupied =
        ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
  }
}

std::optional<int> columns_to_fit(int descriptor) {
  constexpr int kFewest = 20, kMost = 10'000;
  const char* const variable = std::getenv("COLUMNS");
  const int told = variable == nullptr ? 0 : std::atoi(variable);
  if (told >= kFewest && told <= kMost) return told;
  winsize size{};
  if (::isatty(descriptor) != 1) return std::nullopt;
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < kFewest) return 80;
  return size.ws_col;
}

}  // namespace hotpack::cli
