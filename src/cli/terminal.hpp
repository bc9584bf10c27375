// The one owner of the terminal: messages and progress of a command, on stderr and in the log file.
//
// Ownership: owns its loggers and the log file, borrows the descriptor. Thread-safety: every member
// may be called from any thread. Failure: open() reports a log file that cannot be opened; later
// failures to write are ignored, they must not stop a pack.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"
#include "settings/observer.hpp"

namespace hotpack::cli {

enum class ColorMode { automatic, always, never };
enum class ProgressMode { automatic, always, never, json };

struct TerminalOptions {
  // −2: errors only; −1: and warnings; 0: and information, the default; 1: and details; 2: each
  // with the seconds since the start. Below 0 the automatic progress is off too.
  int verbosity = 0;
  // automatic: on a terminal unless NO_COLOR is set (to anything but an empty string) or TERM is
  // "dumb".
  ColorMode color = ColorMode::automatic;
  // automatic: a redrawn line on a terminal, elsewhere a plain line every 10 s. always: a redrawn
  // line wherever stderr goes. json: one JSON object per line each second; messages become JSON
  // objects too, so that every line of stderr is one.
  ProgressMode progress = ProgressMode::automatic;
  // Receives everything with time stamps, whatever the verbosity; appended to. Empty: none.
  std::string log_file;
};

// The environment of a terminal; tests set their own.
struct TerminalSurroundings {
  using Clock = std::chrono::steady_clock;
  int descriptor = 2;
  bool is_terminal = false;  // and one that understands escape sequences
  bool no_color = false;     // NO_COLOR is set
  bool fits = false;  // messages are broken to fit width(), on terminals and if COLUMNS is set;
                      // elsewhere each is one line
  std::function<int()> width;  // columns
  std::function<Clock::time_point()> now;

  [[nodiscard]] static TerminalSurroundings of_descriptor(int descriptor);
};

[[nodiscard]] bool use_color(ColorMode mode, const TerminalSurroundings& surroundings);

class Terminal final : public pipeline::Observer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Terminal>> open(const TerminalOptions& options,
                                                              TerminalSurroundings surroundings);
  ~Terminal() override;

  // Control characters are escaped (text.hpp); lines after the first are indented, so that no name
  // can look like a message.
  void message(pipeline::Level level, std::string_view text) override;
  void progress(const pipeline::Progress& progress) override;
  [[nodiscard]] bool stop_requested() const override;
  // Ends the progress of a stage: erases the redrawn line, or prints the last counts if lines were
  // printed before. Call it before results go to stdout.
  void finish_progress();
  // Writes to the log file only, if there is one.
  void note(std::string_view text);
  // The last error that was reported, empty if none.
  [[nodiscard]] std::string last_error() const;
  [[nodiscard]] bool colored() const;  // whether messages are

  void info(std::string_view text) { message(pipeline::Level::info, text); }
  void warning(std::string_view text) { message(pipeline::Level::warning, text); }
  void error(std::string_view text) { message(pipeline::Level::error, text); }

 private:
  class Impl;
  explicit Terminal(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::cli
