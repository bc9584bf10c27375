#include "cli/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "base/cores.hpp"
#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "cli/config_file.hpp"
#include "cli/descriptor.hpp"
#include "cli/help.hpp"
#include "cli/help_json.hpp"
#include "cli/option_values.hpp"
#include "cli/refusal.hpp"
#include "cli/report.hpp"
#include "cli/shortage.hpp"
#include "format/json.hpp"
#include "format/version.hpp"

namespace hotpack::cli {

namespace {

constexpr const char* kRunning = "Running";
constexpr const char* kMessages = "Messages";
constexpr int kMostJobs = 1024;

// Makes each use of a repeatable option take a single value. Without this, CLI11 gives the option
// all arguments that follow.
void take_one_value_a_time(CLI::App& command) {
  for (CLI::Option* option :
       command.get_options([](const CLI::Option* each) { return each->nonpositional(); })) {
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size)
      option->allow_extra_args(false);
  }
}

// Moves the part of `text` that begins with "What to do:" to lines of its own, below the problem.
std::string with_advice_below(std::string text) {
  constexpr std::string_view kWays = " What to do: ";
  if (const std::size_t at = text.find(kWays); at != std::string::npos) text.replace(at, 1, "\n");
  return text;
}

std::string version_text() {
  return std::string("hotpack " HOTPACK_VERSION " (format ") + std::string(format::kVersion) + ")";
}

Result<const CLI::App*> find_command(const CLI::App& root, const std::string& name) {
  for (const CLI::App* command : root.get_subcommands({}))
    if (command->get_name() == name) return command;
  return usage_error(unknown_command(root, name));
}

format::Json help_json(const CLI::App& root, const CLI::App& command) {
  return &command == &root ? program_json(root, HOTPACK_VERSION)
                           : command_json(command, root.get_name());
}

int show_help(CommandContext& context, const CLI::App& root, const std::string& name) {
  const auto command = name.empty() ? Result<const CLI::App*>(&root) : find_command(root, name);
  if (!command.ok()) return context.fail(command.error());
  if (context.json())
    context.output().line(format::canonical_json(help_json(root, **command)));
  else if (*command == &root)
    // root.help() would return the help of the command that was called, which is `help`.
    context.output().write(
        root.get_formatter()->make_help(&root, root.get_name(), CLI::AppFormatMode::All));
  else
    context.output().write((*command)->help(root.get_name(), CLI::AppFormatMode::All));
  return kExitGood;
}

// Shows the help of the command in the line: as JSON if --help=json or --json asks for it.
int show_given_help(CommandContext& context, const CLI::App& root, CLI::AppFormatMode mode) {
  const CLI::App& command = given_command(root);
  bool as_json = context.json_asked();
  for (const CLI::App* app : {&command, &root}) {
    for (const std::string& form : app->get_help_all_ptr()->results()) {
      as_json = as_json || form == "json";
      if (form == "true" || form == "json") continue;
      context.open_plain_terminal();
      return context.fail(
          usage_error("--help: '" + form + "' is no form of the help; use --help, or --help=json"));
    }
  }
  if (as_json)
    context.output().line(format::canonical_json(help_json(root, command)));
  else
    context.output().write(root.help("", mode));
  return kExitGood;
}

void define_help(CLI::App& command, CommandContext& context) {
  auto name = std::make_shared<std::string>();
  const CLI::App& root = *command.get_parent();
  set_examples(command, "hotpack help pack");
  set_choices(command.add_option("COMMAND", *name, "the command; without it, help of hotpack"),
              [&root] { return command_names(root); });
  context.add_json_option(command);
  context.set_action(command, [&root, &context, name] { return show_help(context, root, *name); });
}

void define_version(CLI::App& command, CommandContext& context) {
  set_examples(command, "hotpack version");
  context.add_json_option(command);
  context.set_action(command, [&context] {
    Report report;
    report.member("version", HOTPACK_VERSION);
    report.member("format", format::kVersion);
    report.lines(version_text() + "\n");
    context.print(report);
    return kExitGood;
  });
}

void define(CLI::App& root, CommandContext& context, std::span<const AddCommand> commands) {
  root.formatter(std::make_shared<HelpFormatter>(context.columns()));
  root.set_help_flag("-h", "show a short help: examples and the main options");
  root.set_help_all_flag("--help", "show the whole help; --help=json: as JSON");
  root.set_version_flag("-V,--version", version_text(), "show the version");
  root.require_subcommand(0, 1);
  set_examples(root,
               "hotpack pack --images train --labels train_labels --classes class_dict.csv --size "
               "512x512 -o packed/train\n"
               "hotpack info packed/train\n"
               "hotpack verify packed/train\n"
               "hotpack pack --help");
  prepare_config_files(root);
  for (const AddCommand add : commands) add(root, context);
  context.add_command(root, "help", "Shows the help of a command, as COMMAND --help does",
                      define_help);
  context.add_command(root, "version", "Shows the version of hotpack and of the format it writes",
                      define_version);
}

std::string name_for_help(const CLI::App& root) {
  const CLI::App& command = given_command(root);
  return &command == &root ? root.get_name() : root.get_name() + " " + command.get_name();
}

int refuse(CommandContext& context, const CLI::App& root, const CLI::ParseError& thrown) {
  context.note_refused_options(root);
  context.open_plain_terminal();
  const int code = context.fail(refusal(root, thrown));
  if (code == kExitUsage) context.terminal().info("see " + name_for_help(root) + " --help");
  return code;
}

// Runs if the line names no command: prints on stderr how to use hotpack.
int show_short_help(CommandContext& context, const CLI::App& root) {
  context.open_plain_terminal();
  const std::string help = root.help();
  for (const std::string_view line : lines_of(help)) context.terminal().info(line);
  return kExitUsage;
}

// Parses the line. Returns an exit code if the line was refused, or if nothing more is to be done.
std::optional<int> parse(CommandContext& context, CLI::App& root, int argc,
                         const char* const* argv) {
  try {
    root.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return show_given_help(context, root, CLI::AppFormatMode::Normal);
  } catch (const CLI::CallForAllHelp&) {
    return show_given_help(context, root, CLI::AppFormatMode::All);
  } catch (const CLI::CallForVersion& version) {
    context.output().line(version.what());
    return kExitGood;
  } catch (const CLI::ParseError& thrown) {
    return refuse(context, root, thrown);
  }
}

int parse_and_run(CommandContext& context, std::span<const AddCommand> commands, int argc,
                  const char* const* argv) {
  CLI::App root{"hotpack packs image data sets once, so that training reads them at memory speed",
                "hotpack"};
  context.note_arguments(argc, argv);
  define(root, context, commands);
  if (const auto code = parse(context, root, argc, argv)) return *code;
  if (!context.has_action()) return show_short_help(context, root);
  context.note_options(root);
  const Status opened = context.open_terminal();
  if (!opened.ok()) {
    context.open_plain_terminal();
    return context.fail(opened.error());
  }
  return context.run_action();
}

int report_bug(CommandContext& context, const std::string& what) {
  context.open_plain_terminal();
  return context.fail(internal_error("internal error: " + what +
                                     "; this is a bug in hotpack " HOTPACK_VERSION
                                     ", please report it with the command line"));
}

int report_exception(CommandContext& context, const std::exception& thrown) {
  const char* const shortage = shortage_text(thrown);
  if (shortage == nullptr) return report_bug(context, thrown.what());
  context.open_plain_terminal();
  return context.fail({ErrorCode::io, shortage, {}, {}});
}

}  // namespace

