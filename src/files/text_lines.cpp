#include "files/text_lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"
#include "files/scan_scope.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostOfStream = std::size_t{1} << 30;
constexpr int kAskEvery = 50;  // milliseconds

// While nothing arrives, asks the observer of the scans for a stop.
Result<std::string> read_to_end(int descriptor, const std::string& path) {
  std::string text;
  std::array<char, std::size_t{1} << 16> piece{};
  pollfd arrives{descriptor, POLLIN, 0};
  while (true) {
    while (::poll(&arrives, 1, kAskEvery) <= 0) HOTPACK_TRY(count_scanned(0));
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count < 0 && errno != EINTR && errno != EAGAIN) return io_error("cannot read", path, errno);
    if (count == 0) return text;
    if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostOfStream)
      return data_error(
          "is longer than " + std::to_string(kMostOfStream) + " bytes; give a shorter list", path);
  }
}

Result<std::string> read_stream(const std::string& path) {
  if (path == "-") return read_to_end(STDIN_FILENO, "standard input");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return io_error("cannot open", path, errno);
  Result<std::string> text = read_to_end(descriptor, path);
  ::close(descriptor);
  return text;
}

}  // namespace

bool is_stream(const std::string& path) {
  struct stat status {};
  return path == "-" || (::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode));
}

TextLines::TextLines(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

std::optional<TextLine> TextLines::next() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    const bool comment = line == "#" || line.starts_with("# ") || line.starts_with("#\t");
    if (!line.empty() && !comment) return TextLine{number_, line};
  }
  return std::nullopt;
}

Result<std::string> read_list_text(const std::string& path) {
  HOTPACK_ASSIGN(std::string text, is_stream(path) ? read_stream(path) : read_text_file(path));
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return data_error("is UTF-16 text; save it as UTF-8", path);
  if (text.find('\0') != std::string::npos)
    return data_error("is no text: it holds NUL bytes", path);
  return text;
}

}  // namespace hotpack::pipeline
