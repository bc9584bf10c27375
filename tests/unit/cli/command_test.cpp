#include "cli/command.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <new>
#include <stdexcept>
#include <vector>

#include "base/cores.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "format/json.hpp"
#include "run_commands.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::cli;

namespace {

struct BoxOptions {
  std::string root;
  std::vector<std::string> images;
  std::string size;
  bool force = false;
  std::string failure;
};

int run_box(CommandContext& context, const BoxOptions& options) {
  if (options.failure == "throw") throw std::runtime_error("boom");
  if (options.failure == "throw-number") throw 3;
  if (options.failure == "memory") throw std::bad_alloc();
  if (options.failure == "data") return context.fail(data_error("undecodable", "a.png"));
  std::string result =
      "root=" + options.root + " size=" + options.size + " force=" + std::to_string(options.force);
  for (const std::string& image : options.images) result += " image=" + image;
  context.terminal().info("boxing with " + std::to_string(context.jobs()));
  context.output().line(result + (context.json() ? " json" : ""));
  return kExitGood;
}

void define_box(CLI::App& command, CommandContext& context) {
  auto options = std::make_shared<BoxOptions>();
  set_examples(command,
               "hotpack box ROOT --size 1x1\nhotpack box --images a --images b --size 2x2");
  command.add_option("ROOT", options->root, "the folder");
  command.add_option("--images", options->images, "folder of images, repeatable")
      ->option_text("DIR")
      ->group("Input");
  command.add_option("--size", options->size, "width and height")
      ->option_text("WxH")
      ->required()
      ->group("Geometry");
  command.add_flag("--force", options->force, "anew")->group("Output");
  command.add_option("--failure", options->failure, "how to fail")->group("Output");
  context.add_jobs_option(command);
  context.add_json_option(command);
  context.add_config_option(command);
  command.callback([&context, options] {
    context.set_action([&context, options] { return run_box(context, *options); });
  });
}

void add_box_command(CLI::App& app, CommandContext& context) {
  context.add_command(app, "box", "Puts samples into a box", define_box);
}

Ran run(const std::vector<std::string>& arguments) {
  const AddCommand commands[] = {add_box_command};
  return run_commands(commands, arguments);
}

// `box` with a size and these arguments.
Ran box(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"box", "--size", "1"});
  return run(arguments);
}

// `box` with a configuration file of this content; messages name the file FILE.
Ran configured(const std::string& content, const std::vector<std::string>& more = {}) {
  const TempFolder folder;
  folder.write("file", content);
  const std::string file = folder / "file";
  std::vector<std::string> arguments{"box", "--config", file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Ran ran = run(arguments);
  for (std::size_t at = 0; (at = ran.messages.find(file)) != std::string::npos;)
    ran.messages.replace(at, file.size(), "FILE");
  return ran;
}

// Runs `box --size 1` with its output on this descriptor, which it closes.
Ran box_on(int descriptor) {
  const Captured messages;
  const AddCommand commands[] = {add_box_command};
  const char* const arguments[] = {"hotpack", "box", "--size", "1", "-q"};
  const int code = run_command_line(commands, 5, arguments, {descriptor, messages.descriptor()});
  ::close(descriptor);
  return {code, "", messages.text()};
}

void check_refused(const Ran& ran, const std::string& message) {
  CHECK(ran.code == kExitUsage);
  CHECK(ran.output.empty());
  CHECK(ran.messages == "error: " + message + "\nsee hotpack box --help\n");
}

}  // namespace

TEST_CASE("a command runs with its options, results apart from messages") {
  const Ran ran = run({"box", "here", "--size", "3x4", "-j", "2", "--json"});
  CHECK(ran.code == 0);
  CHECK(ran.output == "root=here size=3x4 force=0 json\n");
  CHECK(ran.messages == "boxing with 2\n");
}

TEST_CASE("only a command that the line names makes its options") {
  static int made = 0;
  const AddCommand commands[] = {[](CLI::App& app, CommandContext& context) {
    context.add_command(app, "costly", "Takes long to define",
                        [](CLI::App& command, CommandContext& its_context) {
                          ++made;
                          its_context.set_action(command, [] { return kExitGood; });
                        });
  }};
  const Ran help = run_commands(commands, {"--help"});
  CHECK_THAT(help.output, ContainsSubstring("costly") && ContainsSubstring("Takes long to define"));
  CHECK(made == 0);
  CHECK(run_commands(commands, {"help", "costly"}).code == 0);
  CHECK(made == 1);
  CHECK(run_commands(commands, {"costly", "-q"}).code == 0);
  CHECK(made == 2);
}

