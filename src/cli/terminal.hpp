// Prints the messages and the progress of a command on stderr and in the log file. Nothing else
// writes to the terminal.
//
// Ownership: owns its loggers and the log file, borrows the descriptor. Thread-safety: every member
// may be called from any thread. Failure: open() reports a log file that cannot be opened. Later
// failures to write are ignored, because they must not stop the work.
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
  // What is printed: −2 only errors, −1 also warnings, 0 also information, 1 also details, 2 the
  // same as 1, each message with the seconds since the start. With a negative number, automatic
  // progress is off, too.
  int verbosity = 0;
  // automatic: colors on a terminal, unless NO_COLOR is set and not empty, or TERM is "dumb".
  ColorMode color = ColorMode::automatic;
  // automatic: on a terminal a line that is redrawn, elsewhere a new line every 10 s. always: a
  // line that is redrawn, whatever stderr is. json: one JSON object per second, each on a line;
  // messages also become JSON objects, so that every line of stderr is one.
  ProgressMode progress = ProgressMode::automatic;
  // The file to which every message is appended with its time, whatever the verbosity. Empty: none.
  std::string log_file;
};

// What Terminal knows about its surroundings; tests set their own values.
struct TerminalSurroundings {
  using Clock = std::chrono::steady_clock;
  int descriptor = 2;
  bool is_terminal = false;  // stderr is a terminal that understands escape sequences
  bool no_color = false;     // NO_COLOR is set
  bool fits = false;  // messages are broken to fit width(): on terminals, and if COLUMNS is set;
                      // elsewhere each message is one line
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

  // Prints a message. Control characters are escaped (printable() in text.hpp). Lines after the
  // first are indented, so that a name with a line feed cannot look like another message.
  void message(pipeline::Level level, std::string_view text) override;
  void progress(const pipeline::Progress& progress) override;
  [[nodiscard]] bool stop_requested() const override;
  // Ends the progress of a stage: erases the redrawn line or, if plain lines were printed, prints
  // the last counts. Call it before results go to stdout.
  void finish_progress();
  // Writes to the log file only, if there is one.
  void note(std::string_view text);
  // Returns the text of the last error that was printed; empty if there was none.
  [[nodiscard]] std::string last_error() const;
  [[nodiscard]] bool colored() const;  // true if messages are colored

  void info(std::string_view text) { message(pipeline::Level::info, text); }
  void warning(std::string_view text) { message(pipeline::Level::warning, text); }
  void error(std::string_view text) { message(pipeline::Level::error, text); }

 private:
  class Impl;
  explicit Terminal(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::cli
