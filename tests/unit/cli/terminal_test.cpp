#include "cli/terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "captured.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::cli;
using namespace std::chrono_literals;
using pipeline::Level;

namespace {

// A terminal on a file, with a clock and a width that the test sets.
struct Desk {
  Captured screen;
  TerminalSurroundings::Clock::time_point now{};
  int width = 80;
  bool is_terminal = false;
  bool no_color = false;
  bool fits = false;

  std::unique_ptr<Terminal> open(const TerminalOptions& options) {
    TerminalSurroundings surroundings;
    surroundings.descriptor = screen.descriptor();
    surroundings.is_terminal = is_terminal;
    surroundings.no_color = no_color;
    surroundings.fits = fits;
    surroundings.width = [this] { return width; };
    surroundings.now = [this] { return now; };
    auto opened = Terminal::open(options, std::move(surroundings));
    REQUIRE(opened.ok());
    return std::move(opened).value();
  }
};

pipeline::Progress packing(std::uint64_t done, std::uint64_t total = 100) {
  return {"packing", done, total, 0, 0, 0};
}

void say_everything(Terminal& terminal) {
  terminal.message(Level::debug, "d");
  terminal.info("i");
  terminal.warning("w");
  terminal.error("e");
}

std::string said_at(int verbosity) {
  Desk desk;
  say_everything(*desk.open({.verbosity = verbosity, .log_file = {}}));
  return desk.screen.text();
}

const std::string kClear = "\r\x1b[K";

}  // namespace

TEST_CASE("a message fits the terminal, and line feeds in names are escaped") {
  Desk desk;
  desk.width = 30;
  desk.fits = true;
  const auto terminal = desk.open({});
  terminal->error("one two three four five six seven");
  terminal->info("a/b\nerror: forged");
  CHECK(desk.screen.text() ==
        "error: one two three four\n  five six seven\na/b\n  error: forged\n");
  CHECK(terminal->last_error() == "one two three four five six seven");
}

TEST_CASE("verbosity decides which messages are shown") {
  CHECK(said_at(-2) == "error: e\n");
  CHECK(said_at(-1) == "warning: w\nerror: e\n");
  CHECK(said_at(0) == "i\nwarning: w\nerror: e\n");
  CHECK(said_at(1) == "debug: d\ni\nwarning: w\nerror: e\n");
  CHECK(said_at(2) == "[0 s] debug: d\n[0 s] i\n[0 s] warning: w\n[0 s] error: e\n");
}

TEST_CASE("colors are for terminals, unless stated otherwise") {
  const auto colored = [](ColorMode mode, bool is_terminal, bool no_color) {
    Desk desk;
    desk.is_terminal = is_terminal;
    desk.no_color = no_color;
    desk.open({.color = mode, .log_file = {}})->error("e");
    return desk.screen.text() == "\x1b[1;31merror:\x1b[0m e\n";
  };
  CHECK(colored(ColorMode::automatic, true, false));
  CHECK_FALSE(colored(ColorMode::automatic, true, true));
  CHECK_FALSE(colored(ColorMode::automatic, false, false));
  CHECK(colored(ColorMode::always, false, true));
  CHECK_FALSE(colored(ColorMode::never, true, false));
}

TEST_CASE("a file's name cannot drive the terminal") {
  Desk desk;
  desk.open({})->info("x\x1b[2J.png");
  CHECK(desk.screen.text() == "x\\x1b[2J.png\n");
}

TEST_CASE("on a terminal the line is redrawn at most ten times a second") {
  Desk desk;
  desk.is_terminal = true;
  auto terminal = desk.open({});
  terminal->progress(packing(0));
  for (std::uint64_t done = 1; done <= 20; ++done) {
    desk.now += 20ms;
    terminal->progress(packing(done));
  }
  CHECK(desk.screen.text() == kClear + "packing 0/100, 0 %" +                                //
                                  kClear + "packing 5/100, 5 %, 50 samples/s, 2 s left" +    //
                                  kClear + "packing 10/100, 10 %, 50 samples/s, 2 s left" +  //
                                  kClear + "packing 15/100, 15 %, 50 samples/s, 2 s left" +  //
                                  kClear + "packing 20/100, 20 %, 50 samples/s, 2 s left");
}