TEST_CASE("without -j there is one thread per core that the process may use") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(run({"box", "--size", "3x4"}).messages ==
        "boxing with " + std::to_string(usable_cores()) + "\n");
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const Ran ran = run({"box", "--size", "3x4"});
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(ran.messages == "boxing with 1\n");
}

TEST_CASE("the frame adds the options of messages") {
  CHECK(run({"box", "--size", "3x4", "-q"}).messages.empty());
  CHECK(run({"box", "--size", "3x4", "-j", "1", "-vv"}).messages.ends_with(" s] boxing with 1\n"));
  CHECK(run({"box", "--size", "3x4", "-j", "1", "--progress", "json"}).messages ==
        "{\"type\":\"message\",\"level\":\"info\",\"text\":\"boxing with 1\"}\n");
}

TEST_CASE("a repeatable option takes one value each time") {
  const Ran ran = run({"box", "--size", "3x4", "--images", "a", "--images", "b", "root"});
  CHECK(ran.output == "root=root size=3x4 force=0 image=a image=b\n");
}

TEST_CASE("the version and the help are results") {
  const Ran version = run({"--version"});
  CHECK(version.code == 0);
  CHECK(version.output == "hotpack 0.1.0 (format 1.0)\n");
  CHECK(version.messages.empty());
  const Ran help = run({"box", "--help"});
  CHECK(help.code == 0);
  CHECK(help.messages.empty());
  const Ran brief = run({"box", "-h"});
  CHECK(brief.code == 0);
  CHECK_THAT(brief.output, ContainsSubstring("Examples:") && ContainsSubstring("--size WxH") &&
                               !ContainsSubstring("--log-file"));
  CHECK(brief.output.ends_with("\nAll options: hotpack box --help\n"));
  CHECK(run({"help", "box"}).output == help.output);
  CHECK(run({"help"}).output == run({"--help"}).output);
  CHECK(run({"help", "bx"}).messages == "error: unknown command 'bx'; did you mean 'box'?\n");
  CHECK(run({"version"}).output == version.output);
  CHECK(run({"-V"}).output == version.output);
}

TEST_CASE("help begins with what it is and examples, and groups the options") {
  const std::string help = run({"box", "--help"}).output;
  std::vector<std::size_t> places;
  for (const char* part : {"Puts samples into a box\n",
                           "\nExamples:\n  hotpack box ROOT --size 1x1\n  hotpack box --images",
                           "\nUsage:\n  hotpack box [ROOT] [options]\n", "\nArguments:\n  ROOT",
                           "\nInput:\n  --images DIR", "\nGeometry:\n  --size WxH ", "(required)\n",
                           "\nRunning:\n  -j, --jobs N", "\nMessages:\n  -q, --quiet ",
                           "  --progress auto|always|never|json\n", "[default: auto]"}) {
    INFO(part);
    places.push_back(help.find(part));
    CHECK(places.back() != std::string::npos);
  }
  CHECK(std::is_sorted(places.begin(), places.end()));
}

TEST_CASE("without a command the help goes to stderr with a usage exit code") {
  const Ran ran = run({});
  CHECK(ran.code == kExitUsage);
  CHECK(ran.output.empty());
  CHECK_THAT(ran.messages, ContainsSubstring("Commands:\n  box "));
}

TEST_CASE("refused command lines say what to fix") {
  check_refused(run({"box", "--sise", "1x1"}), "unknown option '--sise'; did you mean '--size'?");
  check_refused(run({"box", "--sise=1x1"}), "unknown option '--sise'; did you mean '--size'?");
  check_refused(run({"box"}), "--size is required");
  check_refused(run({"box", "--size"}), "--size needs a value");
  check_refused(run({"box", "--size", "1x1", "a", "b"}), "unexpected argument 'b'");
  check_refused(run({"-v", "box"}), "options must follow the command: hotpack box -v");
  check_refused(box({"--color", "pink"}), "--color: 'pink' is none of auto|always|never");
  check_refused(box({"-j", "0"}), "--jobs: Value 0 not in range 1 to 1024");
  const Ran unknown = run({"bx"});
  CHECK(unknown.code == kExitUsage);
  CHECK(unknown.messages ==
        "error: unknown command 'bx'; did you mean 'box'?\nsee hotpack --help\n");
}

TEST_CASE("errors of an action give their exit code") {
  const Ran ran = box({"--failure", "data"});
  CHECK(ran.code == kExitData);
  CHECK(ran.messages == "error: a.png: undecodable\n");
}