CommandContext::CommandContext(Streams streams) : streams_(streams), output_(streams.output) {}

void CommandContext::add_command(CLI::App& root, const std::string& name, const std::string& about,
                                 const DefineCommand& define) {
  CLI::App* const command = root.add_subcommand(name, about);
  if (!is_named(name) && !(name == "pack" && proposes_pack())) return;
  define(*command, *this);
  take_one_value_a_time(*command);
  add_message_options(*command);
}

bool CommandContext::is_named(std::string_view command) const {
  return std::find(words_.begin(), words_.end(), command) != words_.end();
}

// True if a message may propose a command of `pack`, which gets the options that `pack` has too.
bool CommandContext::proposes_pack() const {
  return is_named("check") || is_named("plan") || is_named("preview");
}

void CommandContext::add_jobs_option(CLI::App& command) {
  add_value(command, "-j,--jobs", jobs_,
            "threads; more need more memory [default: one per processor that the process may use]",
            "N", kRunning)
      ->check(CLI::Range(1, kMostJobs));
}

void CommandContext::add_json_option(CLI::App& command) {
  command.add_flag("--json", json_, "print the result as JSON")->group(kRunning);
}

void CommandContext::add_config_option(CLI::App& command) { add_config_file_option(command); }

void CommandContext::add_message_options(CLI::App& command) {
  command
      .add_flag("-q,--quiet", quiet_,
                "print only warnings and errors on stderr, no progress; -qq: only errors. The "
                "result on stdout stays")
      ->group(kMessages);
  command.add_flag("-v,--verbose", verbose_, "print more; -vv: with seconds since the start")
      ->group(kMessages);
  const Choices<ProgressMode> progress = {{"auto", ProgressMode::automatic},
                                          {"always", ProgressMode::always},
                                          {"never", ProgressMode::never},
                                          {"json", ProgressMode::json}};
  add_choice(command, "--progress", terminal_options_.progress, progress,
             "auto: a redrawn line on a terminal, elsewhere a line every 10 s; always: the redrawn "
             "line everywhere; "
             "json: every line of stderr is a JSON object",
             kMessages);
  const Choices<ColorMode> color = {
      {"auto", ColorMode::automatic}, {"always", ColorMode::always}, {"never", ColorMode::never}};
  add_choice(command, "--color", terminal_options_.color, color,
             "colors in messages; auto: on a terminal, unless NO_COLOR is set", kMessages);
  add_value(command, "--log-file", terminal_options_.log_file,
            "append every message with its time to FILE", "FILE", kMessages);
}

