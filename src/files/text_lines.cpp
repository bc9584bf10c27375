#include "files/text_lines.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupted.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::string_view kBlanks = " \t\r";

constexpr std::size_t kMostOfStream = std::size_t{1} << 30;

Result<std::string> read_to_end(int descriptor, const std::string& path) {
  std::string text;
  for (std::size_t got = 1; got > 0;) {
    const std::size_t before = text.size();
    if (before > kMostOfStream)
      return data_error(
          "is longer than " + std::to_string(kMostOfStream) + " bytes; give a shorter list", path);
    text.resize(before + (std::size_t{1} << 16));
    const ssize_t count = ::read(descriptor, text.data() + before, text.size() - before);
    if (count < 0 && errno != EINTR) return io_error("cannot read", path, errno);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    got = count < 0 ? 1 : static_cast<std::size_t>(count);
  }
  return text;
}

// While an object exists, a signal ends the program at once. Needed while a stream is read: it may
// never end, and nothing is being written that must be finished.
class StopsAtOnce {
 public:
  StopsAtOnce() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::signal(kSignals[i], SIG_DFL);
    }
  }
  ~StopsAtOnce() {
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  StopsAtOnce(const StopsAtOnce&) = delete;
  StopsAtOnce& operator=(const StopsAtOnce&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals{SIGHUP, SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

Result<std::string> read_stream(const std::string& path) {
  const StopsAtOnce while_reading;
  if (path == "-") return read_to_end(STDIN_FILENO, "standard input");
  const int descriptor =
      retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
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
    const bool comment = line.starts_with('#') &&
                         (line.size() == 1 || kBlanks.find(line[1]) != std::string_view::npos);
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
