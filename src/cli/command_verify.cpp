// hotpack verify: every rule and every checksum of a pack or a single shard.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"
#include "hotpack/verify.hpp"

namespace hotpack::cli {

namespace {

using format::Json;

struct VerifyArguments {
  std::string path;
  std::size_t max_findings = 1000;
};

// 4 for damage; 3 where all that was found is that files could not be read.
int exit_code_of(const VerifyReport& report) {
  const auto& findings = report.findings;
  if (report.finding_count == 0) return kExitGood;
  const bool all_io = std::all_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.code == ErrorCode::io; });
  return all_io ? kExitIo : kExitDamaged;
}

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Finding& finding) {
  Json json;
  json["file"] = format::with_valid_utf8(finding.file);
  json["record"] = json_or_null(finding.record);
  json["key"] = finding.key.empty() ? Json() : Json(finding.key);
  json["offset"] = json_or_null(finding.offset);
  json["text"] = format::with_valid_utf8(finding.text);
  return json;
}

Json json_of(const VerifyReport& report) {
  Json json;
  json["sound"] = report.sound();
  json["shards"] = report.shards;
  json["records"] = report.records;
  json["bytes"] = report.size_bytes;
  json["aligned"] = report.aligned;
  json["finding_count"] = report.finding_count;
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings) json["findings"].push_back(json_of(finding));
  json["notes"] = Json::array();
  for (const std::string& note : report.notes) json["notes"].push_back(format::with_valid_utf8(note));
  return json;
}

std::string summary_of(const VerifyReport& report) {
  const std::string what = counted(report.records, "sample") + " in " + counted(report.shards, "shard") + ", " +
                           human_bytes(report.size_bytes) + (report.aligned ? ", aligned" : ", not aligned");
  if (report.stopped) return "stopped before the end: " + what + " looked at";
  if (report.sound()) return "sound: " + what;
  return "not sound: " + counted(report.finding_count, "finding") + " in " + what;
}

void print_text(CommandContext& context, const VerifyReport& report) {
  for (const Finding& finding : report.findings) context.output().line(printable(format::with_valid_utf8(finding.describe())));
  const std::uint64_t left_out = report.finding_count - report.findings.size();
  if (left_out > 0) context.output().line("and " + human_count(left_out) + " more");
  context.output().line(summary_of(report));
}

bool tell_progress(Terminal& terminal, const VerifyProgress& progress) {
  terminal.progress({"verifying", progress.records_done, progress.records_total, progress.bytes_done, 0, progress.findings});
  return !terminal.stop_requested();
}

int verify(CommandContext& context, const VerifyArguments& arguments) {
  context.stop_on_signals();
  Terminal& terminal = context.terminal();
  VerifyOptions options;
  options.threads = static_cast<unsigned>(context.jobs());
  options.max_findings = arguments.max_findings;
  options.progress = [&terminal](const VerifyProgress& progress) { return tell_progress(terminal, progress); };
  std::error_code ignored;
  const bool one_shard = std::filesystem::is_regular_file(arguments.path, ignored);
  const auto report = one_shard ? verify_shard(arguments.path, options) : verify_dataset(arguments.path, options);
  terminal.finish_progress();
  if (!report.ok()) return context.fail(report.error());
  for (const std::string& note : report->notes) terminal.info("note: " + printable(format::with_valid_utf8(note)));
  if (context.json()) {
    context.output().line(format::canonical_json(json_of(*report)));
  } else {
    print_text(context, *report);
  }
  return exit_code_of(*report);
}

}  // namespace

void add_verify_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App& command =
      *app.add_subcommand("verify", "Checks every rule and every checksum of a pack; names file, record and byte of what is damaged");
  set_examples(command,
               "hotpack verify packed/train\n"
               "hotpack verify packed/part/shard-00003-of-00012.safetensors   # one shard by itself\n"
               "hotpack verify packed/train --json | jq .findings");
  command.add_option("PACK", arguments->path, "a packed folder, or one shard")->required();
  command.add_option("--max-findings", arguments->max_findings, "findings to print; all are counted [default: 1000]")
      ->option_text("N")
      ->check(CLI::Range(1, 1'000'000))
      ->group("Running");
  context.add_jobs_option(command);
  context.add_json_option(command);
  command.callback([&context, arguments] { context.set_action([&context, arguments] { return verify(context, *arguments); }); });
}

}  // namespace hotpack::cli
