// hotpack verify: checks every rule and every checksum of a pack or a single shard.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/pack_faults.hpp"
#include "cli/report.hpp"
#include "cli/text.hpp"
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

// A pack or shard, and what was found in it.
struct Verified {
  std::string path;
  bool one_shard = false;
  VerifyReport report;
};

// Returns exit code 0 if nothing is wrong, 3 if every finding is a file that could not be read,
// else 4 (damage). Findings beyond those listed in the report count, too.
int exit_code_of(const VerifyReport& report) {
  if (report.finding_count == 0) return kExitGood;
  return report.damaged_files.empty() ? kExitIo : kExitDamaged;
}

Json json_of(const VerifyFinding& finding) {
  return Json{{"file", format::with_valid_utf8(finding.file)},
              {"record", finding.record ? Json(*finding.record) : Json()},
              {"key", finding.key.empty() ? Json() : Json(finding.key)},
              {"offset", finding.offset ? Json(*finding.offset) : Json()},
              {"text", format::with_valid_utf8(finding.text)}};
}

void add_members(Report& report, const Verified& verified) {
  const VerifyReport& found = verified.report;
  Json findings = Json::array();
  for (const VerifyFinding& finding : found.findings) findings.push_back(json_of(finding));
  report.member("pack", format::with_valid_utf8(verified.path));
  report.member("ok", found.ok());
  report.member("shards", found.shards);
  report.member("records", found.records);
  report.member("bytes", found.size_bytes);
  report.member("aligned", found.aligned);
  report.member("finding_count", found.finding_count);
  report.member("findings", std::move(findings));
  report.member("damaged", utf8_list(found.damaged_files));
  report.member("notes", utf8_list(found.notes));
}

std::string summary_of(const VerifyReport& report) {
  const std::string what =
      counted_text(report.records, "sample") + " in " + counted_text(report.shards, "shard") +
      ", " + human_bytes(report.size_bytes) + (report.aligned ? ", aligned" : ", not aligned");
  if (report.stopped) return "stopped before the end: " + what + " examined";
  if (report.ok()) return "ok: " + what;
  if (report.damaged_files.empty())
    return "not checked to the end: " +
           counted_text(report.finding_count, "file or record", "files or records") +
           " could not be read; " + what + " examined";
  return "not ok: " + counted_text(report.finding_count, "finding") + " in " + what;
}

