// hotpack merge: joins the partitions of a pack, made by several runs.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/folder.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/pack_arguments.hpp"
#include "cli/pack_report.hpp"
#include "cli/text.hpp"
#include "format/manifest.hpp"
#include "format/pack_folder.hpp"
#include "label_setup/pack_folders.hpp"
#include "pack/merge.hpp"
#include "pack/partition_set.hpp"
#include "pack/receipt_merge.hpp"

namespace hotpack::cli {

namespace {

using pipeline::MergeReport;
using pipeline::MergeStatus;

// Returns a text such as "5 shards: 3 linked, 2 copied".
std::string shards_text(const MergeReport& report, bool in_place) {
  std::vector<std::string> how;
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) how.push_back(number_text(count) + " " + what);
  };
  add(report.kept, "there already");
  add(report.linked, "linked");
  add(report.copied, "copied");
  std::string text = counted_text(report.shards, "shard");
  if (!in_place && report.status == MergeStatus::merged && !how.empty())
    text += ": " + joined_text(how, ", ");
  if (report.replaced > 0)
    text += " (" + number_text(report.replaced) + " in place of older files)";
  if (report.repeated > 0)
    text += "; " + counted_text(report.repeated, "file") + " repeated and equal";
  return text;
}

Report merge_report(const MergeReport& merged, bool in_place, double seconds) {
  const bool done_before = merged.status == MergeStatus::complete;
  const std::string output = printable_name(merged.output);
  Report report;
  report.member("status", done_before ? "complete" : "merged");
  report.member("output", output);
  report.line(done_before ? "complete" : "merged",
              output + (done_before ? " (nothing to do: it is complete already)" : ""));
  report.member("records", merged.records);
  report.member("skipped", merged.skipped);
  if (merged.accepted) report.member("accepted", *merged.accepted);
  report.line("samples", samples_text(merged.records, merged.skipped, merged.accepted));
  report.member("shards", merged.shards);
  report.member("kept_shards", merged.kept);
  report.member("linked_shards", merged.linked);
  report.member("copied_shards", merged.copied);
  report.member("replaced_shards", merged.replaced);
  report.member("repeated_shards", merged.repeated);
  report.line("shards", shards_text(merged, in_place));
  report.member("bytes", merged.bytes);
  report.member("seconds", seconds);
  report.line("bytes", human_bytes(merged.bytes) + " of shards, " + human_duration(seconds));
  add_class_members(report, merged.schema, merged.statistics);
  add_class_lines(report, merged.schema, merged.statistics);
  if (merged.manifest_only) {
    report.line("next", "put the shards next to " +
                            shell_word(merged.output + "/" + std::string(format::kManifestName)) +
                            ", then: hotpack verify " + shell_word(merged.output));
  } else {
    add_next_line(report, merged.output);
  }
  return report;
}

constexpr std::size_t kMostSplits = 6;  // named in an error

// A data set to join, or one of its splits.
struct Part {
  pipeline::MergeOptions options;
  MergeReport report;
  double seconds = 0;
};

// Returns true if the folders `names` in the folder `source` are splits. If `source` is the only
// source, they may also be partitions of one data set; then are_splits() decides.
bool holds_splits(const std::string& source, const std::vector<std::string>& names, bool only) {
  return !names.empty() && (!only || pipeline::are_splits(source, names));
}

// Returns an error if `source` contains, next to the splits, a folder that is empty or holds only a
// manifest or temporary files: such a folder is probably a split that lost all its shards.
Status check_lost_splits(const std::string& source, const std::vector<std::string>& splits) {
  const auto content = names_by_kind(source);
  if (!content.ok()) return {};
  for (const std::string& name : content->folders) {
    if (std::find(splits.begin(), splits.end(), name) != splits.end()) continue;
    if (name.starts_with('.') || name == "lost+found") continue;  // of the file system
    const std::string folder = (std::filesystem::path(source) / name).string();
    const auto inside = names_in_folder(folder);
    if (!inside.ok()) continue;
    const format::PackFolder listing = format::describe_pack_folder(*inside);
    if (!listing.shards.empty() || !listing.others.empty()) continue;
    return Error{ErrorCode::damaged,
                 "has no shards, but " + quoted_list_text(splits, kMostSplits) + " next to it " +
                     (splits.size() == 1 ? "is a split" : "are splits") +
                     ". If this folder is a split that lost its shards, pack it again; otherwise "
                     "remove the folder, or name the splits to merge",
                 folder,
                 {}};
  }
  return {};
}

// Returns what is to be merged: one part per split in the sources, or a single part if the sources
// have no splits. An empty source counts as a partition without shards.
Result<std::vector<Part>> parts_of(const pipeline::MergeOptions& options) {
  std::map<std::string, pipeline::MergeOptions> splits;
  for (const std::string& source : options.sources) {
    const std::vector<std::string> names = pipeline::folders_with_shards(source);
    const auto inside = names_in_folder(source);
    if (inside.ok() && inside->empty()) continue;
    if (!holds_splits(source, names, options.sources.size() == 1))
      return std::vector<Part>{{options, {}, 0}};
    HOTPACK_TRY(check_lost_splits(source, names));
    for (const std::string& name : names) {
      splits[name].accepted_skips = options.accepted_skips;
      splits[name].sources.push_back((std::filesystem::path(source) / name).string());
      if (!options.output.empty())
        splits[name].output = (std::filesystem::path(options.output) / name).string();
      splits[name].threads = options.threads;
    }
  }
  if (splits.empty()) return std::vector<Part>{{options, {}, 0}};
  std::vector<Part> parts;
  parts.reserve(splits.size());
  for (auto& [name, split] : splits) parts.push_back({std::move(split), {}, 0});
  return parts;
}

