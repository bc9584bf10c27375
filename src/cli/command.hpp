// The frame of the command line: the code that runs every subcommand, from the parsed options to
// the exit code. It consists of CommandContext and run_command_line().
//
// A subcommand's file looks like this:
//
//     void define_count(CLI::App& command, CommandContext& context) {
//       auto options = std::make_shared<CountOptions>();
//       set_examples(command, "hotpack count packed/train");
//       command.add_option("PACK", options->pack, "the packed folder")->required();
//       context.add_json_option(command);
//       context.set_action(command, [&context, options] { return count(context, *options); });
//     }
//
//     void add_count_command(CLI::App& app, CommandContext& context) {
//       context.add_command(app, "count", "Counts the samples of a pack", define_count);
//     }
//
// The action returns an exit code (exit_code.hpp), usually `context.fail(error)` or kExitGood. The
// frame adds the options that every command has: -q, -v, --color, --progress, --log-file.
//
// Thread-safety: a CommandContext belongs to the main thread; its Terminal may be used from any
// thread. Failure: the frame catches exceptions that escape an action and reports them as a bug
// (exit code 70).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/json_wishes.hpp"
#include "cli/named_option.hpp"
#include "cli/output.hpp"
#include "cli/pack_command.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "hotpack/result.hpp"

namespace hotpack::cli {

// The descriptors that a command writes to; tests replace them.
struct Streams {
  int output = 1;
  int messages = 2;
};

class Report;
class CommandContext;

using DefineCommand = std::function<void(CLI::App& command, CommandContext& context)>;

class CommandContext {
 public:
  explicit CommandContext(Streams streams = {});
  CommandContext(const CommandContext&) = delete;
  CommandContext& operator=(const CommandContext&) = delete;

  // Adds a subcommand. `define` gives it options, examples and an action. That takes as long as
  // a short command runs, so it is done only if the name is among the words of the command line.
  void add_command(CLI::App& root, const std::string& name, const std::string& about,
                   const DefineCommand& define);

  // Call these functions while the options of a command are defined. Each adds an option that only
  // some commands have; the context keeps the option's value.
  void add_jobs_option(CLI::App& command);    // -j, --jobs N
  void add_json_option(CLI::App& command);    // --json
  void add_config_option(CLI::App& command);  // --config FILE: keys are the command's long options;
                                              // an unknown key is a usage error
  void add_message_options(CLI::App& command);
  // Sets the action of `command`, which runs after the whole command line was accepted.
  void set_action(CLI::App& command, std::function<int()> action);
  // The same, for a callback that runs while the line is parsed.
  void set_action(std::function<int()> action) { action_ = std::move(action); }

  // To call while the action runs.
  [[nodiscard]] Terminal& terminal() { return *terminal_; }
  [[nodiscard]] Output& output() { return output_; }
  [[nodiscard]] int jobs() const;  // by default one per processor that this process may use
  [[nodiscard]] bool json() const { return json_; }
  // Prints the result on stdout: one JSON object with --json, else text.
  void print(const Report& report);
  // Prints the reports of several packs: with --json as {"packs":[…]}, else their texts with
  // `between` between them. If `several` is false, there is one pack, and its JSON is printed
  // without {"packs":[…]}. Prints nothing if `packs` is empty.
  void print_packs(const std::vector<Report>& packs, bool several, std::string_view between = "");
  // After this call, SIGINT, SIGTERM and SIGHUP no longer end the process: they make
  // terminal().stop_requested() return true. The action must check that after each sample and
  // return if it is true. run_main() then raises the signal again.
  void stop_on_signals();
  // Prints the error and returns its exit code. With --json, finish() later writes the error to
  // stdout as a JSON object, unless a result has been printed.
  [[nodiscard]] int fail(const Error& error);
  // The options that the user gave and that a proposed `pack` command must keep.
  [[nodiscard]] std::span<const GivenOption> given_options() const { return given_; }
  [[nodiscard]] std::size_t columns() const;  // of text on stdout: the terminal's, or kUsualColumns
  [[nodiscard]] bool colored_output()
      const;  // by --color, NO_COLOR and whether stdout is a terminal

  // Only run_command_line() calls these.
  void note_arguments(
      int argc,
      const char* const* argv);  // keeps the line as typed, for the log, and finds --json and
                                 // --progress json early: errors of the parser need them
  void note_refused_options(const CLI::App& root);  // the same for a configuration file
  // Keeps the parsed options: fail() adds them to proposed commands of `pack` or `plan`.
  void note_options(const CLI::App& root);
  [[nodiscard]] bool json_asked() const { return json_asked_; }  // even if the line is refused
  [[nodiscard]] Status open_terminal();                          // uses the parsed options
  void open_plain_terminal();  // for messages about a refused command line
  [[nodiscard]] int run_action() {
    acted_ = true;
    return action_();
  }
  [[nodiscard]] bool has_action() const { return static_cast<bool>(action_); }
  [[nodiscard]] int finish(int code);  // ends progress, flushes the output, returns the exit code

 private:
  [[nodiscard]] bool is_named(std::string_view command) const;
  [[nodiscard]] bool proposes_pack() const;
  void expect_json(JsonWishes wishes);
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
  std::vector<std::string> words_;  // of the line as typed
  std::vector<GivenOption> given_;
  std::string proposed_ = "pack";  // the command that errors propose
  std::vector<NamedOption> named_;
  std::optional<Error> failure_;
  std::optional<StopSignals> stop_signals_;
  std::unique_ptr<Terminal> terminal_;
  std::function<int()> action_;
};

// Sets the examples that the command's help shows first: one command per line; `#` starts a remark.
void set_examples(CLI::App& command, std::string examples);

// Parses the command line, runs the command, and returns the exit code. If a stop signal arrived
// meanwhile, the caller must raise the signal again.
[[nodiscard]] int run_command_line(std::span<const AddCommand> commands, int argc,
                                   const char* const* argv, Streams streams = {});

// Does all of main(): runs the command line with all commands. If a stop signal arrived, raises it
// again at the end.
[[nodiscard]] int run_main(int argc, const char* const* argv);

}  // namespace hotpack::cli
