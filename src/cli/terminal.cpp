#include "cli/terminal.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/folder.hpp"
#include "base/try.hpp"
#include "cli/descriptor.hpp"
#include "cli/progress_text.hpp"
#include "cli/screen.hpp"
#include "cli/signals.hpp"
#include "cli/text.hpp"
#include "format/pack_folder.hpp"

namespace hotpack::cli {

namespace {

using Clock = TerminalSurroundings::Clock;
using pipeline::Level;

enum class ProgressStyle { none, redrawn, lines, json };

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr std::chrono::seconds kJsonEvery{1};
constexpr std::chrono::seconds kLineEvery{10};
constexpr int kUsualWidth = 80;

bool set_and_not_empty(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool dumb_terminal() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

// Returns the text with all lines after the first indented. A name may contain a line feed; the
// rest of the name must not look like another message.
std::string with_indented_lines(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] == '\n' && at + 1 < text.size() && text[at + 1] != ' ') out += "  ";
  }
  return out;
}

ProgressStyle progress_style(const TerminalOptions& options,
                             const TerminalSurroundings& surroundings) {
  switch (options.progress) {
    case ProgressMode::never:
      return ProgressStyle::none;
    case ProgressMode::json:
      return ProgressStyle::json;
    case ProgressMode::always:
      return ProgressStyle::redrawn;
    case ProgressMode::automatic:
      break;
  }
  if (options.verbosity < 0) return ProgressStyle::none;
  return surroundings.is_terminal ? ProgressStyle::redrawn : ProgressStyle::lines;
}

Clock::duration interval_of(ProgressStyle style) {
  switch (style) {
    case ProgressStyle::redrawn:
      return kRedrawEvery;
    case ProgressStyle::json:
      return kJsonEvery;
    case ProgressStyle::lines:
    case ProgressStyle::none:
      break;
  }
  return kLineEvery;
}

spdlog::level::level_enum spdlog_level(Level level) {
  constexpr std::array kLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                  spdlog::level::err};
  return kLevels[static_cast<std::size_t>(level)];
}

Level level_of(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return Level::error;
  if (level == spdlog::level::warn) return Level::warning;
  return level == spdlog::level::info ? Level::info : Level::debug;
}

spdlog::level::level_enum least_level(int verbosity) {
  if (verbosity <= -2) return spdlog::level::err;
  if (verbosity == -1) return spdlog::level::warn;
  return verbosity == 0 ? spdlog::level::info : spdlog::level::debug;
}

// Returns the prefix of a message, such as "warning:"; information has none.
std::string prefix_of(Level level) {
  return level == Level::info ? std::string() : std::string(name_of(level)) + ":";
}

std::string painted(Level level, const std::string& word) {
  const char* const paint = level == Level::error     ? "\x1b[1;31m"
                            : level == Level::warning ? "\x1b[1;33m"
                                                      : "\x1b[2m";
  return paint + word + "\x1b[0m";
}

// Formats messages for the screen. It needs no mutex, because Terminal's mutex guards it.
class ScreenSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  struct Style {
    bool color = false;
    bool json = false;
    bool times = false;
  };
  // If `width` returns 0, lines are not broken.
  ScreenSink(Screen& screen, Style style, std::function<double()> seconds,
             std::function<int()> width)
      : screen_(screen), style_(style), seconds_(std::move(seconds)), width_(std::move(width)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& entry) override {
    const Level level = level_of(entry.level);
    const std::string_view text(entry.payload.data(), entry.payload.size());
    try {
      show(level, text);
    } catch (const std::bad_alloc&) {  // spdlog would hide the exception
      screen_.print_plainly(prefix_of(level), text);
    }
  }
  void show(Level level, std::string_view text) {
    if (style_.json) return screen_.print(message_json(level, text));
    const std::string time = style_.times ? "[" + human_duration(seconds_()) + "] " : std::string();
    screen_.print(time + paint(level, shaped(level, text)));
  }
  [[nodiscard]] std::string shaped(Level level, std::string_view text) const {
    const std::string prefix = prefix_of(level);
    return fitted((prefix + (prefix.empty() ? "" : " ")).append(text),
                  static_cast<std::size_t>(std::max(0, width_())));
  }
  [[nodiscard]] std::string paint(Level level, std::string text) const {
    const std::string prefix = prefix_of(level);
    return style_.color && !prefix.empty() ? painted(level, prefix) + text.substr(prefix.size())
                                           : std::move(text);
  }
  void flush_() override {}

  Screen& screen_;
  Style style_;
  std::function<double()> seconds_;
  std::function<int()> width_;
};