TEST_CASE("a new stage is shown at once") {
  Desk desk;
  desk.is_terminal = true;
  auto terminal = desk.open({});
  terminal->progress({"scanning", 1, 0, 0, 0, 0});
  terminal->progress(packing(0));
  CHECK(desk.screen.text() == kClear + "scanning 1" + kClear + "packing 0/100, 0 %");
}

TEST_CASE("messages do not tear the redrawn line") {
  Desk desk;
  desk.is_terminal = true;
  desk.no_color = true;
  auto terminal = desk.open({});
  terminal->progress(packing(0));
  terminal->warning("odd");
  terminal->finish_progress();
  terminal->info("done");
  CHECK(desk.screen.text() == kClear + "packing 0/100, 0 %" + kClear +
                                  "warning: odd\npacking 0/100, 0 %" + kClear + "done\n");
}

TEST_CASE("the redrawn line fits the terminal, whose width may change") {
  Desk desk;
  desk.is_terminal = true;
  desk.width = 12;
  auto terminal = desk.open({});
  terminal->progress(packing(0));
  desk.width = 1;
  desk.now += 1s;
  terminal->progress(packing(1));
  CHECK(desk.screen.text() == kClear + "packing 0/…" + kClear + "…");
}

TEST_CASE("without a terminal a plain line is printed every ten seconds") {
  Desk desk;
  auto terminal = desk.open({});
  for (std::uint64_t done = 0; done <= 25; ++done) {
    terminal->progress(packing(done));
    desk.now += 1s;
  }
  terminal->finish_progress();
  CHECK(desk.screen.text() ==
        "packing 10/100, 10 %, 1.0 samples/s, 1 min 30 s left\n"
        "packing 20/100, 20 %, 1.0 samples/s, 1 min 20 s left\n"
        "packing 25/100, 25 %, 1.0 samples/s, 1 min 15 s left\n");
}

TEST_CASE("the last counts are not printed twice") {
  Desk desk;
  auto terminal = desk.open({});
  terminal->progress(packing(0));
  desk.now += 10s;
  terminal->progress(packing(100));
  terminal->finish_progress();
  CHECK(desk.screen.text() == "packing 100/100, 100 %, 10 samples/s\n");
}

TEST_CASE("a short run elsewhere prints no progress") {
  Desk desk;
  auto terminal = desk.open({});
  terminal->progress(packing(0));
  desk.now += 2s;
  terminal->progress(packing(100));
  terminal->finish_progress();
  CHECK(desk.screen.text().empty());
}

TEST_CASE("progress can be switched off, by asking and by being quiet") {
  const auto shown = [](ProgressMode mode, int verbosity) {
    Desk desk;
    desk.is_terminal = true;
    desk.open({.verbosity = verbosity, .progress = mode, .log_file = {}})->progress(packing(1));
    return !desk.screen.text().empty();
  };
  CHECK_FALSE(shown(ProgressMode::never, 0));
  CHECK_FALSE(shown(ProgressMode::automatic, -1));
  CHECK(shown(ProgressMode::automatic, 0));
  CHECK(shown(ProgressMode::always, -1));
}

TEST_CASE("with JSON progress every line is an object, one per second") {
  Desk desk;
  auto terminal = desk.open({.progress = ProgressMode::json, .log_file = {}});
  for (std::uint64_t done = 0; done <= 5; ++done) {
    terminal->progress(packing(done));
    desk.now += 400ms;
  }
  terminal->warning("odd");
  terminal->finish_progress();
  std::istringstream lines(desk.screen.text());
  std::vector<std::string> starts;
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.back() == '}');
    starts.push_back(line.substr(0, line.find(",\"samples_total")));
  }
  CHECK(starts ==
        std::vector<std::string>{R"({"type":"progress","stage":"packing","samples_done":0)",
                                 R"({"type":"progress","stage":"packing","samples_done":3)",
                                 R"({"type":"message","level":"warning","text":"odd"})",
                                 R"({"type":"progress","stage":"packing","samples_done":5)"});
}

