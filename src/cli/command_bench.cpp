// hotpack bench: measures how fast this machine delivers batches of a pack, in memory or on a
// device, and compares each rate with its limit.

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/device_stage.hpp"
#include "cli/bench_report.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "label_setup/pack_folders.hpp"

namespace hotpack::cli {

namespace {

constexpr unsigned kMostThreads = 256;
constexpr int kMostDevices = 1024;

struct BenchArguments {
  std::vector<std::string> folders;
  bench::BenchOptions options;
  bool no_cold = false;
  std::optional<int> device;
};

// Reports the error. A run that a signal stopped has not failed: the signal ends the command.
int fail(CommandContext& context, const Error& error) {
  if (error.code != ErrorCode::cancelled) return context.fail(error);
  context.terminal().warning("stopped before everything was measured");
  return kExitGood;
}

Result<bench::BenchReport> run(const BenchArguments& arguments) {
  if (arguments.device)
    return bench::run_device_bench(arguments.folders, arguments.options, *arguments.device);
  return bench::run_bench(arguments.folders, arguments.options);
}

int measure(CommandContext& context, BenchArguments& arguments) {
  context.stop_on_signals();
  Terminal& terminal = context.terminal();
  arguments.options.cold = !arguments.no_cold;
  arguments.options.progress = [&terminal](std::string_view stage) {
    terminal.info("measuring: " + std::string(stage));
    return !terminal.stop_requested();
  };
  arguments.folders = pipeline::packs_at(arguments.folders);
  const auto report = run(arguments);
  if (!report.ok()) return fail(context, report.error());
  context.output().write(context.json() ? bench_json(*report) : bench_text(*report));
  return kExitGood;
}

// Returns the number of a device if `word` is a number (digits, perhaps after a sign), and nothing
// for any other word.
std::optional<long> number_in(const std::string& word) {
  char* end = nullptr;
  const long number = std::strtol(word.c_str(), &end, 10);
  return word.empty() || *end != '\0' ? std::nullopt : std::optional(number);
}

// Makes `word` the first PACK: a word after --device that is not a number was meant as a pack.
void put_first(CLI::Option& packs, const std::string& word) {
  std::vector<std::string> words = packs.results();
  words.insert(words.begin(), word);
  packs.clear();
  for (const std::string& each : words) packs.add_result(each);
}

// Adds the option --device [N]; without N, the first device is meant. If the word after --device is
// not a number, it is a value of PACK, and the callback adds it to PACK. Therefore call this
// function before PACK is added: CLI11 then runs this callback first.
void add_device_option(CLI::App& command, BenchArguments& arguments) {
  command
      .add_option_function<std::vector<std::string>>(
          "--device",
          [&command, &arguments](const std::vector<std::string>& words) {
            const std::string word = words.empty() ? "" : words.front();
            const std::optional<long> number = number_in(word);
            if (number && (*number < 0 || *number >= kMostDevices))
              throw CLI::ValidationError("--device", "Value " + word + " not in range 0 to " +
                                                         std::to_string(kMostDevices - 1));
            arguments.device = static_cast<int>(number.value_or(0));
            if (!number && !word.empty()) put_first(*command.get_option("PACK"), word);
          },
          "measure batches on this CUDA device instead; without N, device 0")
      ->expected(0, 1)
      ->allow_extra_args(false)
      ->option_text("[N]")
      ->group("Measuring");
}

void define_bench(CLI::App& command, CommandContext& context) {
  auto arguments = std::make_shared<BenchArguments>();
  set_examples(
      command,
      "hotpack bench packed/train\n"
      "hotpack bench packed/train --batch-size 8 --threads 1,2,4   # as the training will read it\n"
      "hotpack bench packed/train --json | jq .recommended_threads\n"
      "hotpack bench packed/train --device    # batches on the first CUDA device");
  bench::BenchOptions& options = arguments->options;
  command.add_option("--batch-size", options.batch, "samples per batch; fewer if memory is short")
      ->default_str("32")
      ->option_text("N")
      ->check(CLI::Range(1, 65536))
      ->group("Measuring");
  command
      .add_option("--seconds", options.seconds,
                  "seconds per row of the table; longer gives steadier figures")
      ->default_str("1")
      ->option_text("S")
      ->check(CLI::Range(0.01, 600.0))
      ->group("Measuring");
  command
      .add_option("--threads", options.threads,
                  "thread counts to measure with [default: 1, 2, 4, … and all cores that the "
                  "process may use]")
      ->option_text("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1U, kMostThreads))
      ->group("Measuring");
  command
      .add_flag("--no-cold", arguments->no_cold,
                "skip reads from disk; the pack's pages stay in memory")
      ->group("Measuring");
  add_device_option(command, *arguments);
  command
      .add_option("PACK", arguments->folders,
                  "packs, or the parent folder of splits; several are read as one data set")
      ->required();
  context.add_json_option(command);
  command.callback([&context, arguments] {
    context.set_action([&context, arguments] { return measure(context, *arguments); });
  });
}

}  // namespace

void add_bench_command(CLI::App& app, CommandContext& context) {
  context.add_command(app, "bench",
                      "Measures how fast this machine reads, expands and delivers a pack's "
                      "batches, each rate compared with its limit",
                      define_bench);
}

}  // namespace hotpack::cli