using FileSink = spdlog::sinks::basic_file_sink<spdlog::details::null_mutex>;

// The beginning of every message in the log: "0" is any digit, "+" is either sign.
constexpr const char* kLogFormat = "%Y-%m-%dT%H:%M:%S.%e%z %l %v";
constexpr std::string_view kLogTime = "0000-00-00T00:00:00.000+00:00 ";

// True if the file is empty or begins as a log does.
bool is_log(const std::string& path) {
  std::array<char, kLogTime.size()> first{};
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), first.size());
  std::error_code ignored;
  if (file.gcount() == 0) return std::filesystem::file_size(path, ignored) == 0;
  return std::equal(first.begin(), first.end(), kLogTime.begin(), [](char found, char expected) {
    if (expected == '0') return found >= '0' && found <= '9';
    return found == expected || (expected == '+' && found == '-');
  });
}

// Refuses a file next to the shards of a pack, and one whose name a pack needs.
Status check_no_pack_file(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::absolute(path, ignored);
  const auto names = names_in_folder(file.parent_path().string()).value_or({});
  const bool is_free = !format::describe_pack_folder({file.filename().string()}).others.empty();
  if (is_free && format::describe_pack_folder(names).shards.empty()) return {};
  return usage_error("--log-file " + path +
                     ": is in a pack, or has a name that packed files have; choose another folder "
                     "or name");
}

// Opens the log file for appending, with an error that says why if that fails. spdlog would not say
// why, and would create missing folders.
Result<std::shared_ptr<FileSink>> open_log_file(const std::string& path) {
  HOTPACK_TRY(check_no_pack_file(path));
  if (std::error_code ignored; std::filesystem::is_regular_file(path, ignored) && !is_log(path))
    return usage_error("--log-file " + path +
                       ": is not a log of hotpack, and messages would be appended to it; choose "
                       "another name, or remove the file");
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return io_error("cannot open the log file", path, errno);
  ::close(descriptor);
  try {
    auto sink = std::make_shared<FileSink>(path);
    sink->set_formatter(std::make_unique<spdlog::pattern_formatter>(kLogFormat));
    return sink;
  } catch (const spdlog::spdlog_ex& failure) {
    return Error{
        ErrorCode::io, std::string("cannot open the log file: ") + failure.what(), path, {}};
  }
}

}  // namespace

bool use_color(ColorMode mode, const TerminalSurroundings& surroundings) {
  if (mode != ColorMode::automatic) return mode == ColorMode::always;
  return surroundings.is_terminal && !surroundings.no_color;
}

TerminalSurroundings TerminalSurroundings::of_descriptor(int descriptor) {
  TerminalSurroundings found;
  found.descriptor = descriptor;
  found.is_terminal = ::isatty(descriptor) == 1 && !dumb_terminal();
  found.no_color = set_and_not_empty("NO_COLOR");
  found.fits = columns_to_fit(descriptor).has_value();
  found.width = [descriptor] { return columns_to_fit(descriptor).value_or(kUsualWidth); };
  found.now = [] { return Clock::now(); };
  return found;
}

class Terminal::Impl {
 public:
  Impl(const TerminalOptions& options, TerminalSurroundings surroundings,
       std::shared_ptr<FileSink> file)
      : surroundings_(std::move(surroundings)),
        style_(progress_style(options, surroundings_)),
        start_(surroundings_.now()),
        next_show_(start_ + interval_of(style_)),
        screen_(surroundings_.descriptor),
        file_(std::move(file)),
        logger_("hotpack") {
    const ScreenSink::Style look{use_color(options.color, surroundings_),
                                 style_ == ProgressStyle::json, options.verbosity >= 2};
    colored_ = look.color;
    auto sink = std::make_shared<ScreenSink>(
        screen_, look, [this] { return seconds_since(start_); },
        [this] { return surroundings_.fits ? surroundings_.width() : 0; });
    sink->set_level(least_level(options.verbosity));
    logger_.sinks().push_back(std::move(sink));
    if (file_) logger_.sinks().push_back(file_);
    logger_.set_level(spdlog::level::debug);
    logger_.flush_on(spdlog::level::warn);
    // Ignores errors of the log file: a full disk must not stop the work, and spdlog's own message
    // would break the progress line.
    logger_.set_error_handler([](const std::string&) {});
  }

  void message(Level level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    // Programs receive the text unchanged; JSON escapes its control characters.
    const std::string shown =
        style_ == ProgressStyle::json ? std::string(text) : with_indented_lines(printable(text));
    logger_.log(spdlog_level(level), spdlog::string_view_t(shown.data(), shown.size()));
    if (level == Level::error) last_error_ = text;
  }