int CommandContext::jobs() const {
  if (jobs_ > 0) return jobs_;
  return std::clamp(static_cast<int>(usable_cores()), 1, kMostJobs);
}

void CommandContext::set_action(CLI::App& command, std::function<int()> action) {
  command.callback([this, action = std::move(action)] { set_action(action); });
}

void CommandContext::stop_on_signals() { stop_signals_.emplace(); }

std::size_t CommandContext::columns() const {
  return static_cast<std::size_t>(columns_to_fit(streams_.output).value_or(kUsualColumns));
}

bool CommandContext::colored_output() const {
  return use_color(terminal_options_.color, TerminalSurroundings::of_descriptor(streams_.output));
}

void CommandContext::print(const Report& report) { print_packs({report}, false); }

void CommandContext::print_packs(const std::vector<Report>& packs, bool several,
                                 std::string_view between) {
  if (packs.empty()) return;
  format::Json list = format::Json::array();
  for (const Report& pack : packs) {
    if (!json_ && !list.empty()) output_.write(between);
    if (!json_) output_.write(pack.text());
    list.push_back(pack.json());
  }
  if (json_)
    output_.line(format::canonical_json(several ? format::Json{{"packs", std::move(list)}}
                                                : format::Json(list.front())));
}

int CommandContext::fail(const Error& error) {
  failure_ = error;
  failure_->message = with_given_options(error.message, given_, proposed_);
  terminal_->error(with_advice_below(failure_->describe()));
  return exit_code_of(error);
}

void CommandContext::note_arguments(int argc, const char* const* argv) {
  words_.assign(argv, argv + argc);
  for (const std::string& word : words_) typed_ += (typed_.empty() ? "" : " ") + shell_word(word);
  expect_json(typed_json_wishes(words_));
}

void CommandContext::note_refused_options(const CLI::App& root) {
  named_ = named_options(root);
  expect_json(given_json_wishes(given_command(root)));
}