TEST_CASE("the log file gets everything with time stamps, and is appended to") {
  const TempFolder folder;
  const std::string before = "2026-01-31T12:00:00.000-01:30 info command: hotpack info packed\n";
  folder.write("log", before);
  Desk desk;
  {
    auto terminal = desk.open({.verbosity = -2, .log_file = folder / "log"});
    say_everything(*terminal);
    terminal->progress(packing(1));
    desk.now += 11s;
    terminal->progress(packing(12));
  }
  CHECK(desk.screen.text() == "error: e\n");
  const std::string log = read_text_file(folder / "log").value();
  CHECK(log.starts_with(before + "20"));
  CHECK_THAT(log, ContainsSubstring(" debug d\n") && ContainsSubstring(" info i\n") &&
                      ContainsSubstring(" error e\n"));
  CHECK_THAT(log, ContainsSubstring(" info packing 12/100, 12 %, 1.0 samples/s"));
}

TEST_CASE("a log file that cannot be opened is an I/O error, without new folders") {
  const TempFolder folder;
  const std::string log = folder / "missing/log";
  auto opened = Terminal::open({.log_file = log}, TerminalSurroundings::of_descriptor(2));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == ErrorCode::io);
  CHECK(opened.error().path == log);
  CHECK_FALSE(std::filesystem::exists(folder / "missing"));
}

TEST_CASE("only a log is appended to, any other file stays") {
  const std::string content = GENERATE(
      as<std::string>(), "name,r,g,b\na,1,2,3\n", "{\n\"format\":\"hotpack/1\"", "\n", "2026",
      "2026-01-31T12:00:00.000", "2026-01-31 12:00:00.000+01:00 info x\n", std::string(99, '\0'));
  const TempFolder folder;
  folder.write("file", content);
  const std::string file = folder / "file";
  const auto opened = Terminal::open({.log_file = file}, TerminalSurroundings::of_descriptor(2));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == ErrorCode::usage);
  CHECK_THAT(opened.error().message, ContainsSubstring("--log-file " + file));
  CHECK(read_text_file(file).value() == content);
}

TEST_CASE("an empty file and the log of an earlier run are appended to") {
  const TempFolder folder;
  folder.write("file", "");
  const std::string file = folder / "file";
  for (int run = 0; run < 2; ++run) {
    auto opened =
        Terminal::open({.verbosity = -2, .log_file = file}, TerminalSurroundings::of_descriptor(2));
    REQUIRE(opened.ok());
    (*opened)->warning("w");
  }
  const std::string log = read_text_file(file).value();
  CHECK(std::count(log.begin(), log.end(), '\n') == 2);
}

TEST_CASE("no log file is made beside the files of a pack or with their names") {
  const TempFolder folder;
  const std::string name = GENERATE(as<std::string>(), "dataset.json",
                                    "shard-00000-of-00002.safetensors", "pack/new.txt");
  folder.write("pack/shard-00000-of-00001.safetensors", "");
  const std::string file = folder / name;
  const auto opened = Terminal::open({.log_file = file}, TerminalSurroundings::of_descriptor(2));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == ErrorCode::usage);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a log file is made next to a dataset.json that belongs to no shard") {
  const TempFolder folder;
  folder.write("dataset.json", R"({"title":"COCO"})");
  CHECK(Terminal::open({.log_file = folder / "run.log"}, TerminalSurroundings::of_descriptor(2))
            .ok());
}

TEST_CASE("a log file on a full disk does not stop the work") {
  Desk desk;
  auto terminal = desk.open({.log_file = "/dev/full"});
  terminal->warning("w");
  terminal->error("e");
  CHECK(desk.screen.text() == "warning: w\nerror: e\n");
}

TEST_CASE("messages of several threads come whole") {
  Desk desk;
  auto terminal = desk.open({});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 100; ++j) terminal->info("a whole line");
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::string expected;
  for (int i = 0; i < 400; ++i) expected += "a whole line\n";
  CHECK(desk.screen.text() == expected);
}
