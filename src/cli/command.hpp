// The frame of the command line: what every subcommand shares, from the parsed options to the exit
// code.
//
// A subcommand's file looks like this:
//
//   void add_count_command(CLI::App& app, CommandContext& context) {
//     auto options = std::make_shared<CountOptions>();
//     CLI::App& command = *app.add_subcommand("count", "Counts the samples of a pack");
//     set_examples(command, "hotpack count packed/train");
//     command.add_option("PACK", options->pack, "the packed folder")->required();
//     context.add_json_option(command);
//     context.set_action(command, [&context, options] { return count(context, *options); });
//   }
//
// The action returns an exit code (exit_code.hpp), as a rule `context.fail(error)` or kExitGood.
// Options of every command (-q, -v,
// --color, --progress, --log-file) are added by the frame.
//
// Thread-safety: a CommandContext belongs to the main thread; its Terminal may be used from any.
// Failure: exceptions that escape an action are caught by the frame and reported as a bug (exit
// 70).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/pack_command.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "hotpack/result.hpp"

namespace hotpack::cli {

// The descriptors that a command writes to; tests give their own.
struct Streams {
  int output = 1;
  int messages = 2;
};

class Report;

class CommandContext {
 public:
  explicit CommandContext(Streams streams = {});
  CommandContext(const CommandContext&) = delete;
  CommandContext& operator=(const CommandContext&) = delete;

  // While the command line is defined: options that some commands have and whose values are read
  // here.
  void add_jobs_option(CLI::App& command);    // -j, --jobs N
  void add_json_option(CLI::App& command);    // --json
  void add_config_option(CLI::App& command);  // --config FILE: keys are the command's long options;
                                              // an unknown key is a usage error
  void add_message_options(CLI::App& command);
  // Sets what `command` runs after the whole command line was accepted.
  void set_action(CLI::App& command, std::function<int()> action);
  // The same, called while the line is parsed.
  void set_action(std::function<int()> action) { action_ = std::move(action); }

  // While the action runs.
  [[nodiscard]] Terminal& terminal() { return *terminal_; }
  [[nodiscard]] Output& output() { return output_; }
  [[nodiscard]] int jobs() const;  // default: the processors this process may use
  [[nodiscard]] bool json() const { return json_; }
  // The result on stdout: one JSON object with --json, else text.
  void print(const Report& report);
  // For several packs: {"packs":[…]}, or the texts with `between` between them. Prints nothing
  // without reports.
  void print_packs(const std::vector<Report>& packs, bool several, std::string_view between = "");
  // From here on SIGINT, SIGTERM and SIGHUP make terminal().stop_requested() true instead of ending
  // the process. For actions that ask it between samples; the frame raises the signal again when
  // the action has returned.
  void stop_on_signals();
  // Prints the error and returns its exit code. With --json, finish() also writes it to stdout as
  // an object, unless a result is there.
  [[nodiscard]] int fail(const Error& error);
  // Options that a proposed `pack` command keeps.
  [[nodiscard]] std::span<const GivenOption> given_options() const { return given_; }
  [[nodiscard]] std::size_t columns() const;  // of text on stdout: the terminal's, or kUsualColumns
  [[nodiscard]] bool colored_output()
      const;  // by --color, NO_COLOR and whether stdout is a terminal

  // For the frame.
  void note_arguments(
      int argc,
      const char* const* argv);  // as typed: for the log, and for --json on a refused line
  void note_options(
      const CLI::App& root);  // as parsed: fail() adds them to the commands that an error proposes
  [[nodiscard]] Status open_terminal();  // with the options as parsed
  void open_plain_terminal();            // for messages about a refused command line
  [[nodiscard]] int run_action() {
    acted_ = true;
    return action_();
  }
  [[nodiscard]] bool has_action() const { return static_cast<bool>(action_); }
  [[nodiscard]] int finish(int code);  // ends progress, flushes the output, returns the exit code

 private:
  void write_error_object(int code);
  void log_end(int code);

  Streams streams_;
  Output output_;
  TerminalOptions terminal_options_;
  int quiet_ = 0;
  int verbose_ = 0;
  int jobs_ = 0;
  bool json_ = false;
  bool json_asked_ = false;  // --json was typed, even if the line was refused
  bool acted_ = false;
  std::string typed_;
  std::vector<GivenOption> given_;
  std::optional<Error> failure_;
  std::optional<StopSignals> stop_signals_;
  std::unique_ptr<Terminal> terminal_;
  std::function<int()> action_;
};

// Shows `examples` first in the command's help: one command per line, `#` starts a remark.
void set_examples(CLI::App& command, std::string examples);

// Parses, runs, and returns the exit code. A pending stop signal is left for the caller to raise.
[[nodiscard]] int run_command_line(std::span<const AddCommand> commands, int argc,
                                   const char* const* argv, Streams streams = {});

// The whole of main(): all commands; ends by raising a stop signal again if one arrived.
[[nodiscard]] int run_main(int argc, const char* const* argv);

}  // namespace hotpack::cli