void CommandContext::expect_json(JsonWishes wishes) {
  json_asked_ = json_asked_ || wishes.result;
  if (wishes.messages) terminal_options_.progress = ProgressMode::json;
  set_shortage_form({terminal_options_.progress == ProgressMode::json, json_asked_});
}

void CommandContext::note_options(const CLI::App& root) {
  named_ = named_options(root);
  expect_json({json_, terminal_options_.progress == ProgressMode::json});
  const CLI::App& given = given_command(root);
  if (given.get_name() == "plan") proposed_ = "plan";
  for (const CLI::App* command : root.get_subcommands({}))
    if (command->get_name() == "pack") given_ = options_to_keep(given, *command);
}

Status CommandContext::open_terminal() {
  terminal_options_.verbosity = std::clamp(verbose_ - quiet_, -2, 2);
  auto opened =
      Terminal::open(terminal_options_, TerminalSurroundings::of_descriptor(streams_.messages));
  if (!opened.ok()) return std::move(opened).error();
  terminal_ = std::move(opened).value();
  if (!json_) output_.fit(static_cast<std::size_t>(columns_to_fit(streams_.output).value_or(0)));
  if (terminal_options_.log_file.empty()) return {};
  output_.keep();
  terminal_->note("command: " + typed_);
  return {};
}

void CommandContext::open_plain_terminal() {
  if (terminal_) return;
  TerminalOptions plain = terminal_options_;
  plain.log_file.clear();
  terminal_ =
      std::move(Terminal::open(plain, TerminalSurroundings::of_descriptor(streams_.messages)))
          .value();
}

int CommandContext::finish(int code) {
  if (terminal_) terminal_->finish_progress();
  if ((json_ || json_asked_) && !output_.used()) write_error_object(code);
  const Status written = output_.finish();
  log_end(code);
  if (written.ok()) return code;
  if (output_.abandoned()) return code == kExitGood ? kExitUnread : code;
  open_plain_terminal();
  const int failed = fail(written.error());
  return code == kExitGood ? failed : code;
}

// Writes the error to stdout in place of the result that a program expects there.
void CommandContext::write_error_object(int code) {
  const bool stopped = code == kExitGood && stop_signal() != 0;
  if (code == kExitGood && !stopped) return;
  Error error = failure_.value_or(Error{});
  if (stopped) {
    error.code = ErrorCode::cancelled;
    if (!failure_) error.message = "stopped by signal " + std::to_string(stop_signal());
  }
  if (!failure_ && !stopped && terminal_) error.message = terminal_->last_error();
  output_.line(format::canonical_json(
      error_json(error, stopped ? 128 + stop_signal() : code, option_in(error.message, named_))));
}

void CommandContext::log_end(int code) {
  if (!acted_ || !terminal_) return;
  if (!output_.kept().empty()) terminal_->note("result:\n" + output_.kept());
  terminal_->note("exit: " + std::to_string(code));
}

void set_examples(CLI::App& command, std::string examples) { command.footer(std::move(examples)); }

int run_command_line(std::span<const AddCommand> commands, int argc, const char* const* argv,
                     Streams streams) try {
  CommandContext context(streams);
  int code = kExitInternal;
  try {
    code = parse_and_run(context, commands, argc, argv);
  } catch (const std::exception& thrown) {
    code = report_exception(context, thrown);
  } catch (...) {
    code = report_bug(context, "an exception of unknown type");
  }
  return context.finish(code);
} catch (const std::bad_alloc& lack) {  // while the exception was reported
  print_shortage(streams.output, streams.messages, shortage_text(lack));
  return kExitIo;
}

int run_main(int argc, const char* const* argv) {
  occupy_standard_descriptors();
  survive_failing_writes();
  report_uncaught_shortages();
  const int code = run_command_line(all_commands(), argc, argv);
  reraise_stop_signal();
  if (code == kExitUnread) end_by_broken_pipe();
  return code;
}

}  // namespace hotpack::cli