TEST_CASE("whatever escapes an action is reported as a bug") {
  const Ran ran = box({"--failure", "throw"});
  CHECK(ran.code == kExitInternal);
  CHECK_THAT(ran.messages, ContainsSubstring("error: internal error: boom") &&
                               ContainsSubstring("please report it"));
  CHECK(box({"--failure", "throw-number"}).code == kExitInternal);
  const Ran memory = box({"--failure", "memory"});
  CHECK(memory.code == kExitIo);
  CHECK_THAT(memory.messages, ContainsSubstring("out of memory"));
}

TEST_CASE("results that cannot be written are an I/O error") {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  const Ran ran = box_on(full);
  CHECK(ran.code == kExitIo);
  CHECK(ran.messages ==
        "error: standard output: cannot write the results: No space left on device\n");
}

TEST_CASE("a configuration file gives options, and the command line wins") {
  const std::string good =
      "size = 5x5\nimages = [\"a b\", c]\nforce = true\njobs = 3\nfailure = []\n";
  const Ran ran = configured(good, {"root"});
  CHECK(ran.code == 0);
  CHECK(ran.output == "root=root size=5x5 force=1 image=a b image=c\n");
  CHECK(ran.messages == "boxing with 3\n");
  CHECK(configured(good, {"--size", "7x7"}).output == "root= size=7x7 force=1 image=a b image=c\n");
  CHECK(configured(good, {"--size", "7x7", "--images", "z"}).output ==
        "root= size=7x7 force=1 image=z\n");
}

TEST_CASE("a configuration file with an unknown key or none at all is refused") {
  check_refused(configured("\nsise = 5x5\n"),
                "--config FILE: line 2: unknown key 'sise'; did you mean 'size'?");
  check_refused(configured("ROOT = x\n"), "--config FILE: line 1: unknown key 'ROOT'");
  check_refused(configured("nothing = []\n"), "--config FILE: line 1: unknown key 'nothing'");
  check_refused(configured("config = x\n"), "--config FILE: line 1: unknown key 'config'");
  check_refused(configured("size = 1x1\n", {"--config", "other"}),
                "--config: may be given only once");
  const Ran ran = run({"box", "--config", "/missing/file"});
  CHECK(ran.code == kExitIo);
  CHECK(ran.messages == "error: /missing/file: the configuration file is missing or unreadable\n");
}

TEST_CASE("a wrong value in a configuration file is reported with file and line") {
  check_refused(configured("size = 1x1\n\ncolor = pink\n"),
                "--color: 'pink' is none of auto|always|never (FILE, line 3)");
  check_refused(configured("size = 1x1\njobs = 0\n"),
                "--jobs: Value 0 not in range 1 to 1024 (FILE, line 2)");
}

TEST_CASE("with --json an error is an object on stdout, and only then") {
  const Ran usage = run({"box", "--json", "--sise", "1x1"});
  CHECK(usage.code == kExitUsage);
  CHECK(
      usage.output ==
      R"({"type":"error","code":"usage","exit":2,"message":"unknown option '--sise'; did you mean '--size'?","path":null,"offset":null,"option":"--sise","problems":[]})"
      "\n");
  CHECK(
      run({"box", "--json", "--size", "1", "--failure", "data"}).output ==
      R"({"type":"error","code":"data","exit":1,"message":"undecodable","path":"a.png","offset":null,"option":null,"problems":[]})"
      "\n");
  CHECK_THAT(run({"box", "--json", "--size", "1", "--failure", "throw"}).output,
             ContainsSubstring(R"("code":"internal","exit":70)"));
  CHECK_THAT(run({"box", "--json", "--size", "1", "--failure", "memory"}).output,
             ContainsSubstring(R"("code":"io","exit":3)"));
  CHECK(run({"box", "--json", "--size", "1"}).output == "root= size=1 force=0 json\n");
  CHECK(box({"--failure", "data", "--", "--json"}).output.empty());
}

TEST_CASE("with --progress json every message of a refused line is an object") {
  const std::string hint = R"({"type":"message","level":"info","text":"see hotpack box --help"})";
  const auto check = [&](const std::vector<std::string>& arguments, const std::string& first) {
    const Ran ran = run(arguments);
    CHECK(ran.code == kExitUsage);
    CHECK(ran.messages == first + "\n" + hint + "\n");
  };
  const std::string jobs =
      R"({"type":"message","level":"error","text":"--jobs: Value 0 not in range 1 to 1024"})";
  check({"box", "--jobs", "0", "--size", "1", "--progress", "json"}, jobs);
  check({"box", "--progress", "JSON", "--jobs", "0", "--size", "1"}, jobs);
  check({"box", "--progress=json", "--jobs", "0", "--size", "1"}, jobs);
  check({"box", "--progress=json"},
        R"({"type":"message","level":"error","text":"--size is required"})");
  CHECK(run({"box", "--jobs", "0", "--size", "1", "--", "--progress", "json"})
            .messages.starts_with("error: "));
}