int stopped(CommandContext& context, const MergeReport& report) {
  context.terminal().warning("stopped before the manifest of " + quoted_text(report.output) +
                             " was written. Run the same command again to continue");
  return kExitGood;  // run_main() raises the signal again
}

void warn_of_skipped(CommandContext& context, const MergeReport& report, bool named) {
  const bool one = report.skipped == 1;
  context.terminal().warning((named ? quoted_text(report.output) + ": " : "") +
                             counted_text(report.skipped, "sample was", "samples were") +
                             " left out of the data set when the partitions were packed" +
                             acceptance_text(report.skipped, report.accepted) + ". To pack " +
                             (one ? "it" : "them") + " too, repair the " +
                             (one ? "file" : "files") +
                             ", pack the partitions again with --force, and merge them again");
}

int report_end(CommandContext& context, const std::vector<Part>& parts) {
  std::vector<Report> reports;
  for (const Part& part : parts)
    reports.push_back(merge_report(part.report, part.options.output.empty(), part.seconds));
  context.print_packs(reports, parts.size() > 1);
  int exit = kExitGood;
  for (const Part& part : parts) {
    const MergeReport& report = part.report;
    if (report.skipped > 0) warn_of_skipped(context, report, parts.size() > 1);
    if (skips_too_many(report.skipped, report.accepted)) exit = kExitData;
  }
  return exit;
}

struct MergeCommand {
  pipeline::MergeOptions options;
  std::vector<std::string> receipts;
};

int merge_receipts(CommandContext& context, const MergeCommand& command) {
  if (!command.options.sources.empty())
    return context.fail(usage_error(
        "give folders of partitions or --receipts, not both: receipts say what the shards hold"));
  const auto start = std::chrono::steady_clock::now();
  Result<std::vector<MergeReport>> reports = pipeline::merge_receipts(
      {command.receipts, command.options.output, command.options.accepted_skips},
      context.terminal());
  if (!reports.ok()) return context.fail(reports.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<Part> parts;
  for (MergeReport& report : *reports) {
    if (report.status == MergeStatus::stopped) return stopped(context, report);
    parts.push_back({command.options, std::move(report), seconds});
  }
  return report_end(context, parts);
}

int merge(CommandContext& context, MergeCommand& command) {
  context.stop_on_signals();
  if (!command.receipts.empty()) return merge_receipts(context, command);
  pipeline::MergeOptions& options = command.options;
  options.threads = context.jobs();
  if (options.sources.empty())
    return context.fail(
        usage_error("name the folders of the partitions to merge, or --receipts DIR"));
  Result<std::vector<Part>> parts = parts_of(options);
  if (!parts.ok()) return context.fail(parts.error());
  for (Part& part : *parts) {
    const auto start = std::chrono::steady_clock::now();
    Result<MergeReport> report = pipeline::merge(part.options, context.terminal());
    context.terminal().finish_progress();
    if (!report.ok()) return context.fail(report.error());
    part.report = std::move(report).value();
    part.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (part.report.status == MergeStatus::stopped) return stopped(context, part.report);
  }
  return report_end(context, *parts);
}

}  // namespace

void add_merge_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<MergeCommand>();
  CLI::App& command = *app.add_subcommand("merge",
                                          "Joins the partitions of a pack (pack --partition); the "
                                          "result has the bytes of a single run");
  set_examples(
      command,
      "hotpack merge packed/train   # the partitions shared one folder: writes its manifest\n"
      "hotpack merge parts/0 parts/1 parts/2 -o packed/train   # links the shards, or copies them "
      "to another file system\n"
      "hotpack merge parts/* -o packed   # with splits: parts/*/train to packed/train, parts/*/val "
      "to packed/val\n"
      "hotpack merge --receipts receipts -o packed/train   # the shards may be anywhere");
  command.add_option("DIR", options->options.sources,
                     "folders of partitions, or of their splits; they stay unchanged");
  command
      .add_option("--receipts", options->receipts,
                  "receipts of `hotpack pack --receipt`, or folders of receipts, in place of DIR: "
                  "writes the manifest alone, and needs no shard")
      ->type_name("DIR")
      ->group("Output");
  add_value(command, "-o,--output", options->options.output,
            "folder of the merged pack; new, or of an earlier merge. Without it, the single DIR "
            "gets its manifest",
            "DIR", "Output");
  add_accepted_skips(command, options->options.accepted_skips,
                     "exit status 0 if the partitions skipped at most N samples, or at most P% of "
                     "all samples of the pack",
                     "Output");
  context.add_jobs_option(command);
  context.add_json_option(command);
  context.set_action(command, [&context, options] { return merge(context, *options); });
}

}  // namespace hotpack::cli