  void note(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!file_) return;
    file_->log({logger_.name(), spdlog::level::info, with_indented_lines(printable(text))});
    file_->flush();
  }

  [[nodiscard]] std::string last_error() {
    const std::lock_guard lock(mutex_);
    return last_error_;
  }
  [[nodiscard]] bool colored() const { return colored_; }

  void progress(const pipeline::Progress& counts) {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = surroundings_.now();
    const bool begins = begin_stage_if_new(counts, now);
    counts_ = counts;
    counts_.stage = stage_;
    rate_.update(now, counts.samples_done);
    unshown_ = unlogged_ = true;
    if (now >= next_show_ || (begins && style_ != ProgressStyle::lines)) show(now);
    if (file_ && now >= next_log_) log_progress(now);
  }

  void finish_progress() {
    const std::lock_guard lock(mutex_);
    if (stage_.empty()) return;
    screen_.erase_line();
    if (lines_shown_ > 0 && unshown_) screen_.print(progress_text());
    if (file_ && unlogged_) log_progress(surroundings_.now());
    stage_.clear();
  }

 private:
  [[nodiscard]] double seconds_since(Clock::time_point since) const {
    return std::chrono::duration<double>(surroundings_.now() - since).count();
  }

  bool begin_stage_if_new(const pipeline::Progress& counts, Clock::time_point now) {
    if (counts.stage == stage_) return false;
    stage_ = counts.stage;
    stage_start_ = now;
    lines_shown_ = 0;
    next_log_ = now + kLineEvery;
    rate_.restart(now, counts.samples_done);
    return true;
  }

  [[nodiscard]] ProgressFigures figures() const {
    return {counts_, rate_.per_second(), seconds_since(stage_start_)};
  }

  [[nodiscard]] std::string progress_text() const {
    return style_ == ProgressStyle::json ? progress_json(figures())
                                         : printable(progress_line(figures()));
  }

  void show(Clock::time_point now) {
    next_show_ = now + interval_of(style_);
    unshown_ = false;
    if (style_ == ProgressStyle::redrawn) {
      // The last column stays empty: some terminals wrap the line when that column is written.
      const int columns = std::max(1, surroundings_.width() - 1);
      screen_.redraw(truncated(progress_text(), static_cast<std::size_t>(columns)));
    } else if (style_ != ProgressStyle::none) {
      screen_.print(progress_text());
      ++lines_shown_;
    }
  }

  void log_progress(Clock::time_point now) {
    next_log_ = now + kLineEvery;
    unlogged_ = false;
    const std::string line = progress_line(figures());
    file_->log({logger_.name(), spdlog::level::info, line});
  }

  TerminalSurroundings surroundings_;
  ProgressStyle style_;
  Clock::time_point start_;
  Clock::time_point next_show_;
  std::mutex mutex_;
  Screen screen_;
  std::shared_ptr<FileSink> file_;
  spdlog::logger logger_;
  bool colored_ = false;
  std::string last_error_;

  std::string stage_;  // empty: no progress is shown
  Clock::time_point stage_start_;
  Clock::time_point next_log_;
  int lines_shown_ = 0;    // of this stage
  bool unshown_ = false;   // counts_ changed since they were shown
  bool unlogged_ = false;  // counts_ changed since they were logged
  pipeline::Progress counts_;
  RateMeter rate_;
};

Result<std::unique_ptr<Terminal>> Terminal::open(const TerminalOptions& options,
                                                 TerminalSurroundings surroundings) {
  std::shared_ptr<FileSink> file;
  if (!options.log_file.empty()) {
    auto opened = open_log_file(options.log_file);
    if (!opened.ok()) return std::move(opened).error();
    file = std::move(opened).value();
  }
  return std::unique_ptr<Terminal>(
      new Terminal(std::make_unique<Impl>(options, std::move(surroundings), std::move(file))));
}

Terminal::Terminal(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Terminal::~Terminal() { impl_->finish_progress(); }

void Terminal::message(Level level, std::string_view text) { impl_->message(level, text); }

void Terminal::progress(const pipeline::Progress& progress) { impl_->progress(progress); }

bool Terminal::stop_requested() const { return stop_signal() != 0; }

void Terminal::note(std::string_view text) { impl_->note(text); }

std::string Terminal::last_error() const { return impl_->last_error(); }

bool Terminal::colored() const { return impl_->colored(); }

void Terminal::finish_progress() { impl_->finish_progress(); }

}  // namespace hotpack::cli