TEST_CASE("a configuration file can ask for JSON before it is refused") {
  const Ran ran = configured("size = 1x1\nprogress = json\njson = true\njobs = 0\n");
  CHECK(ran.code == kExitUsage);
  CHECK(ran.messages.starts_with(R"({"type":"message","level":"error","text":"--jobs: Value 0)"));
  CHECK_THAT(ran.output,
             ContainsSubstring(R"("code":"usage")") && ContainsSubstring(R"("option":"--jobs")"));
}

TEST_CASE("the help as JSON lists the options of a command") {
  const Ran ran = run({"box", "--help=json"});
  CHECK(ran.code == kExitGood);
  const auto help = format::parse_json(ran.output.substr(0, ran.output.size() - 1)).value();
  CHECK(help["command"] == "box");
  CHECK(help["usage"] == "hotpack box [ROOT] [options]");
  CHECK(help["examples"].size() == 2);
  CHECK(help["arguments"][0]["name"] == "ROOT");
  const auto& images = help["options"][0];
  CHECK(images["names"] == std::vector<std::string>{"--images"});
  CHECK(images["type"] == "path");
  CHECK(images["path"] == "folder");
  CHECK(images["repeatable"] == true);
  CHECK(images["most_values"] == 1);
  CHECK(help["options"][1]["required"] == true);
  CHECK(help["options"][2]["type"] == "switch");
  CHECK(run({"help", "box", "--json"}).output == ran.output);
  CHECK(run({"box", "--size", "1x1", "--help=json"}).output == ran.output);
  CHECK(run({"box", "--json", "--help"}).output == ran.output);
  CHECK(run({"box", "-h", "--json"}).output == ran.output);
}

TEST_CASE("the help of the program as JSON lists commands and exit codes") {
  const Ran ran = run({"--help=json"});
  const auto help = format::parse_json(ran.output.substr(0, ran.output.size() - 1)).value();
  CHECK(help["commands"][0]["name"] == "box");
  CHECK(help["commands"][0]["text"] == "Puts samples into a box");
  CHECK(help["exit_codes"][2]["code"] == kExitUsage);
  CHECK(run({"help", "--json"}).output == ran.output);
  const Ran refused = run({"--help=xml"});
  CHECK(refused.code == kExitUsage);
  CHECK_THAT(refused.messages, ContainsSubstring("--help: 'xml'"));
}

TEST_CASE("a reader that is gone is not reported") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  survive_failing_writes();
  const Ran ran = box_on(ends[1]);
  CHECK(ran.code == kExitUnread);
  CHECK(ran.messages.empty());
}

TEST_CASE("the log file holds the command, the result and the exit code") {
  const TempFolder folder;
  const std::string log = folder / "log";
  CHECK(run({"box", "a b", "--size", "1", "-j", "1", "--log-file", log}).code == 0);
  CHECK_THAT(read_text_file(log).value(),
             ContainsSubstring(" info command: hotpack box 'a b' --size 1 -j 1 --log-file ") &&
                 ContainsSubstring(" info boxing with 1\n") &&
                 ContainsSubstring(" info result:\n  root=a b size=1 force=0\n") &&
                 ContainsSubstring(" info exit: 0\n"));
}

TEST_CASE("values that do not fit are refused in plain words") {
  check_refused(box({"--size", "2"}), "--size takes one value, but is given more than once");
  check_refused(box({"-j", "-n"}), "--jobs needs a number, but '-n' follows");
  check_refused(box({"-j", "many"}), "--jobs: 'many' is not a valid number");
  check_refused(box({"--color", "nevr"}),
                "--color: 'nevr' is none of auto|always|never; did you mean 'never'?");
  CHECK(box({"--color", "NEVER"}).code == 0);
}

TEST_CASE("a log file that cannot be opened is an I/O error") {
  const Ran ran = box({"--log-file", "/dev/null/log"});
  CHECK(ran.code == kExitIo);
  CHECK(ran.messages == "error: /dev/null/log: cannot open the log file: Not a directory\n");
}
