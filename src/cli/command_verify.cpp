// hotpack verify: every rule and every checksum of a pack or a single shard.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/pack_faults.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"
#include "format/manifest.hpp"
#include "hotpack/verify.hpp"
#include "label_setup/pack_folders.hpp"

namespace hotpack::cli {

namespace {

using format::Json;

struct VerifyArguments {
  std::vector<std::string> paths;
  std::size_t max_findings = 1000;
};

// One pack or shard, and what came of it.
struct Verified {
  std::string path;
  bool one_shard = false;
  VerifyReport report;
};

// 4 for damage; 3 where all that was found is that files could not be read.
int exit_code_of(const VerifyReport& report) {
  const auto& findings = report.findings;
  if (report.finding_count == 0) return kExitGood;
  const bool all_io =
      std::all_of(findings.begin(), findings.end(), [](const VerifyFinding& finding) { return finding.code == ErrorCode::io; });
  return all_io ? kExitIo : kExitDamaged;
}

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const VerifyFinding& finding) {
  Json json;
  json["file"] = format::with_valid_utf8(finding.file);
  json["record"] = json_or_null(finding.record);
  json["key"] = finding.key.empty() ? Json() : Json(finding.key);
  json["offset"] = json_or_null(finding.offset);
  json["text"] = format::with_valid_utf8(finding.text);
  return json;
}

// Names of the files with findings, each once, in their order.
std::vector<std::string> damaged_files(const VerifyReport& report) {
  std::vector<std::string> names;
  for (const VerifyFinding& finding : report.findings) {
    if (finding.code == ErrorCode::io || std::find(names.begin(), names.end(), finding.file) != names.end()) continue;
    names.push_back(finding.file);
  }
  return names;
}

Json json_of(const Verified& verified) {
  const VerifyReport& report = verified.report;
  Json json;
  json["pack"] = format::with_valid_utf8(verified.path);
  json["ok"] = report.ok();
  json["shards"] = report.shards;
  json["records"] = report.records;
  json["bytes"] = report.size_bytes;
  json["aligned"] = report.aligned;
  json["finding_count"] = report.finding_count;
  json["findings"] = Json::array();
  for (const VerifyFinding& finding : report.findings) json["findings"].push_back(json_of(finding));
  json["damaged"] = Json::array();
  for (const std::string& name : damaged_files(report)) json["damaged"].push_back(format::with_valid_utf8(name));
  json["notes"] = Json::array();
  for (const std::string& note : report.notes) json["notes"].push_back(format::with_valid_utf8(note));
  return json;
}

std::string summary_of(const VerifyReport& report) {
  const std::string what = counted_text(report.records, "sample") + " in " + counted_text(report.shards, "shard") + ", " +
                           human_bytes(report.size_bytes) + (report.aligned ? ", aligned" : ", not aligned");
  if (report.stopped) return "stopped before the end: " + what + " examined";
  if (report.ok()) return "ok: " + what;
  if (damaged_files(report).empty())
    return "not checked to the end: " + counted_text(report.finding_count, "file or record", "files or records") + " could not be read; " +
           what + " examined";
  return "not ok: " + counted_text(report.finding_count, "finding") + " in " + what;
}

// Files of the findings lie in this folder.
std::string folder_of(const Verified& verified) {
  if (!verified.one_shard) return verified.path;
  const std::string folder = std::filesystem::path(verified.path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// "a, b and 3 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNamed, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= kMostNamed ? text : text + " and " + number_text(names.size() - kMostNamed) + " more";
}

// `several`: others are reported too, so each line says whose it is.
void print_text(CommandContext& context, const Verified& verified, bool several) {
  const VerifyReport& report = verified.report;
  const auto line = [&](const std::string& text) { context.output().line(printable(format::with_valid_utf8(text))); };
  for (const VerifyFinding& finding : report.findings) line((several ? folder_of(verified) + "/" : "") + finding.describe());
  const std::string start = several ? verified.path + ": " : "";
  const std::uint64_t left_out = report.finding_count - report.findings.size();
  if (left_out > 0) line(start + "and " + number_text(left_out) + " more");
  line(start + summary_of(report));
  const std::vector<std::string> damaged = damaged_files(report);
  const bool nothing_here = report.shards == 0 && damaged == std::vector<std::string>{std::string(format::kManifestName)};
  if (damaged.empty() || nothing_here) return;
  line(start + "damaged: " + some_of(damaged));
  line(mending_text(folder_of(verified)));
}

bool tell_progress(Terminal& terminal, const VerifyProgress& progress) {
  terminal.progress({"verifying", progress.records_done, progress.records_total, progress.bytes_done, 0, progress.findings});
  return !terminal.stop_requested();
}

VerifyOptions options_of(CommandContext& context, const VerifyArguments& arguments) {
  VerifyOptions options;
  options.threads = static_cast<unsigned>(context.jobs());
  options.max_findings = arguments.max_findings;
  options.progress = [&terminal = context.terminal()](const VerifyProgress& progress) { return tell_progress(terminal, progress); };
  return options;
}

Result<Verified> verify_one(const std::string& path, const VerifyOptions& options) {
  std::error_code ignored;
  Verified verified{path, std::filesystem::is_regular_file(path, ignored), {}};
  HOTPACK_ASSIGN(verified.report, verified.one_shard ? verify_shard(path, options) : verify_dataset(path, options));
  return verified;
}

// The exit code: the worst of all.
int verify(CommandContext& context, const VerifyArguments& arguments) {
  context.stop_on_signals();
  Terminal& terminal = context.terminal();
  const VerifyOptions options = options_of(context, arguments);
  const std::vector<std::string> paths = pipeline::packs_at(arguments.paths);
  int code = kExitGood;
  Json all = Json::array();
  for (const std::string& path : paths) {
    if (terminal.stop_requested()) break;
    const Result<Verified> verified = verify_one(path, options);
    terminal.finish_progress();
    if (!verified.ok()) {
      code = std::max(code, context.fail(verified.error()));
      if (paths.size() > 1) all.push_back(failure_json(path, verified.error()));
      continue;
    }
    for (const std::string& note : verified->report.notes) terminal.info("note: " + printable(format::with_valid_utf8(note)));
    if (!context.json()) print_text(context, *verified, paths.size() > 1);
    all.push_back(json_of(*verified));
    code = std::max(code, exit_code_of(verified->report));
  }
  if (!context.json() || all.empty()) return code;  // the frame writes the only error
  if (paths.size() == 1 && all.size() == 1) {
    all = Json(all.front());
  } else {
    all = Json{{"packs", Json(all)}};
  }
  context.output().line(format::canonical_json(all));
  return code;
}

}  // namespace

void add_verify_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App& command =
      *app.add_subcommand("verify", "Checks every rule and every checksum of a pack; names file, record and byte of any damage");
  set_examples(command,
               "hotpack verify packed/train\n"
               "hotpack verify packed                                         # every split below it\n"
               "hotpack verify packed/part/shard-00003-of-00012.safetensors   # one shard by itself\n"
               "hotpack verify packed/train --json | jq .findings");
  command.add_option("PACK", arguments->paths, "packs, parent folders of splits, or single shards")->required();
  command.add_option("--max-findings", arguments->max_findings, "maximum number of findings to print; all are counted [default: 1000]")
      ->option_text("N")
      ->check(CLI::Range(1, 1'000'000))
      ->group("Running");
  context.add_jobs_option(command);
  context.add_json_option(command);
  command.callback([&context, arguments] { context.set_action([&context, arguments] { return verify(context, *arguments); }); });
}

}  // namespace hotpack::cli