// The folder of the files that findings name.
std::string folder_of(const Verified& verified) {
  if (!verified.one_shard) return verified.path;
  const std::string folder = std::filesystem::path(verified.path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Returns a text such as "a, b and 3 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  if (names.size() <= kMostNamed) return joined_text(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + kMostNamed);
  return joined_text(first, ", ") + " and " + number_text(names.size() - kMostNamed) + " more";
}

std::string what_to_do(const Verified& verified) {
  const std::vector<std::string>& damaged = verified.report.damaged_files;
  const std::string folder = folder_of(verified);
  const auto is_here = [&](std::string_view name) {
    std::error_code in_doubt;  // then it may be here
    return std::filesystem::exists(std::filesystem::path(folder) / name, in_doubt) || in_doubt;
  };
  if (std::find(damaged.begin(), damaged.end(), format::kManifestName) != damaged.end() &&
      !is_here(format::kManifestName))
    return "to finish this pack, repeat the `hotpack pack` command that made " +
           quoted_text(folder) + "; if it is packed in partitions, `hotpack info " +
           shell_word(folder) + "` tells what is missing, and `hotpack merge` finishes it";
  const bool none_here = std::none_of(damaged.begin(), damaged.end(), is_here);
  if (verified.report.shards == 0 && none_here && !verified.one_shard)
    return "no shard is here: put them next to dataset.json. To pack them again, repeat the "
           "`hotpack pack` command that made " +
           quoted_text(folder) + ", with --repair added";
  return repair_text(folder);
}

// With `several`, each line begins with the name of its pack.
Report report_of(const Verified& verified, bool several) {
  Report report;
  add_members(report, verified);
  const VerifyReport& found = verified.report;
  const std::string start = several ? printable_name(verified.path) + ": " : "";
  const auto line = [&](const std::string& text) { report.lines(text + "\n"); };
  for (const VerifyFinding& finding : found.findings)
    line((several ? printable_name(folder_of(verified)) + "/" : "") + finding.describe());
  const std::uint64_t not_listed = found.finding_count - found.findings.size();
  if (not_listed > 0) line(start + "and " + number_text(not_listed) + " more");
  line(start + summary_of(found));
  const std::vector<std::string>& damaged = found.damaged_files;
  const bool no_pack =
      found.shards == 0 && damaged == std::vector<std::string>{std::string(format::kManifestName)};
  if (damaged.empty() || no_pack) return report;
  line(start + "damaged: " + some_of(damaged));
  line(what_to_do(verified));
  return report;
}

bool tell_progress(Terminal& terminal, const VerifyProgress& progress) {
  terminal.progress({"verifying", progress.records_done, progress.records_total,
                     progress.bytes_done, 0, progress.findings});
  return !terminal.stop_requested();
}

VerifyOptions options_of(CommandContext& context, const VerifyArguments& arguments) {
  VerifyOptions options;
  options.threads = static_cast<unsigned>(context.jobs());
  options.max_findings = arguments.max_findings;
  options.progress = [&terminal = context.terminal()](const VerifyProgress& progress) {
    return tell_progress(terminal, progress);
  };
  return options;
}

Result<Verified> verify_one(const std::string& path, const VerifyOptions& options) {
  std::error_code ignored;
  Verified verified{path, std::filesystem::is_regular_file(path, ignored), {}};
  HOTPACK_ASSIGN(verified.report,
                 verified.one_shard ? verify_shard(path, options) : verify_dataset(path, options));
  return verified;
}

// Verifies all packs and shards. Returns the worst of their exit codes.
int verify(CommandContext& context, const VerifyArguments& arguments) {
  context.stop_on_signals();
  Terminal& terminal = context.terminal();
  const VerifyOptions options = options_of(context, arguments);
  const std::vector<std::string> paths = pipeline::packs_at(arguments.paths);
  const bool several = paths.size() > 1;
  int code = kExitGood;
  std::vector<Report> reports;
  for (const std::string& path : paths) {
    if (terminal.stop_requested()) break;
    const Result<Verified> verified = verify_one(path, options);
    terminal.finish_progress();
    if (!verified.ok()) {
      code = std::max(code, context.fail(verified.error()));
      // For a single pack, finish() writes the error.
      if (several) reports.push_back(failed_pack(path, verified.error()));
      continue;
    }
    for (const std::string& note : verified->report.notes)
      terminal.info("note: " + (several ? printable_name(path) + ": " : "") +
                    format::with_valid_utf8(note));
    reports.push_back(report_of(*verified, several));
    code = std::max(code, exit_code_of(verified->report));
  }
  context.print_packs(reports, several);
  return code;
}

void define_verify(CLI::App& command, CommandContext& context) {
  auto arguments = std::make_shared<VerifyArguments>();
  set_examples(
      command,
      "hotpack verify packed/train\n"
      "hotpack verify packed                                         # every split below it\n"
      "hotpack verify packed/part/shard-00003-of-00012.safetensors   # one shard by itself\n"
      "hotpack verify packed/train --json | jq .findings");
  command.add_option("PACK", arguments->paths, "packs, parent folders of splits, or single shards")
      ->required();
  add_value(command, "--max-findings", arguments->max_findings,
            "maximum number of findings to print; all are counted", "N", "Running")
      ->default_str("1000")
      ->check(CLI::Range(1, 1'000'000));
  context.add_jobs_option(command);
  context.add_json_option(command);
  context.set_action(command, [&context, arguments] { return verify(context, *arguments); });
}

}  // namespace

void add_verify_command(CLI::App& app, CommandContext& context) {
  context.add_command(
      app, "verify",
      "Checks every rule and every checksum of a pack; names file, record and byte of any damage",
      define_verify);
}

}  // namespace hotpack::cli
